import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { adviceForOwner, meaningForOwner } from '../../../hosts/dashboard/labels.ts';
import type { AnyApproval } from '../../contracts/any-approval.ts';
import { approvalOf } from '../../core/scene.ts';
import { mailboxService } from '../../mailbox-service.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { startMutatingProxy } from '../../servers/mutating-proxy.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { until } from '../../until.ts';

/** How long a refused copy waits. */
const RETRY_MS = 15 * 60_000;

/** Until the test ends. @returns moves the time forward */
function movableTime(): (ms: number) => void {
  const { now } = Date;
  let laterMs = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + laterMs);
  onTestFinished(() => void vi.restoreAllMocks());
  return (ms) => {
    laterMs += ms;
  };
}

describe.skipIf(missingServers().length > 0)(titled('a message that is sent from a full mailbox'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  beforeAll(async () => {
    dovecot = await startDovecot({ tls: false, quotaKb: 20 });
    postfix = await startPostfix(dovecot, { tls: false });
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
  });

  it('is sent once, the owner and the key are told, and its copy is saved once there is room', async () => {
    const passTime = movableTime();
    const user = dovecot.addUser();
    const recipient = addressOf(dovecot.addUser());
    const box = await mailboxService({
      user,
      ports: { imap: dovecot.port, smtp: postfix.port },
      mode: 'direct',
      knows: [recipient],
    });
    await dovecot.deliver(user, `Subject: large\r\n\r\n${'0123456789\r\n'.repeat(1400)}`);
    const letter = { to: [recipient], subject: 'Plan', body: 'Shall we?\n'.repeat(500) };
    const { id: approvalId, state } = approvalOf(await box.call('send_email', letter));
    expect(state).toBe('executed');
    const shown = async (): Promise<AnyApproval> => {
      const view = await box.service.approvals.show(box.ownerId, approvalId);
      if (view === undefined) throw new Error('there is no such request');
      return view.approval;
    };
    await until(async () => (await shown()).error !== null);
    const refused = await shown();
    expect(meaningForOwner(refused)).toContain('Its copy is not in your Sent folder');
    expect(adviceForOwner(refused)).toContain('Make room in it');
    const read = await box.call('get_approval', { approval_id: approvalId });
    expect(read).toMatchObject({ executed: true, result: { approval: { state: 'executed' } } });
    expect(read).toMatchObject({
      result: { meaning: expect.stringContaining('not in Sent yet') as unknown },
    });
    expect(JSON.stringify(read)).not.toContain('"error"');

    // Not tried again at once: each try sends the whole message.
    await box.service.recover();
    await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'all']);
    await box.service.recover();
    expect(await dovecot.messages(user, 'Sent')).toEqual([]);
    passTime(RETRY_MS);
    await until(async () => {
      await box.service.recover();
      return (await shown()).error === null;
    });
    expect(await dovecot.messages(user, 'Sent')).toHaveLength(1);
    expect(meaningForOwner(await shown())).not.toContain('Sent folder');
    await postfix.delivered();
    expect(await dovecot.messages('user2')).toHaveLength(1);
    await box.stop();
  });

  it('that has no Sent folder either: the same is told, and the folder is created once there is room', async () => {
    const passTime = movableTime();
    const empty = await startDovecot({ tls: false, folders: [] });
    onTestFinished(() => empty.stop());
    const imap = await startMutatingProxy('imap', empty.port);
    onTestFinished(() => imap.stop());
    imap.mutate({ command: 'CREATE', instead: ({ tag }) => [`${tag} NO [OVERQUOTA] full\r\n`] });
    const user = empty.addUser();
    const recipient = addressOf(dovecot.addUser());
    const ports = { imap: imap.port, smtp: postfix.port };
    const box = await mailboxService({ user, ports, mode: 'direct', knows: [recipient] });
    onTestFinished(() => box.stop());
    const { id } = approvalOf(await box.call('send_email', { to: [recipient], subject: 'Plan', body: 'x' }));
    const error = async () => {
      const approval: AnyApproval | undefined = (await box.service.approvals.show(box.ownerId, id))?.approval;
      return approval?.error;
    };
    await until(async () => (await error()) === 'sent_copy_refused');

    imap.mutate(undefined);
    passTime(RETRY_MS);
    await until(async () => {
      await box.service.recover();
      return (await error()) === null;
    });
    expect(await empty.messages(user, 'Sent')).toHaveLength(1);
  });
});
