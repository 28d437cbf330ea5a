import type { Mail, MailCall, MessageRow } from '../../../core/ports/mail.ts';
import type { MailUnderTest } from '../mail.ts';

/** What a suite of promises is given: the mailbox of the test that runs. */
export type Mailbox = () => MailScene;

export interface MailScene {
  readonly box: MailUnderTest;
  readonly mail: Mail;
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

/** The row of the highest UID. */
export async function newest(mail: Mail, call: MailCall, path: string): Promise<MessageRow> {
  const query = { path, unread: false, order: 'uid', after: undefined, limit: 1 } as const;
  const [row] = (await mail.list(call, query)).rows;
  if (row === undefined) throw new Error('the folder is empty');
  return row;
}

/** A message of these headers; a body of its subject unless another is given. */
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
