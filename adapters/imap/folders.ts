import type { ImapFlow, ListOptions, ListResponse, SearchObject, StatusObject, StatusQuery } from 'imapflow';
import type { FolderRole, MailFolder } from '../../core/folders/folder.ts';
import { MailError } from '../../core/ports/mail.ts';
import { letterForm } from '../../core/text/letter-form.ts';
import { limitLines } from './connection.ts';
import { imapFailure, isRefused } from './failure.ts';
import { hasFlag } from './has-flag.ts';
import { change } from './session.ts';

/** RFC 6154, 2. In lower case, because attributes are case-insensitive. */
const SPECIAL_USES: ReadonlyMap<string, Exclude<FolderRole, 'inbox'>> = new Map([
  ['\\sent', 'sent'],
  ['\\drafts', 'drafts'],
  ['\\junk', 'spam'],
  ['\\trash', 'trash'],
  ['\\archive', 'archive'],
]);

/** As many as Gmail allows labels. */
const FOLDERS_MAX = 10_000;

export interface FolderList {
  readonly folders: readonly MailFolder[];
  /** False: the server left it out of its list. */
  readonly listsInbox: boolean;
  /** The scopes that together show every message, and each once, except for labels. */
  readonly scopes: readonly SearchScope[];
}

/** A folder, or the part of it that is in no other scope. */
export interface SearchScope {
  readonly path: string;
  readonly only: SearchObject;
  /** Other labels may show the same messages. Each has one EMAILID in all of them. */
  readonly isLabel?: true;
}

export async function listFolders(client: ImapFlow): Promise<FolderList> {
  return folderList(client, await listedFolders(client));
}

/** A name that is sent as a literal takes two lines. */
const LIST_LINES_MAX = 3 * FOLDERS_MAX;

/** Connections whose server was seen to list few enough folders. */
const counted = new WeakSet<ImapFlow>();

/**
 * What imapflow lists, which it keeps to the end of the list and sorts in one go: 100,000 folders would stop the process
 * for half a second. So a connection first counts them, without their order.
 *
 * @throws MailError `refused` if there are more than `FOLDERS_MAX`
 */
async function listedFolders(client: ImapFlow, options?: ListOptions): Promise<readonly ListResponse[]> {
  if (!counted.has(client)) {
    if (await hasTooManyFolders(client)) {
      throw new MailError(
        'refused',
        `the mailbox has more than ${FOLDERS_MAX} folders, which are too many to read`,
      );
    }
    counted.add(client);
  }
  if (!withoutReturn.has(client)) {
    try {
      return await client.list(options);
    } catch (error) {
      if (!isRefused(imapFailure(error))) throw error;
    }
  }
  const plain = await client.list({ listOnly: true });
  withoutReturn.add(client);
  return plain;
}

/** Connections whose server refuses a LIST with RETURN by NO. After BAD, imapflow asks in the plain way by itself. */
const withoutReturn = new WeakSet<ImapFlow>();

/** Whether the server was seen to refuse LIST-STATUS (RFC 5819) on this connection, although it offers that. */
export function refusesListStatus(client: ImapFlow): boolean {
  // What imapflow remembers is not in its types.
  return withoutReturn.has(client) || ('skipListStatusArgs' in client && client.skipListStatusArgs === true);
}

async function hasTooManyFolders(client: ImapFlow): Promise<boolean> {
  const limit = limitLines(client, LIST_LINES_MAX);
  try {
    const { length } = await client.list({ listOnly: true });
    return length > FOLDERS_MAX;
  } catch (error) {
    if (limit.isReached()) return true;
    throw error;
  } finally {
    limit.end();
  }
}

/**
 * Lists the folders with the result of a STATUS each, in the order of `listFolders`. imapflow hides why a STATUS failed:
 * what it did not report is undefined.
 */
export async function listWithStatus(
  client: ImapFlow,
  query: StatusQuery,
): Promise<{ list: FolderList; statuses: ReadonlyMap<string, Partial<StatusObject>> }> {
  const listed = await listedFolders(client, { statusQuery: query });
  if (!client.usable) throw new MailError('unavailable', 'the connection to the IMAP server was lost');
  const statuses = new Map(listed.map(({ path, status }) => [path, isPossible(status) ? status : {}]));
  return { list: folderList(client, listed), statuses };
}

/** Dovecot was seen to report UIDVALIDITY 0 of a folder that it was about to create: neither can be 0 (RFC 9051, 9). */
function isPossible(status: StatusObject | undefined): status is StatusObject {
  return status !== undefined && status.uidValidity !== 0n && status.uidNext !== 0;
}

