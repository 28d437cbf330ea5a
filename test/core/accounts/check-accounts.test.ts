import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { accountPorts } from '../../../core/accounts/account-ports.ts';
import { createAccountChecks } from '../../../core/accounts/check-accounts.ts';
import type { ServerTrouble } from '../../../core/ports/account-health.ts';
import { MailError } from '../../../core/ports/mail.ts';
import type { Mail, Ports } from '../../../core/ports/ports.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { openTestService, silentLog, testClock } from '../../open-service.ts';
import { sqliteOnClock } from '../../store-clock.ts';

const HOUR_MS = 60 * 60_000;
/** After this time, an account that nobody uses is due. */
const UNUSED_MS = 7 * HOUR_MS;

/** A service whose accounts are checked by hand. `state.fails` forces faults. */
async function scene() {
  const clock = testClock();
  const storage = sqliteOnClock(':memory:', () => clock.now().getTime());
  const secretKeys = [randomBytes(32)];
  const signIns: string[] = [];
  const state: { fails?: (accountId: number) => ServerTrouble | Error | undefined } = {};
  const sandbox = sandboxMail();
  const mail: Mail = {
    ...sandbox,
    async verify(call, server) {
      if (server === undefined) return sandbox.verify(call);
      const { accountId } = call.account;
      signIns.push(`${accountId} ${server}`);
      const fault = state.fails?.(accountId);
      if (fault instanceof Error) throw fault;
      if (fault !== undefined) throw new MailError('auth', 'the reason', { trouble: fault });
    },
  };
  const opened = await openTestService({ clock, storage, mail, secretKeys });
  const { service, ownerId } = opened;
  const watched = accountPorts({ mail, storage, clock, log: silentLog });
  const random = (bytes: number) => randomBytes(bytes);
  // Only what the checks use.
  const ports = { storage, clock, random, log: silentLog, ...watched } as unknown as Ports;
  const keyring = createKeyring(secretKeys, random);
  const newChecks = () => createAccountChecks(ports, keyring);
  const checks = newChecks();
  await checks.round();
  return {
    ...opened,
    ...{ clock, signIns, state, newChecks },
    /** One round, and the sign-ins of it. */
    async round(by = checks): Promise<readonly string[]> {
      signIns.length = 0;
      await by.round();
      await watched.healthStored();
      return signIns.toSorted();
    },
    addAccount: (email: string) => service.accounts.connect({ ownerId, email, settings: {} }),
    states: async () =>
      (await service.accounts.health(ownerId))
        .map((one) => `${one.accountId} ${one.server} ${one.state}`)
        .sort(),
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

describe('an account that nobody uses', () => {
  it('is signed in to after some hours, and not again before they have passed once more', async () => {
    await using it = await scene();
    it.clock.shift(5 * HOUR_MS);
    expect(await it.round()).toEqual([]);
    it.clock.shift(2 * HOUR_MS);
    expect(await it.round()).toEqual(['1 reading', '1 sending']);
    expect(await it.round()).toEqual([]);
    it.clock.shift(5 * HOUR_MS);
    expect(await it.round()).toEqual([]);
    it.clock.shift(2 * HOUR_MS);
    expect(await it.round()).toEqual(['1 reading', '1 sending']);
  });

  it('is checked only at the servers that nobody used', async () => {
    await using it = await scene();
    const key = await it.addKey('read');
    it.clock.shift(UNUSED_MS - HOUR_MS);
    await key.call('list_folders');
    it.clock.shift(HOUR_MS);
    expect(await it.round()).toEqual(['1 sending']);
  });

  it('shows a refused password, which is tried once, and not again before it is mended', async () => {
    await using it = await scene();
    it.state.fails = () => 'password_refused';
    it.clock.shift(UNUSED_MS);
    expect(await it.round()).toEqual(['1 reading']);
    expect(await it.states()).toContain('1 reading password_refused');
    for (let day = 0; day < 3; day += 1) {
      it.clock.shift(24 * HOUR_MS);
      expect(await it.round()).toEqual([]);
    }
    delete it.state.fails;
    await it.service.accounts.changeSettings({ ownerId: it.ownerId, accountId: 1, settings: {} });
    it.clock.shift(2 * UNUSED_MS);
    expect(await it.round()).toEqual(['1 reading', '1 sending']);
  });

  it('is checked again if its server did not answer', async () => {
    await using it = await scene();
    it.state.fails = () => 'no_answer';
    it.clock.shift(UNUSED_MS);
    expect(await it.round()).toEqual(['1 reading', '1 sending']);
    expect(await it.states()).toContain('1 sending no_answer');
    delete it.state.fails;
    expect(await it.round()).toEqual([]);
    it.clock.shift(UNUSED_MS);
    await it.round();
    expect(await it.states()).toContain('1 sending working');
  });

  it('does not keep the others from being checked if its check fails', async () => {
    await using it = await scene();
    for (let other = 2; other <= 7; other += 1) await it.addAccount(`other${other}@example.org`);
    it.state.fails = (accountId) => (accountId === 1 ? new Error('broken') : undefined);
    for (let first = 0; first < 2; first += 1) await it.round();
    it.clock.shift(UNUSED_MS);
    const all = [...(await it.round()), ...(await it.round())];
    expect(all.filter((one) => one.endsWith('sending'))).toHaveLength(6);
    expect(await it.round()).toEqual([]);
  });

  it('is checked by one of two processes', async () => {
    await using it = await scene();
    it.clock.shift(UNUSED_MS);
    it.signIns.length = 0;
    await Promise.all([it.newChecks().round(), it.newChecks().round()]);
    expect(it.signIns.toSorted()).toEqual(['1 reading', '1 sending']);
  });

  it('is left alone once the service stops', async () => {
    await using it = await scene();
    it.clock.shift(UNUSED_MS);
    const checks = it.newChecks();
    checks.stop();
    expect(await it.round(checks)).toEqual([]);
  });
});
