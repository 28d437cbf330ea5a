import { Buffer } from 'node:buffer';
import { composeMessage, withDate } from '../../../core/mail/compose.ts';
import type { MailFlag } from '../../../core/mail/listed-message.ts';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { ListPosition, ListQuery, MessagePage } from '../../../core/ports/mail-reading.ts';
import type { Outgoing } from '../../../core/ports/mail-sending.ts';
import type { MailUnderTest } from '../mail.ts';
import type { ReadMail } from './read.ts';

/** What each group of promises receives: the mailbox of the current test. */
export type Mailbox = () => MailScene;

export interface MailScene {
  readonly box: MailUnderTest;
  readonly mail: ReadMail;
  readonly call: MailCall;
  /** Paths. */
  readonly inbox: string;
  readonly sent: string;
}

export const NOON = new Date('2024-05-06T12:00:00Z');

export async function started(): Promise<boolean> {
  return true;
}

/** Puts a message into a folder. @returns its row */
export async function delivered(
  { box, mail, call }: MailScene,
  path: string,
  raw: string,
  receivedAt: Date = NOON,
): Promise<MessageRow> {
  await box.deliver(path, raw, { receivedAt });
  return newest(mail, call, path);
}

/** Returns the row of the highest UID. */
export async function newest(
  mail: Pick<ReadMail, 'list'>,
  call: MailCall,
  path: string,
): Promise<MessageRow> {
  const query = { path, unread: false, order: 'uid', after: undefined, limit: 1 } as const;
  const [row] = (await mail.list(call, query)).rows;
  if (row === undefined) throw new Error('the folder is empty');
  return row;
}

/** Lists a page of a folder. Default: 20 rows, the highest UID first. */
export function listIn(
  { mail, call }: MailScene,
  query: Partial<ListQuery> & { path: string },
): Promise<MessagePage<MessageRow>> {
  return mail.list(call, { unread: false, order: 'uid', after: undefined, limit: 20, ...query });
}

export async function flagsOf({ mail, call }: MailScene, row: MessageRow): Promise<MailFlag[]> {
  return [...((await mail.row(call, row.place))?.flags ?? [])];
}

/** Composes an outgoing message as core does. */
export function outgoing({ box }: MailScene, to: readonly string[] = [box.recipient]): Outgoing {
  const date = new Date('2024-01-02T03:04:05Z');
  const messageId = '<sent-once@example.test>';
  const bytes = composeMessage({
    from: { name: 'Alice', address: box.account.email },
    to,
    subject: 'Grüße',
    text: 'Hallo,\n.\n..two dots\nschöne Grüße',
    messageId,
    inReplyTo: null,
    references: [],
    requestId: 'request-1',
  });
  return { envelope: { from: box.account.email, to }, bytes: withDate(bytes, date), date, messageId };
}

/** Writes a message with these headers. Default body: its subject. */
export function letter(
  headers: Readonly<Record<string, string>> & { readonly Subject: string },
  body = headers.Subject,
): string {
  const all = { From: 'bob@example.test', To: 'alice@example.test', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [...lines, '', body, ''].join('\r\n');
}

export function lf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Returns the position from which a list continues after a row. */
export function positionOf(row: MessageRow | undefined): ListPosition {
  if (row === undefined) throw new Error('there is no row');
  return {
    uidValidity: row.place.uidValidity,
    uid: row.place.uid,
    internalDateMs: row.internalDate.getTime(),
  };
}

export function aMessage(subject: string): string {
  return `From: bob@example.test\r\nTo: alice@example.test\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.test>\r\n\r\n${subject}\r\n`;
}

export const WITH_ATTACHMENT = [
  'From: =?utf-8?Q?Zo=C3=AB_Lab?= <zoe@other.example>',
  'To: alice@example.test',
  'Reply-To: answers@other.example',
  'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
  'Message-ID: <quarter@other.example>',
  'References: <a@other.example> <b@other.example>',
  'Date: Mon, 6 May 2024 09:00:00 +0200',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="x"',
  '',
  '--x',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'K=F6rper',
  'zwei',
  '--x',
  'Content-Type: text/plain; name="note.txt"',
  'Content-Disposition: attachment; filename="note.txt"',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('attached').toString('base64'),
  '--x--',
  '',
].join('\r\n');
