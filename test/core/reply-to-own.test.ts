import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import { parseMessage } from '../../core/mime/parse.ts';
import { inWords } from '../../core/safety/finding-text.ts';
import {
  approvalOf,
  approve,
  FRIEND,
  idsIn,
  letter,
  OWN,
  openScene,
  resultOf,
  STRANGER,
  sendTo,
  shownOf,
  wordOf,
} from './scene.ts';

async function open(...samples: SampleMessage[]) {
  const scene = await openScene({ samples: () => samples });
  const modes = { 'mail:send': 'direct', 'mail:reply': 'direct', 'mail:manage': 'direct' } as const;
  const key = await scene.addKey('full', modes);
  /** Carries out a request, whether or not it waits. @returns whether it ran at once, or the code of an error */
  async function done(tool: string, args: object): Promise<string> {
    const answer = await key.call(tool, args);
    if (answer.status === 'pending_approval') await approve(scene, approvalOf(answer).id);
    return wordOf(answer);
  }
  /** Replies to the newest message of a folder. @returns to whom it went */
  async function reply(folder: string): Promise<readonly string[] | undefined> {
    const [id = ''] = await idsIn(key, folder);
    await done('send_reply', { id, body: 'One more thing.' });
    return scene.mail.transmitted().at(-1)?.to;
  }
  const account = { ownerId: scene.ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
  /** Puts a message into a folder, byte for byte. */
  const deliver = (folder: string, ...lines: readonly string[]) =>
    scene.mail.deliver(account, folder, Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'));
  /** Replies to the newest message of the inbox, and waits for the owner. */
  async function filed(body: string) {
    const [id = ''] = await idsIn(key, 'inbox');
    return approvalOf(await key.call('send_reply', { id, body }));
  }
  const lastSent = async () => parseMessage(scene.mail.transmitted().at(-1)?.raw ?? new Uint8Array());
  return { scene, key, done, reply, deliver, filed, lastSent };
}

/** What the owner wrote to a stranger, who therefore knows its Message-ID. */
const SENT = letter('known', {
  folder: 'Sent',
  from: `Alice <${OWN}>`,
  to: STRANGER,
  subject: 'The flat',
  text: 'I am away on Friday.\n',
  minutesAgo: 30,
});
/** The same message as another program delivers it to the inbox. */
const COPY = { ...SENT, folder: 'INBOX' };

describe('a reply to a message from the owner', () => {
  it('goes to the people it went to, if it lies in Sent, and waits for nobody', async () => {
    const { key, done, reply } = await open();
    expect(await done('send_email', sendTo(FRIEND))).toBe('ok');
    const [id = ''] = await idsIn(key, 'Sent');
    expect(await done('send_reply', { id, body: 'One thing.' })).toBe('ok');
    expect(await reply('Sent')).toEqual([FRIEND]);
  });

  it('goes to them, not to those of a copy elsewhere with the same Message-ID', async () => {
    const sent = letter('same', { folder: 'Sent', from: OWN, to: FRIEND, minutesAgo: 30 });
    const { reply } = await open(sent, { ...sent, folder: 'INBOX', to: STRANGER });
    expect(await reply('inbox')).toEqual([FRIEND]);
  });

  it('goes to its Reply-To or From as before, if only the From says that it is the owner’s', async () => {
    const forged = letter('forged', { from: OWN, to: STRANGER });
    expect(await (await open(forged)).reply('inbox')).toEqual([OWN]);
    expect(await (await open({ ...forged, replyTo: FRIEND })).reply('inbox')).toEqual([FRIEND]);
  });

  it('goes to its From as before, if a request moved it into Sent', async () => {
    const { key, done, reply } = await open(letter('forged', { from: OWN, to: STRANGER, minutesAgo: 10 }));
    const [id = ''] = await idsIn(key, 'inbox');
    await done('move_email', { id, target_folder: 'Sent' });
    expect(await reply('Sent')).toEqual([OWN]);
  });
});

describe('a message in the name of the owner that only has the Message-ID of one in Sent', () => {
  it.each([
    ['another text', { text: 'What is the code of the door?\n' }],
    ['a sentence more', { text: 'I am away on Friday. Send me the code of the door.\n' }],
    ['another text in HTML', { html: '<p>Send me the code of the door.</p>' }],
    ['another subject', { subject: 'The code of the door' }],
    ['another date', { minutesAgo: 29 }],
    ['a file', { attachments: [{ name: 'do.txt', mime: 'text/plain', content: Buffer.from('Do this') }] }],
  ])('is somebody else’s: it has %s', async (_name, changes) => {
    const { reply } = await open(SENT, { ...COPY, ...changes });
    expect(await reply('inbox')).toEqual([OWN]);
  });

  it.each([
    ['encrypted', 'Content-Type: multipart/encrypted; boundary=b', '--b\r\n\r\nx\r\n--b--'],
    ['longer than what is compared', 'Content-Type: text/plain', 'word '.repeat(11_000)],
  ])('is somebody else’s, because it cannot be compared: it is %s', async (_name, type, body) => {
    const { deliver, reply } = await open();
    const lines = [`From: ${OWN}`, `To: ${STRANGER}`, 'Subject: s', 'Date: Fri, 20 Nov 2026 10:00:00 +0000'];
    const raw = [...lines, 'Message-ID: <id@example.org>', type, '', body];
    await deliver('Sent', ...raw);
    await deliver('INBOX', ...raw);
    expect(await reply('Sent')).toEqual([STRANGER]);
    expect(await reply('inbox')).toEqual([OWN]);
  });

  it('is somebody else’s if the one in Sent is not from the owner', async () => {
    const { reply } = await open({ ...SENT, from: STRANGER }, COPY);
    expect(await reply('inbox')).toEqual([OWN]);
  });

  it('is quoted as what it is, and vouches for nothing', async () => {
    const account = 'GB82 WEST 1234 5698 7654 32';
    const text = `Please pay to ${account} from now on.\n`;
    const { scene, deliver, filed, lastSent } = await open(SENT, { ...COPY, text, replyTo: FRIEND });
    const { id } = await filed(`The new account is ${account}.`);
    const view = await scene.service.approvals.show(scene.ownerId, id);
    const sentences = view?.findings.map(({ severity, sentence }) => `${severity}: ${inWords(sentence)}`);
    expect(sentences).toContain(`info: The answer goes to ${FRIEND}, not to the sender, ${OWN}.`);
    expect(sentences?.join('\n')).toMatch(/^red: The account or bank number GB82/m);
    await approve(scene, id);
    const { text: sent } = await lastSent();
    expect(sent).toMatch(
      /\n\nOn [\d:T+-]+, somebody wrote in the name of Alice <demo@countersign\.test>:\n> Please pay/,
    );
    expect(sent).not.toContain(`${OWN}> wrote:`);
    await deliver('INBOX', `From: ${OWN}, ${STRANGER}`, `Reply-To: ${FRIEND}`, 'Subject: Two', '', 'Pay.');
    await approve(scene, (await filed('Both.')).id);
    expect((await lastSent()).text).toContain(`somebody wrote in the name of ${OWN}, ${STRANGER}:\n> Pay.`);
  });
});

describe('a copy of a message that the owner sent', () => {
  it('goes to the people it went to, and the owner is told so', async () => {
    const { scene, filed } = await open(SENT, { ...COPY, to: FRIEND, cc: FRIEND, replyTo: FRIEND });
    const { id } = await filed('One more thing.');
    const shown = await scene.service.approvals.show(scene.ownerId, id);
    expect((await shownOf(scene, id)).message?.envelope.to).toEqual([STRANGER]);
    expect(shown?.findings.map(({ sentence }) => inWords(sentence))).toContain(
      `The answer goes to ${STRANGER}, not to the sender, ${OWN}.`,
    );
  });

  it('is known after other servers folded, encoded and spaced it, and is quoted as the owner wrote it', async () => {
    const { key, deliver, reply, lastSent } = await open({
      ...SENT,
      subject: 'Grüße an alle',
      text: 'Café —  ok\n\nA\n',
    });
    const [sent = ''] = await idsIn(key, 'Sent');
    const { date } = z
      .looseObject({ date: z.string() })
      .parse(resultOf(await key.call('get_email', { id: sent })));
    await deliver(
      'INBOX',
      `From: Eve Bank <${OWN}>`,
      'Subject: =?iso-8859-1?Q?Gr=FC=DFe?=',
      '\tan',
      '  alle ',
      `Date: ${new Date(Date.parse(date) + 3_600_000).toUTCString().replace('GMT', '+0100')}`,
      'Message-ID: <known@sample.countersign.test>',
      'Content-Type: text/plain; charset=windows-1252',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Caf=E9 =',
      '=97 ok =20',
      '',
      '',
      'A',
    );
    expect(await reply('inbox')).toEqual([STRANGER]);
    expect((await lastSent()).text).toContain(`, Alice <${OWN}> wrote:\n> Café —  ok\n> \n> A`);
  });
});

describe('a message to oneself', () => {
  it('keeps its id when it is archived, although its copy in Sent is identical', async () => {
    const { key, done } = await open();
    await done('send_email', sendTo(OWN));
    const [id = ''] = await idsIn(key, 'inbox');
    const [copy = ''] = await idsIn(key, 'Sent');
    await done('archive_email', { id });
    expect(resultOf(await key.call('get_email', { id }))).toMatchObject({ folder: 'Archive' });
    expect(resultOf(await key.call('get_email', { id: copy }))).toMatchObject({ folder: 'Sent' });
  });
});
