import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { readMail } from '../../contracts/mail/read.ts';
import { labelled, pathOfRole } from '../../folder-roles.ts';
import { type GmailMessage, type ScriptedGmail, startScriptedGmail } from '../../servers/scripted-gmail.ts';
import { callOn, newestOf, searchFor, started } from './mailbox-on.ts';

/** Runs against a script, not against Gmail: checks that the commands follow its documentation. */
describe('Gmail as its documentation describes it', () => {
  let gmail: ScriptedGmail;
  let mail: Mail;
  let call: MailCall;

  beforeEach(async () => {
    gmail = await startScriptedGmail([
      message(1, '1801', '\\Inbox', 'Work'),
      message(2, '1801', 'Work'),
      message(3, '1803', '\\Trash'),
      message(4, '1801', '\\Inbox'),
    ]);
    mail = imapMail({ allowPrivateServers: true });
    call = callOn(gmail.port, 'user1');
  });
  afterEach(async () => {
    await mail.close();
    await gmail.stop();
  });

  const labelsOf = (uid: number) => [...(gmail.messages.find((one) => one.uid === uid)?.labels ?? [])].sort();

  it('returns a message with several labels once', async () => {
    const { rows, total } = await mail.search(call, searchFor('needle'));
    expect(total).toBe(4);
    expect(rows.map(({ place, stableId }) => [place.path, stableId])).toEqual([
      ['INBOX', '9004'],
      ['[Gmail]/Trash', '9003'],
      ['[Gmail]/All Mail', '9002'],
      ['INBOX', '9001'],
    ]);
  });

  it('finds a message once, wherever it is now', async () => {
    const row = await newestOf(mail, call);
    expect((await mail.find(call, row)).map(({ place }) => place.path)).toEqual(['INBOX']);
    await mail.move(call, row.place, '[Gmail]/Trash', started);
    expect((await mail.find(call, row)).map(({ place }) => place.path)).toEqual(['[Gmail]/Trash']);
  });

  it('recognises a conversation by the id that the server assigns', async () => {
    const { place } = await newestOf(mail, call);
    expect((await readMail(mail).thread(call, place)).rows.map(({ stableId }) => stableId)).toEqual([
      '9001',
      '9002',
      '9004',
    ]);
    expect(
      gmail.commands.filter((command) => /REFERENCES/i.test(command) && / SEARCH /.test(command)),
    ).toEqual([]);
  });

  it('archives by removing a message from the inbox', async () => {
    const archive = await pathOfRole(mail, call, 'archive');
    expect(archive).toBe('[Gmail]/All Mail');
    await mail.move(call, (await newestOf(mail, call)).place, archive, started);
    expect(labelsOf(4)).toEqual([]);
  });

  it('has its own labels', async () => {
    const { place } = await newestOf(mail, call);
    expect(await mail.label(call, place, labelled('Two words'), started)).toBe('gmail_label');
    expect(labelsOf(4)).toEqual(['Two words', '\\Inbox']);
    await expect(mail.label(call, place, labelled('\\Trash'), started)).rejects.toMatchObject({
      code: 'refused',
    });
    expect(labelsOf(4)).toEqual(['Two words', '\\Inbox']);
  });
});

function message(uid: number, threadId: string, ...labels: string[]): GmailMessage {
  return { uid, id: `900${uid}`, threadId, subject: `needle ${uid}`, labels: new Set(labels) };
}
