import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { callOn, newestOf, searchFor, started } from './mailbox-on.ts';

describe.skipIf(missingServers().length > 0)(titled('folders that show the others once more'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  let call: MailCall;
  let user: string;

  beforeAll(async () => {
    dovecot = await startDovecot({ views: true });
    user = dovecot.addUser();
    mail = imapMail({ allowPrivateServers: true });
    call = callOn(dovecot.port, user);
    const links = [
      'Message-ID: <one@x.example>',
      'References: <one@x.example>',
      'References: <one@x.example>',
    ];
    for (const [index, mailbox] of ['INBOX', 'INBOX', 'Archive'].entries())
      await dovecot.deliver(user, `Subject: letter ${index}\r\n${links[index]}\r\n\r\nneedle\r\n`, {
        mailbox,
        receivedAt: new Date(Date.UTC(2026, 0, index + 1)),
      });
    await mail.setFlag(call, (await newestOf(mail, call)).place, 'flagged', true, started);
    await dovecot.doveadm('flags add', user, ['$Important', 'mailbox', 'INBOX']);
  });
  afterAll(async () => {
    await mail?.close();
    await dovecot?.stop();
  });

  const reader = () => mailReader(mail, systemClock);

  it('are there, and can be listed and searched by their name', async () => {
    const paths = (await mail.folders(call)).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['Views/All', 'Views/Flagged', 'Views/Important']));
    for (const [path, total] of [
      ['Views/All', 3],
      ['Views/Flagged', 1],
      ['Views/Important', 2],
    ] as const) {
      expect((await mail.search(call, { ...searchFor('needle'), path })).total).toBe(total);
    }
  });

  it('do not show a message twice in a search of all folders', async () => {
    const { rows, total } = await reader().search(call, searchFor('needle'));
    expect(rows.map(({ subject }) => subject).sort()).toEqual(['letter 0', 'letter 1', 'letter 2']);
    expect(total).toBe(3);
  });

  it('do not show a message twice in a conversation, from wherever it is read', async () => {
    for (const path of ['INBOX', 'Views/All', 'Views/Important']) {
      const { place } = await newestOf(mail, call, path);
      const { rows } = await reader().thread(call, place);
      expect(rows.map(({ subject }) => subject)).toEqual(['letter 0', 'letter 1', 'letter 2']);
    }
  });

  it('do not hide where a moved message is', async () => {
    const row = await newestOf(mail, call);
    await mail.move(call, row.place, 'Archive', started);
    expect((await mail.find(call, row)).map(({ place }) => place.path)).toEqual(['Archive']);
  });
});
