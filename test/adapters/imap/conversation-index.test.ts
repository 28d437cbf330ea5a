import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Disguise, type MailProxy, startProxy } from '../../servers/proxy.ts';
import { callOn, newestOf, started } from './mailbox-on.ts';
import { proxyBefore } from './through-proxy.ts';

function letter(id: string, answers = ''): string {
  const named = answers === '' ? '' : `References: <${answers}@x.example>\r\n`;
  return `Message-ID: <${id}@x.example>\r\n${named}Subject: ${id}\r\n\r\nx\r\n`;
}

const REPORTS_NOTHING_NEW: Disguise = {
  reply: (line) => (line.includes('[UIDNEXT') ? '' : line.replace(' LIST-STATUS', '')),
  refusal: (line) => (/^\S+ STATUS /.test(line) ? 'NO not now' : undefined),
};

describe.skipIf(missingServers().length > 0)(titled('a conversation that is requested again'), () => {
  let dovecot: Dovecot;
  let proxy: MailProxy;
  let mail: Mail;
  let user: string;
  let call: MailCall;

  beforeAll(async () => {
    dovecot = await startDovecot({ folders: ['Sent', 'Archive', 'Projects'] });
    proxy = await startProxy('imap', dovecot.port);
  });
  beforeEach(() => {
    user = dovecot.addUser();
    mail = imapMail({ allowPrivateServers: true });
    call = callOn(proxy.port, user);
    void proxy.script();
    return () => mail.close();
  });
  afterAll(async () => {
    await proxy?.stop();
    await dovecot?.stop();
  });

  const subjects = async (path = 'INBOX') => {
    const { place } = await newestOf(mail, call, path);
    return (await mailReader(mail, systemClock).thread(call, place)).rows.map(({ subject }) => subject);
  };

  it('is read without a search, and nothing twice', async () => {
    await dovecot.deliver(user, letter('one'));
    await dovecot.deliver(user, letter('two', 'one'));
    const { place } = await newestOf(mail, call);
    void proxy.script();
    expect(await mail.thread(call, place)).toHaveLength(2);
    expect(proxy.commands.filter((name) => name === 'UID FETCH')).toHaveLength(2);
    void proxy.script();
    expect(await mail.thread(call, place)).toHaveLength(2);
    expect(proxy.commands.filter((name) => name === 'UID FETCH')).toHaveLength(1);
    expect(proxy.commands).not.toContain('UID SEARCH');
  });

  it('includes mail that arrived meanwhile, in every folder, and nothing that is gone', async () => {
    await dovecot.deliver(user, letter('one'));
    await dovecot.deliver(user, letter('two', 'one'));
    expect(await subjects()).toEqual(['one', 'two']);
    await dovecot.deliver(user, letter('three', 'two'), { mailbox: 'Sent' });
    await dovecot.deliver(user, letter('four', 'three'));
    expect((await subjects()).sort()).toEqual(['four', 'one', 'three', 'two']);
    const { place } = await newestOf(mail, call, 'Sent');
    await mail.move(call, place, 'Projects', started);
    expect((await subjects()).sort()).toEqual(['four', 'one', 'three', 'two']);
    await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'subject', 'two']);
    expect((await subjects()).sort()).toEqual(['four', 'one', 'three']);
    await expect(mail.thread(call, place)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('includes mail that arrived just after the request, whichever connection is free', async () => {
    await dovecot.deliver(user, letter('m0'));
    const { place } = await newestOf(mail, call);
    for (let came = 1; came < 6; came++) {
      expect(await mail.thread(call, place)).toHaveLength(came);
      expect(await mail.thread(call, place)).toHaveLength(came);
      await dovecot.deliver(user, letter(`m${came}`, 'm0'));
    }
  });

  it('of a recreated folder contains none of its old messages', async () => {
    await dovecot.deliver(user, letter('one'));
    await dovecot.deliver(user, letter('two', 'one'), { mailbox: 'Projects' });
    expect((await subjects()).sort()).toEqual(['one', 'two']);
    await dovecot.doveadm('mailbox delete', user, ['Projects']);
    expect(await subjects()).toEqual(['one']);
    await dovecot.deliver(user, letter('other', 'nothing'), { mailbox: 'Projects' });
    await dovecot.deliver(user, letter('three', 'one'), { mailbox: 'Projects' });
    // For a while Dovecot shows the old folder to sessions that have it selected: it is selected again.
    expect((await subjects()).sort()).toEqual(['one', 'three']);
  });

  it('is whole if a report names a folder that there was before: what was selected since counts', async () => {
    await dovecot.deliver(user, letter('one'));
    await dovecot.deliver(user, letter('two', 'one'), { mailbox: 'Projects' });
    // mailutils' imap4d does so to a session that has the folder selected.
    const late = await proxyBefore(dovecot, {
      reply: (line) =>
        /^\* STATUS "?Projects/.test(line) ? line.replace(/UIDVALIDITY \d+/, 'UIDVALIDITY 7') : line,
    });
    call = callOn(late.port, user);
    for (let time = 1; time <= 2; time += 1) expect((await subjects()).sort()).toEqual(['one', 'two']);
    await dovecot.deliver(user, letter('three', 'two'), { mailbox: 'Projects' });
    expect((await subjects()).sort()).toEqual(['one', 'three', 'two']);
  });

  it('is the same for two calls at once', async () => {
    for (let index = 0; index < 30; index++)
      await dovecot.deliver(user, letter(`m${index}`, index === 0 ? '' : 'm0'));
    const { place } = await newestOf(mail, call);
    const both = await Promise.all([mail.thread(call, place), mail.thread(call, place)]);
    for (const rows of both) expect(rows).toHaveLength(30);
    expect(await mail.thread(call, place)).toHaveLength(30);
  });

  it('is searched for if the server does not report what is new', async () => {
    await dovecot.deliver(user, letter('one'));
    await dovecot.deliver(user, letter('two', 'one'), { mailbox: 'Sent' });
    const poor = await proxyBefore(dovecot, REPORTS_NOTHING_NEW);
    call = callOn(poor.port, user);
    expect(await subjects()).toEqual(['one', 'two']);
    expect(poor.commands).toContain('UID SEARCH');
    await mail.close();
  });

  describe('and whose messages name no other, only their conversation in Outlook', () => {
    const begun = Buffer.from(`01dc4d5f3a10${'5a'.repeat(16)}`, 'hex');
    const answers = (count: number) =>
      Buffer.concat([begun, ...Array.from({ length: count }, () => Buffer.from('8000012345', 'hex'))]);
    const sent = (subject: string, threadIndex: Buffer, more = '') =>
      `Message-ID: <${subject}@x.example>\r\n${more}Subject: ${subject}\r\nThread-Index: ${threadIndex.toString('base64')}\r\n\r\nx\r\n`;

    beforeEach(async () => {
      await dovecot.deliver(user, sent('first', answers(0)));
      await dovecot.deliver(user, sent('elsewhere', Buffer.from(`01dc4d5f3a10${'77'.repeat(16)}`, 'hex')));
      await dovecot.deliver(user, sent('second', answers(1)), { mailbox: 'Sent' });
      await dovecot.deliver(user, letter('third', 'second'));
      await dovecot.deliver(user, sent('other', answers(1), 'References: <unknown@x.example>\r\n'));
      await dovecot.deliver(user, sent('fourth', answers(2)));
    });
    const whole = ['first', 'second', 'third', 'fourth'];

    it('is the same from each of them', async () => {
      expect((await subjects()).sort()).toEqual(whole.toSorted());
      expect((await subjects('Sent')).sort()).toEqual(whole.toSorted());
      expect(proxy.commands).not.toContain('UID SEARCH');
    });

    it('is also found by a search', async () => {
      const poor = await proxyBefore(dovecot, REPORTS_NOTHING_NEW);
      call = callOn(poor.port, user);
      expect((await subjects()).sort()).toEqual(whole.toSorted());
      expect(poor.commands).toContain('UID SEARCH');
      await mail.close();
    });
  });
});
