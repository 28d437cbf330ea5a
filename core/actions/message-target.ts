import * as z from 'zod';
import { undefinedIfNotFound } from '../accounts/mail-call.ts';
import type { MailReader } from '../accounts/mail-reader.ts';
import { targetNamesBegin } from '../accounts/target-names.ts';
import type { Reach } from '../keys/fences.ts';
import { isMessageInPlace, type MessageRow } from '../mail/message-row.ts';
import type { MailCall } from '../ports/mail.ts';
import { digestOf } from '../text/canonical-json.ts';

/** A message of an action, as a plan stores it: its place, its identity, and what the owner sees. */

export const actingAccount = z.strictObject({ accountId: z.int().min(1), email: z.string() });
export type ActingAccount = z.infer<typeof actingAccount>;

export const messageTarget = z.strictObject({
  /** As the caller named it. */
  id: z.string(),
  account: actingAccount,
  /** Its place when the plan was made. */
  path: z.string(),
  uidValidity: z.string(),
  uid: z.int().min(1),
  /** The server's own id of the message, if it has one (EMAILID, X-GM-MSGID). */
  stableId: z.string().nullable(),
  /** SHA-256 of what stays the same if the message moves: see `fingerprint` of a MessageRow. */
  fingerprint: z.string(),
  from: z.string(),
  subject: z.string(),
  date: z.string(),
  /** A line of its text; empty if none was read. */
  preview: z.string(),
  internalDateMs: z.int(),
  sizeBytes: z.int(),
  /** The mark that is remembered once a request has moved it: see `relocationMark`. */
  mark: z.string(),
});

export type MessageTarget = z.infer<typeof messageTarget>;

/**
 * Finds the current place of a plan's message, and checks its identity. Called right before every write.
 * @returns undefined if it is gone, or another message is there
 */
export async function placeOf(
  mail: Pick<MailReader, 'row'>,
  call: MailCall,
  target: MessageTarget,
): Promise<MessageRow | undefined> {
  const row = await undefinedIfNotFound(mail.row(call, target));
  const known = { ...target, internalDate: new Date(target.internalDateMs) };
  return row !== undefined && isMessageInPlace(row, known) ? row : undefined;
}

/** Returns the account of these messages; null if they belong to several. */
export function accountOf(targets: readonly MessageTarget[]): ActingAccount | null {
  const [first] = targets;
  const isShared =
    first !== undefined && targets.every((one) => one.account.accountId === first.account.accountId);
  return isShared ? first.account : null;
}

/** What a change of these messages touches. */
export function reachOf(targets: readonly MessageTarget[]): Reach {
  return { accountIds: targets.map(({ account }) => account.accountId), people: [] };
}

/** Names a message among the targets of requests. The same message has the same name wherever it is. */
export function targetName(
  accountId: number,
  message: { readonly stableId: string | null; readonly fingerprint: string },
): string {
  return `${targetNamesBegin(accountId)}${message.stableId ?? message.fingerprint}`;
}

/** Returns the filed name of a target: hashed, except for the account of a message. */
export function filedTarget(name: string): string {
  return `${/^message:\d+:/.exec(name)?.[0] ?? ''}${digestOf(name)}`;
}
