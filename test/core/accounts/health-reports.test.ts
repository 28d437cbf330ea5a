import { describe, expect, it } from 'vitest';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { ServerTrouble } from '../../../core/ports/account-health.ts';
import { MailError, type MailErrorCode } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { openTestService, testClock } from '../../open-service.ts';
import { sqliteOnClock } from '../../store-clock.ts';

type Report = Parameters<Storage['reportServer']>[0];

/** A service whose mailbox fails as `fails` says, and what it wrote about the health of its account. */
async function scene() {
  const clock = testClock();
  const storage = sqliteOnClock(':memory:', () => clock.now().getTime());
  const reports: Report[] = [];
  const state: { fails?: readonly [MailErrorCode, ServerTrouble | undefined] } = {};
  const sandbox = sandboxMail();
  const mail: Mail = {
    ...sandbox,
    async folders(call, options) {
      if (state.fails === undefined) return sandbox.folders(call, options);
      const [code, trouble] = state.fails;
      throw new MailError(code, 'the reason', { trouble });
    },
  };
  const watched: Storage = {
    ...storage,
    reportServer(report) {
      reports.push(report);
      return storage.reportServer(report);
    },
  };
  const { service, ownerId, addKey } = await openTestService({ clock, mail, storage: watched });
  const key = await addKey('read');
  // Connecting the account wrote that its servers work.
  reports.length = 0;
  return {
    clock,
    reports,
    state,
    use: () => key.call('list_folders'),
    health: () => service.accounts.health(ownerId),
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

describe('the health of an account', () => {
  it('is written when it changes, and at most every 5 minutes while it stays the same', async () => {
    await using it = await scene();
    for (let time = 0; time < 3; time += 1) await it.use();
    expect(it.reports.map(({ server, state }) => [server, state])).toEqual([['reading', 'working']]);
    it.clock.shift(5 * 60_000);
    await it.use();
    await it.use();
    expect(it.reports).toHaveLength(2);
    it.state.fails = ['auth', undefined];
    await it.use();
    await it.use();
    expect(it.reports.slice(2)).toMatchObject([{ state: 'password_refused', reason: 'the reason' }]);
    delete it.state.fails;
    await it.use();
    expect(it.reports.slice(3)).toMatchObject([{ state: 'working', reason: null }]);
    const reading = async () => (await it.health()).filter(({ server }) => server === 'reading');
    await expect.poll(reading).toMatchObject([{ state: 'working', accountId: 1 }]);
  });

  it.each([
    ['auth', undefined, 'password_refused'],
    ['auth', 'sign_in_again', 'sign_in_again'],
    ['unavailable', 'no_such_host', 'no_such_host'],
    // The server was busy, the call ran out of time, or there is no such folder.
    ['unavailable', undefined, 'working'],
    ['not_found', undefined, 'working'],
    ['refused', undefined, 'working'],
  ] as const)('after %s with %s is %s', async (code, trouble, expected) => {
    await using it = await scene();
    await it.use();
    it.state.fails = [code, trouble];
    await it.use();
    expect(it.reports.at(-1)).toMatchObject({ state: expected });
  });
});
