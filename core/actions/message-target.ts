import * as z from 'zod';
import { notFoundAsNone } from '../accounts/mail-call.ts';
import type { MailReader } from '../accounts/mail-reader.ts';
import type { MessageRow } from '../mail/message-row.ts';
import type { MailCall } from '../ports/mail.ts';
import { digestOf } from '../text/canonical-json.ts';

/** A message that an action is about, as a plan keeps it: where it was, what it is known by, and what the owner sees. */

export const actingAccount = z.strictObject({ accountId: z.int().min(1), email: z.string() });
export type ActingAccount = z.infer<typeof actingAccount>;

export const messageTarget = z.strictObject({
  /** As the caller named it. */
  id: z.string(),
  account: actingAccount,
  /** Where it was when the plan was made. */
  path: z.string(),
  uidValidity: z.string(),
  uid: z.int().min(1),
  /** The server's own id of the message, if it has one (EMAILID, X-GM-MSGID). */
  stableId: z.string().nullable(),
  /** SHA-256 of what stays the same when the message moves: see `fingerprint` of a MessageRow. */
  fingerprint: z.string(),
  from: z.string(),
  subject: z.string(),
  date: z.string(),
  /** A line of its text; empty if none was read. */
  preview: z.string(),
  internalDateMs: z.int(),
  sizeBytes: z.int(),
  /** What it is remembered by once a request has moved it: see `relocationMark`. */
  mark: z.string(),
});

export type MessageTarget = z.infer<typeof messageTarget>;

/**
 * Where a plan's message lies now, its identity checked: right before every write.
 * @returns undefined when it is gone, or another message lies there
 */
export async function placeOf(
  mail: Pick<MailReader, 'row'>,
  call: MailCall,
  target: MessageTarget,
): Promise<MessageRow | undefined> {
  const row = await notFoundAsNone(mail.row(call, target));
  return row !== undefined && row.fingerprint === target.fingerprint && row.stableId === target.stableId
    ? row
    : undefined;
}

/** The one account that these messages belong to; null if they belong to several. */
export function accountOf(targets: readonly MessageTarget[]): ActingAccount | null {
  const [first] = targets;
  const isShared =
    first !== undefined && targets.every((one) => one.account.accountId === first.account.accountId);
  return isShared ? first.account : null;
}

/** Names a message among the targets of requests: the same message has the same name wherever it lies. */
export function targetName(
  accountId: number,
  message: { readonly stableId: string | null; readonly fingerprint: string },
): string {
  return `${targetNamesBegin(accountId)}${message.stableId ?? message.fingerprint}`;
}

/** What the names of an account's messages begin with, also as they are filed. */
export function targetNamesBegin(accountId: number): string {
  return `message:${accountId}:`;
}

/** The name of a target as it is filed: hashed, except for the account of a message. */
export function filedTarget(name: string): string {
  return `${/^message:\d+:/.exec(name)?.[0] ?? ''}${digestOf(name)}`;
}
