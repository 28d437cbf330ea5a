import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { ListedMessage } from '../../../core/mail/listed-message.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import { folderKey } from '../../../core/ports/mail-reading.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { readMail } from '../../contracts/mail/read.ts';
import { labelled, pathOfRole } from '../../folder-roles.ts';
import {
  ALL_MAIL,
  type GmailMessage,
  type ScriptedGmail,
  startScriptedGmail,
} from '../../servers/scripted-gmail.ts';
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
      [ALL_MAIL, '9002'],
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
    expect(archive).toBe(ALL_MAIL);
    await mail.move(call, (await newestOf(mail, call)).place, archive, started);
    expect(labelsOf(4)).toEqual([]);
  });

  it('has its own labels', async () => {
    const { place } = await newestOf(mail, call);
    expect(await mail.label(call, place, labelled('Two words'), started)).toBe('gmail_label');
    expect(labelsOf(4)).toEqual(['Two words', '\\Inbox']);
    expect((await newestOf(mail, call)).labels).toEqual(['Two words']);
    await expect(mail.label(call, place, labelled('\\Trash'), started)).rejects.toMatchObject({
      code: 'refused',
    });
    expect(labelsOf(4)).toEqual(['Two words', '\\Inbox']);
  });
});

describe('Gmail with All Mail hidden from IMAP', () => {
  let gmail: ScriptedGmail;
  let mail: Mail;
  let call: MailCall;

  beforeEach(async () => {
    gmail = await startScriptedGmail(
      [
        message(1, '1801', '\\Inbox', 'Work'),
        message(2, '1801', 'Work', '\\Starred'),
        message(3, '1803', '\\Trash'),
        message(4, '1801', '\\Inbox', 'Work', '\\Starred'),
        message(5, '1801', '\\Starred'),
        message(6, '1801'),
      ],
      [ALL_MAIL],
    );
    mail = imapMail({ allowPrivateServers: true });
    call = callOn(gmail.port, 'user1');
  });
  afterEach(async () => {
    await mail.close();
    await gmail.stop();
  });

  /** An archived message without a label is in no folder that the server shows: 6 is not found. */
  const FOUND = [
    ['[Gmail]/Starred', '9005'],
    ['INBOX', '9004'],
    ['[Gmail]/Trash', '9003'],
    ['Work', '9002'],
    ['INBOX', '9001'],
  ];
  const placesOf = (rows: readonly ListedMessage[]) =>
    rows.map(({ place, stableId }) => [place.path, stableId]);

  it.each([1, 2, 20])(
    'finds and counts a message with several labels once, by pages of %i',
    async (limit) => {
      const query = { ...searchFor('needle'), limit };
      const rows: ListedMessage[] = [];
      for (let more = true; more; ) {
        const last = rows.at(-1);
        const after = last && {
          internalDateMs: last.internalDate.getTime(),
          folderKey: folderKey(last.place.path),
          uid: last.place.uid,
        };
        const page = await mail.search(call, { ...query, after });
        expect(page.total).toBe(FOUND.length);
        rows.push(...page.rows);
        more = page.more;
      }
      expect(placesOf(rows)).toEqual(FOUND);
    },
  );

  it('finds every message of a label by its name', async () => {
    const { rows, total } = await mail.search(call, { ...searchFor('needle'), path: 'Work' });
    expect([rows.map(({ stableId }) => stableId), total]).toEqual([['9004', '9002', '9001'], 3]);
  });

  it('shows a message once in a conversation', async () => {
    const { place } = await newestOf(mail, call);
    expect((await readMail(mail).thread(call, place)).rows.map(({ stableId }) => stableId)).toEqual([
      '9001',
      '9002',
      '9004',
      '9005',
    ]);
  });

  it('counts the messages of each label', async () => {
    const counts = await mail.counts(call);
    expect(counts.map((folder) => [folder.path, 'total' in folder && folder.total])).toEqual([
      ['INBOX', 2],
      ['[Gmail]/Starred', 3],
      ['[Gmail]/Sent Mail', 0],
      ['[Gmail]/Trash', 1],
      ['Work', 3],
    ]);
  });

  it('knows every folder that shows a moved message', async () => {
    const row = await newestOf(mail, call);
    await mail.move(call, row.place, 'Work', started);
    const paths = (await mail.find(call, row)).map(({ place }) => place.path);
    expect(paths.sort()).toEqual(['Work', '[Gmail]/Starred']);
  });
});

function message(uid: number, threadId: string, ...labels: string[]): GmailMessage {
  return { uid, id: `900${uid}`, threadId, subject: `needle ${uid}`, labels: new Set(labels) };
}
