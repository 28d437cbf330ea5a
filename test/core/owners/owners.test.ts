import { describe, expect, it } from 'vitest';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { OwnerFields } from '../../../core/owners/owners.ts';
import type { Service } from '../../../core/service/service.ts';
import { hold } from '../../hold.ts';
import { openTestService } from '../../open-service.ts';
import { sessionToken } from '../../session-token.ts';
import { approvalOf, FRIEND, openScene, sendTo } from '../scene.ts';

const naming = (field: string) => ({ code: 'invalid_arguments', details: { errors: [{ field }] } });

async function signIn({ sessions }: Service, email: string, password: string) {
  const facts = { address: '192.0.2.1', device: undefined, browser: 'test', proofKey: null };
  return sessions.signIn({ email, password, ...facts });
}

describe('a new owner', () => {
  it('whose id is taken is refused for the id, and whose email is taken for the email', async () => {
    const { service, ownerId } = await openTestService({ email: 'ada@example.org' });
    const create = service.owners.create;
    await expect(create({ ownerId, email: 'other@example.org' })).rejects.toMatchObject(naming('ownerId'));
    await expect(create({ ownerId, email: 'ada@example.org' })).rejects.toMatchObject(naming('ownerId'));
    await expect(create({ ownerId: 'new', email: 'ADA@example.org' })).rejects.toMatchObject(naming('email'));
    await service.stop();
  });

  it('has the plan and limits of the service, unless it is given others', async () => {
    const { service } = await openTestService({ plan: 'free', limits: { callsPerDay: 7 } });
    const { owners } = service;
    const standard = await owners.create({ email: 'a@example.org' });
    expect(await owners.byId(standard.ownerId)).toMatchObject({ plan: 'free', limits: { callsPerDay: 7 } });
    const own = await owners.create({ email: 'b@example.org', plan: 'paid', limits: { waitingPerKey: 2 } });
    expect(await owners.byId(own.ownerId)).toMatchObject({ plan: 'paid', limits: { waitingPerKey: 2 } });
    await service.stop();
  });
});