function folderList(client: ImapFlow, listed: readonly ListResponse[]): FolderList {
  const selectable = listedOnce(listed).filter(canBeOpened);
  const allMail = isGmail(client) ? selectable.find(({ flags }) => hasFlag(flags, '\\all')) : undefined;
  const folders = selectable.map((folder) => folderOf(folder, folder === allMail));
  const listsInbox = listed.some(isInbox);
  if (!listsInbox) {
    // There always is one (RFC 9051, 5.1), and some servers leave it out.
    folders.unshift({ path: 'INBOX', delimiter: listed[0]?.delimiter || null, specialUse: null });
  }
  const views = new Set(selectable.filter(isView).map(({ path }) => path));
  const others = folders.filter(({ path }) => !views.has(path));
  let scopes: readonly SearchScope[] = others.map(({ path }) => ({ path, only: {} }));
  if (allMail !== undefined) scopes = gmailScopes(folders, allMail.path);
  else if (isGmail(client)) scopes = labelScopes(folders, views);
  return { folders, listsInbox, scopes };
}

/** Gmail's folders are labels: All Mail shows every message again, except spam and trash. */
function gmailScopes(folders: readonly MailFolder[], allMail: string): readonly SearchScope[] {
  return folders.flatMap(({ path, specialUse }) => {
    if (path === allMail) return [{ path, only: { labels: { not: ['inbox'] } } }];
    return path === 'INBOX' || isApart(specialUse) ? [{ path, only: {} }] : [];
  });
}

/**
 * Gmail's folders if the owner hides All Mail from IMAP. Views come last: only they may show an archived message, and any
 * other label says more about where a message is.
 */
function labelScopes(folders: readonly MailFolder[], views: ReadonlySet<string>): readonly SearchScope[] {
  const viewsLast = folders.toSorted((a, b) => Number(views.has(a.path)) - Number(views.has(b.path)));
  return viewsLast.map(({ path, specialUse }) =>
    isApart(specialUse) ? { path, only: {} } : { path, only: {}, isLabel: true },
  );
}

/** Gmail shows a message of spam or trash in no other folder. */
function isApart(specialUse: MailFolder['specialUse']): boolean {
  return specialUse === 'spam' || specialUse === 'trash';
}

export function isGmail({ capabilities }: ImapFlow): boolean {
  return capabilities.has('X-GM-EXT-1');
}

/** RFC 8474, and Gmail's own. */
export function hasThreadIds(client: ImapFlow): boolean {
  return client.capabilities.has('OBJECTID') || isGmail(client);
}

/** XLIST names it in the language of the owner. */
function isInbox({ path, specialUse }: ListResponse): boolean {
  return path === 'INBOX' || specialUse === '\\Inbox';
}

/** A server may list a folder twice. */
function listedOnce(listed: readonly ListResponse[]): readonly ListResponse[] {
  return [...new Map(listed.map((folder) => [folder.path, folder])).values()];
}

function canBeOpened({ flags }: ListResponse): boolean {
  return !hasFlag(flags, '\\noselect') && !hasFlag(flags, '\\nonexistent');
}

/** @param isAllMail  a message that leaves Gmail's inbox for All Mail is archived */
function folderOf(listed: ListResponse, isAllMail: boolean): MailFolder {
  const { path, delimiter } = listed;
  const said = [...listed.flags].map((flag) => SPECIAL_USES.get(flag.toLowerCase()));
  const specialUse = isAllMail ? 'archive' : (said.find((role) => role !== undefined) ?? null);
  // The inbox stays the inbox, whatever else it is used for.
  return { path, delimiter: delimiter || null, specialUse: path === 'INBOX' ? null : specialUse };
}

/** A folder that shows messages of the other folders once more (RFC 6154, 2; RFC 8457, 3). */
function isView({ path, flags }: ListResponse): boolean {
  const views = ['\\all', '\\flagged', '\\important'];
  return path !== 'INBOX' && views.some((view) => hasFlag(flags, view));
}

/** Creates a folder, below the server's prefix if it has one. @returns its path */
export async function createFolder(client: ImapFlow, name: string): Promise<string> {
  const made = await change(client, () => client.mailboxCreate(name));
  if (made === undefined) throw new MailError('refused', 'the IMAP server did not create a folder');
  return made.path;
}

/**
 * Finds a folder by its path, or by its name below the server's prefix; otherwise one whose name has the same letters in
 * another form, because a second one would look the same.
 */
export function findFolder(
  { namespace }: ImapFlow,
  folders: readonly MailFolder[],
  name: string,
): MailFolder | undefined {
  const names = [name, `${namespace?.prefix ?? ''}${name}`].map((one) => one.toLowerCase());
  const forms = names.map(letterForm);
  return (
    folders.find(({ path }) => names.includes(path.toLowerCase())) ??
    folders.find(({ path }) => forms.includes(letterForm(path)))
  );
}
