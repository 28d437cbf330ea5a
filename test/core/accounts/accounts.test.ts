import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ServiceError } from '../../../core/contract/errors.ts';
import { MailError } from '../../../core/ports/mail.ts';
import { approvalOf, approve, FRIEND, OWN, openScene, sendTo, shownOf } from '../scene.ts';

const settingsShape = z.object({ password: z.string() });

/** A mailbox whose server accepts one password. Its settings are that password. */
async function open() {
  const server = { password: 'old' };
  const scene = await openScene({
    settings: { password: 'old' },
    mailAs: (mail) => {
      const signIn = async ({ account }: Parameters<typeof mail.verify>[0]) => {
        const { password } = settingsShape.parse(await account.settings());
        if (password !== server.password) throw new MailError('auth', 'the password is refused');
      };
      return {
        ...mail,
        async verify(call, server) {
          await signIn(call);
          return mail.verify(call, server);
        },
        async transmit(call, message, start) {
          await signIn(call);
          return mail.transmit(call, message, start);
        },
      };
    },
  });
  const { ownerId, service } = scene;
  const states = async () =>
    Object.fromEntries((await service.accounts.health(ownerId)).map(({ server, state }) => [server, state]));
  const change = (password: string) =>
    service.accounts.changeSettings({ ownerId, accountId: 1, settings: { password } });
  return { scene, server, states, change };
}

describe('a connected account', () => {
  it('works as soon as it is connected', async () => {
    const { states } = await open();
    expect(await states()).toEqual({ reading: 'working', sending: 'working', calendar: 'working' });
  });

  it('is checked on request, and is mended with nothing lost', async () => {
    const { scene, server, states, change } = await open();
    const key = await scene.addKey('full');
    const pending = approvalOf(await key.call('send_email', sendTo(FRIEND, 'pending')));
    const approved = approvalOf(await key.call('send_email', sendTo(FRIEND, 'approved')));
    server.password = 'new';
    await scene.service.accounts.check(scene.ownerId, 1);
    expect(await states()).toMatchObject({ reading: 'password_refused', sending: 'password_refused' });
    expect((await approve(scene, approved.id)).approval.state).toBe('approved');

    await expect(change('wrong')).rejects.toMatchObject({ code: 'auth' });
    expect(await scene.service.accounts.settings(scene.ownerId, 1)).toEqual({ password: 'old' });
    await change('new');
    expect(await scene.service.accounts.settings(scene.ownerId, 1)).toEqual({ password: 'new' });
    expect(await states()).toEqual({ reading: 'working', sending: 'working', calendar: 'working' });

    scene.clock.shift(60_000);
    await scene.service.recover();
    expect((await approve(scene, pending.id)).approval.state).toBe('executed');
    expect((await scene.storage.approval(scene.ownerId, approved.id))?.state).toBe('executed');
    expect(scene.mail.transmitted()).toHaveLength(2);
    expect(await scene.service.accounts.list(scene.ownerId)).toMatchObject([{ accountId: 1, revision: 2 }]);
  });

  it('is not connected twice, not even at once', async () => {
    const { scene } = await open();
    const { ownerId } = scene;
    const connect = (email: string) =>
      scene.service.accounts.connect({ ownerId, email, settings: { password: 'old' } });
    const taken = { field: 'email', rule: 'connected', message: 'is connected already, as account 1' };
    await expect(connect(OWN.toUpperCase())).rejects.toMatchObject({ details: { errors: [taken] } });
    const both = await Promise.allSettled([connect('two@example.org'), connect('two@example.org')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await scene.service.accounts.list(ownerId)).toHaveLength(2);
  });

  it('has a name and a signature, which are used in what is planned from then on', async () => {
    const { scene } = await open();
    const { ownerId } = scene;
    const key = await scene.addKey('full');
    const before = approvalOf(await key.call('send_email', sendTo(FRIEND, 'Before')));
    const fields = { label: 'Work', displayName: 'Ann Lee, "Ärztin"', signature: 'Ann\nLee' };
    await scene.service.accounts.edit({ ownerId, accountId: 1, ...fields });
    expect(await scene.service.accounts.list(ownerId)).toMatchObject([fields]);
    const after = approvalOf(await key.call('send_email', sendTo(FRIEND, 'After')));
    expect((await shownOf(scene, before.id)).message?.says).toMatchObject({
      from: { name: '' },
      text: 'Before',
    });
    expect((await shownOf(scene, after.id)).message?.says).toMatchObject({
      from: { name: fields.displayName, address: OWN },
      text: 'After\n\n-- \nAnn\nLee',
    });
    await approve(scene, after.id);
    const [sent = ''] = scene.mail.transmitted().map(({ raw }) => Buffer.from(raw).toString());
    expect(sent).toMatch(/^From: =\?UTF-8\?B\?[^?]+\?= <.+@.+>\r$/m);
  });

  it.each([
    ['displayName', { displayName: 'Ann\nBcc: x@example.org' }],
    ['displayName', { displayName: 'a'.repeat(101) }],
    ['label', { label: '' }],
    ['signature', { signature: '\u0007' }],
  ])('refuses a wrong %s', async (field, wrong) => {
    const { scene } = await open();
    const { ownerId } = scene;
    const fields = { label: 'l', displayName: '', signature: '', ...wrong };
    const error = await scene.service.accounts
      .edit({ ownerId, accountId: 1, ...fields })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'invalid_arguments', details: { errors: [{ field }] } });
  });
});