describe('owners', () => {
  it('are listed page by page', async () => {
    const { service, ownerId } = await openTestService({ email: 'first@example.org' });
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await service.owners.create({ ownerId: id, email: `${id}@example.org` });
    const all = [...ids, ownerId].toSorted();
    const first = await service.owners.list({ limit: 3 });
    expect(first.more).toBe(true);
    const after = first.owners.at(-1)?.ownerId ?? '';
    const second = await service.owners.list({ after, limit: 3 });
    expect(second.more).toBe(false);
    expect([...first.owners, ...second.owners].map((owner) => owner.ownerId)).toEqual(all);
    await service.stop();
  });

  it.each<[string, OwnerFields]>([
    ['email', { email: 'nobody' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['plan', { plan: 'gold' as 'paid' }],
    ['limits.calls', { limits: { calls: 1 } as object }],
    ['limits.callsPerDay', { limits: { callsPerDay: -1 } }],
    ['password', { password: 'short' }],
  ])('cannot get a wrong %s, neither at first nor later', async (field, wrong) => {
    const { service, ownerId } = await openTestService();
    const before = await service.owners.byId(ownerId);
    await expect(service.owners.create({ email: 'b@example.org', ...wrong })).rejects.toMatchObject(
      naming(field),
    );
    const all = { timezone: 'Europe/Berlin', ...wrong };
    await expect(service.owners.update(ownerId, all)).rejects.toMatchObject(naming(field));
    expect(await service.owners.byId(ownerId)).toEqual(before);
    await service.stop();
  });

  it('change in what is given', async () => {
    const { service, ownerId } = await openTestService();
    const { owners } = service;
    await owners.update(ownerId, { password: 'correct horse battery' });
    await owners.update(ownerId, { email: 'new@example.org', plan: 'free', limits: {} });
    expect(await owners.byId(ownerId)).toMatchObject({
      email: 'new@example.org',
      timezone: 'UTC',
      plan: 'free',
    });
    expect(await signIn(service, 'new@example.org', 'correct horse battery')).toBeDefined();
    await owners.create({ email: 'taken@example.org' });
    await expect(owners.update(ownerId, { email: 'Taken@example.org' })).rejects.toMatchObject(
      naming('email'),
    );
    await expect(owners.update('nobody', {})).rejects.toMatchObject({ code: 'not_found' });
    await service.stop();
  });

  it('end their sessions with a new password', async () => {
    const { service, ownerId } = await openTestService({ email: 'ada@example.org' });
    await service.owners.update(ownerId, { password: 'correct horse battery' });
    const signedIn = await signIn(service, 'ada@example.org', 'correct horse battery');
    await service.owners.update(ownerId, { password: 'another horse battery' });
    expect(await service.sessions.find(sessionToken(signedIn))).toBeUndefined();
    await service.stop();
  });
});

describe('the removal of an owner', () => {
  it('ends the key and closes the connections of every account', async () => {
    const mail = sandboxMail();
    const forgotten: string[] = [];
    const forget: typeof mail.forget = async (ownerId, accountId) => {
      forgotten.push(`${ownerId} ${accountId}`);
      await mail.forget(ownerId, accountId);
    };
    const { service, ownerId, addKey } = await openTestService({ mail: { ...mail, forget } });
    await service.accounts.connect({ ownerId, email: 'second@example.org', settings: {} });
    const key = await addKey('full');
    expect(await key.call('get_me')).toMatchObject({ status: 'ok' });
    forgotten.length = 0;
    await service.owners.remove(ownerId);
    expect(forgotten).toEqual([`${ownerId} 1`, `${ownerId} 2`]);
    expect(await key.call('get_me')).toMatchObject({ status: 'error', code: 'invalid_token' });
    await expect(service.owners.remove(ownerId)).rejects.toMatchObject({ code: 'not_found' });
    expect((await service.owners.list({ limit: 9 })).owners).toEqual([]);
    await service.recover();
    await service.stop();
  });

  it('waits for a send under way, and its caller learns that it was sent', async () => {
    const { wait, underWay, letGo } = hold();
    const { service, ownerId, addKey, mail } = await openScene({
      mailAs: (mail) => ({
        ...mail,
        transmit: (call, message, start) =>
          mail.transmit(call, message, async () => {
            const isStarted = await start();
            await wait();
            return isStarted;
          }),
      }),
    });
    const key = await addKey('full', { 'mail:send': 'direct' });
    const sent = key.call('send_email', sendTo(FRIEND));
    await underWay;
    await expect(service.owners.remove(ownerId)).rejects.toMatchObject({ code: 'busy' });
    letGo();
    expect(await sent).toMatchObject({ status: 'ok', executed: true });
    await service.owners.remove(ownerId);
    expect(mail.transmitted()).toHaveLength(1);
  });

  it('prevents a send that was approved before from starting, and its run ends', async () => {
    const { wait, underWay, letGo } = hold();
    const { service, ownerId, addKey, mail } = await openScene({
      mailAs: (mail) => ({
        ...mail,
        async transmit(call, message, start) {
          await wait();
          return mail.transmit(call, message, start);
        },
      }),
    });
    const key = await addKey('full', { 'mail:send': 'direct' });
    const sent = key.call('send_email', sendTo(FRIEND));
    await underWay;
    await service.owners.remove(ownerId);
    letGo();
    expect(await sent).toMatchObject({ status: 'error', code: 'invalid_token' });
    expect(mail.transmitted()).toHaveLength(0);
    await service.stop();
  });

  it('withdraws what waits for the owner', async () => {
    const { service, ownerId, addKey } = await openScene();
    const key = await addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
    await service.owners.remove(ownerId);
    expect(await service.approvals.show(ownerId, id)).toBeUndefined();
    expect(await service.approvals.reject(ownerId, id)).toBeUndefined();
  });
});
