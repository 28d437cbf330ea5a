import { type WithRole, withRoles } from '../accounts/account-folders.ts';
import { undefinedIfNotFound } from '../accounts/mail-call.ts';
import { type ReadMessage, readMessage, withResults } from '../accounts/read-message.ts';
import { relocationMark } from '../accounts/sent-evidence.ts';
import type { MessageTarget } from '../actions/message-target.ts';
import { ServiceError } from '../contract/errors.ts';
import type { FolderRole, MailFolder } from '../folders/folder.ts';
import { isMessage, isMessageInPlace, type MessageRow } from '../mail/message-row.ts';
import { headOf } from '../mail/row-text.ts';
import type { Account } from '../ports/account.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import { normalForm } from '../text/normal-form.ts';
import type { TextWindow } from '../text/seen-body.ts';
import { folderName, shortened } from '../text/shortened.ts';
import type { CallContext, LookUpContext } from './context.ts';
import { refuseAccountOutside } from './refuse-outside.ts';

/** Resolves the accounts, folders and messages that a call names. */

/**
 * The named account, or all inside the fences.
 * @throws ServiceError no_mail_account_connected, not_found, not_permitted
 */
export function accountsOf(context: CallContext, accountId: number | undefined): readonly Account[] {
  if (accountId !== undefined) return [findAccount(context, accountId)];
  if (context.accounts.length === 0) throw new ServiceError('no_mail_account_connected');
  return context.accounts;
}

/** The named account, or the active one. @throws ServiceError no_mail_account_connected, not_found, not_permitted */
export function sendingAccount(context: CallContext, accountId: number | undefined): Account {
  const wanted = accountId ?? context.owner.activeAccountId;
  if (wanted === null) throw new ServiceError('no_mail_account_connected');
  return findAccount(context, wanted);
}

function findAccount(context: CallContext, accountId: number): Account {
  refuseAccountOutside(context, accountId, 'account_id');
  if (context.accounts.length === 0) throw new ServiceError('no_mail_account_connected');
  const account = context.accounts.find((one) => one.accountId === accountId);
  if (account === undefined) throw new ServiceError('not_found', { details: { reason: 'account' } });
  return account;
}

/**
 * Waits for one account of possibly several. A failure names the account, and the calendar if one failed.
 * @param about what a `not_found` error reports as missing
 */
export async function nameAccountOnFailure<T>(
  account: Account,
  about: 'folder' | 'calendar',
  answer: Promise<T>,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    if (error.code === 'not_found')
      throw new ServiceError('not_found', { details: { reason: about }, cause: error });
    const calendar = error.calendar === undefined ? {} : { calendar: error.calendar };
    const details = { account_id: account.accountId, ...calendar, reason: error.code };
    throw new ServiceError('upstream_mail_error', { details, cause: error });
  }
}

const ROLES: readonly string[] = [
  'inbox',
  'sent',
  'drafts',
  'spam',
  'trash',
  'archive',
] satisfies FolderRole[];

/**
 * The folder with exactly that name; if there is none, the folder with that role, or the only one whose name has the same
 * letters, composed in another way or of another width.
 */
export function folderByName<F extends WithRole<MailFolder>>(
  folders: readonly F[],
  name: string,
): F | undefined {
  const exact = folders.find((folder) => folder.path === name);
  if (exact !== undefined) return exact;
  if (ROLES.includes(name.toLowerCase())) return folders.find((folder) => folder.role === name.toLowerCase());
  const letters = normalForm(name, 'NFKC');
  const [same, ...others] = folders.filter(({ path }) => normalForm(path, 'NFKC') === letters);
  return others.length === 0 ? same : undefined;
}

/** The folders of an account with their roles. @throws ServiceError upstream_mail_error */
export async function foldersOf(
  context: CallContext,
  account: Account,
  options?: { fresh: boolean },
): Promise<readonly WithRole<MailFolder>[]> {
  const call = context.mailCall(account);
  const folders = await nameAccountOnFailure(account, 'folder', context.ports.mail.folders(call, options));
  return withRoles(folders, account.folderRoles);
}

/**
 * Finds the folder that `choose` picks. Refreshes the folder list once before giving up, so that a folder that another
 * program just created is found. Returns undefined if none matches.
 */
export async function findFolder(
  context: CallContext,
  account: Account,
  choose: (folders: readonly WithRole<MailFolder>[]) => WithRole<MailFolder> | undefined,
): Promise<WithRole<MailFolder> | undefined> {
  const known = choose(await foldersOf(context, account));
  return known ?? choose(await foldersOf(context, account, { fresh: true }));
}

/** A message of an account. */
export interface AccountRow {
  readonly account: Account;
  readonly row: MessageRow;
}

/** Rows in the form that lists show, in their order. */
export async function summariesOf({ handles, owner }: LookUpContext, rows: readonly AccountRow[]) {
  const messages = rows.map(({ account: { accountId }, row }) => ({ ...row, accountId }));
  const ids = (await handles.idsOf(owner.ownerId, messages)).values();
  return rows.map(({ account, row }) => ({
    id: ids.next().value ?? '',
    account_id: account.accountId,
    folder: folderName(row.place.path),
    from: shortened(row.from, ROW_FIELD_CHARS),
    subject: shortened(row.subject, ROW_FIELD_CHARS),
    date: row.date,
    ...(row.undeliverable && { undeliverable: row.undeliverable }),
  }));
}

export type MessageSummary = Awaited<ReturnType<typeof summariesOf>>[number];

export async function summaryOf(context: LookUpContext, message: AccountRow): Promise<MessageSummary> {
  const [summary] = await summariesOf(context, [message]);
  if (summary === undefined) throw new Error('a message has a summary');
  return summary;
}

/** Untrusted headers can be as long as a book. A field in a list is cut. */
export const ROW_FIELD_CHARS = 501;

/** The errors of a tool that takes the id of a message and reads it from its account. */
export const MESSAGE_ERRORS = ['invalid_message_id', 'not_found', 'upstream_mail_error'] as const;

/**
 * Finds the message of an id and calls `ask` with its place. A message that has moved is only found by a unique match
 * on its stable id, headers, size and date; a copy in Sent does not count. Otherwise the result is `not_found`.
 * @param ask the request for the message at its place; if it throws MailError `not_found`, the search starts
 * @param field the argument that contains the id
 * @throws ServiceError invalid_message_id, not_found, not_permitted @throws MailError
 */
export async function findMessage<T>(
  context: LookUpContext,
  id: string,
  ask: (call: MailCall, row: Pick<MessageRow, 'place'>) => Promise<{ row: MessageRow; value: T } | undefined>,
  field = 'id',
): Promise<{ account: Account; row: MessageRow; value: T }> {
  const opened = await context.handles.open(context.owner.ownerId, id);
  if (opened.kind === 'forged') throw new ServiceError('invalid_message_id');
  const gone = () => new ServiceError('not_found', { details: { reason: 'message' } });
  if (opened.kind === 'unknown') throw gone();
  const { parts } = opened;
  refuseAccountOutside(context, parts.accountId, field);
  const account = context.accounts.find((one) => one.accountId === parts.accountId);
  if (account === undefined) throw gone();
  const call = context.mailCall(account);
  const { mail } = context.ports;
  const isMeant = (row: MessageRow) => isMessage(row, parts);

  const folder = (await mail.folders(call)).find((one) => parts.isIn(one.path));
  if (folder !== undefined && parts.uid > 0) {
    const place = { path: folder.path, uidValidity: parts.uidValidity, uid: parts.uid };
    const there = await undefinedIfNotFound(ask(call, { place }));
    if (there !== undefined && isMessageInPlace(there.row, parts)) return { account, ...there };
  }
  let found = (await mail.find(call, parts)).filter(isMeant);
  if (found.length > 1) {
    // A message to oneself has a copy in Sent that was there before. The other one is the message that has moved.
    const { path } = account.folderRoles.sent;
    if (path !== null && !parts.isIn(path)) found = found.filter((row) => row.place.path !== path);
  }
  const [only] = found;
  if (only === undefined || found.length > 1) throw gone();
  const there = await undefinedIfNotFound(ask(call, only));
  if (there === undefined || !isMeant(there.row)) throw gone();
  await context.handles.moved(context.owner.ownerId, id, { ...there.row, accountId: account.accountId });
  return { account, ...there };
}

/** The row of an id. */
export async function findRow(
  context: CallContext,
  id: string,
  field?: string,
): Promise<{ account: Account; row: MessageRow }> {
  return findMessage(
    context,
    id,
    async (call, { place }) => {
      const row = await context.ports.mail.row(call, place);
      return row && { row, value: undefined };
    },
    field,
  );
}

/** Reads the message of an id. @param window the part of its text to return */
export async function findReadMessage(
  context: LookUpContext,
  id: string,
  window: TextWindow,
  field?: string,
): Promise<{ account: Account; row: MessageRow; message: ReadMessage }> {
  const { account, row, value } = await findMessage(
    context,
    id,
    async (call, { place }) => {
      const message = await context.ports.mail.read(call, place);
      return { row: message.row, value: message.source };
    },
    field,
  );
  const message = await readMessage(
    context.ports,
    { ownerId: account.ownerId, signal: context.signal },
    { source: value, window, head: headOf(row) },
  );
  return { account, row: withResults(row, message), message };
}

/** A message in the form that plans keep. */
export function messageTarget(account: Account, id: string, row: MessageRow): MessageTarget {
  const { path, uidValidity, uid } = row.place;
  return {
    id,
    account: { accountId: account.accountId, email: account.email },
    path,
    uidValidity,
    uid,
    stableId: row.stableId,
    fingerprint: row.fingerprint,
    from: shortened(row.from, ROW_FIELD_CHARS),
    subject: shortened(row.subject, ROW_FIELD_CHARS),
    date: row.date,
    preview: '',
    internalDateMs: row.internalDate.getTime(),
    sizeBytes: row.sizeBytes,
    mark: relocationMark(row),
  };
}
