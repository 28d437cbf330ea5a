import type { FetchQueryObject, ImapFlow, SearchObject } from 'imapflow';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import {
  compareSearchPositions,
  folderKey,
  type MessagePage,
  type RawMessage,
  type SearchPosition,
  type SearchQuery,
} from '../../core/ports/mail-reading.ts';
import { letterForm } from '../../core/text/letter-form.ts';
import { normalForm } from '../../core/text/normal-form.ts';
import { DAY_MS } from '../../core/time/durations.ts';
import type { AccountConnections } from './account-connections.ts';
import { searchFailure } from './connection.ts';
import { readMessages } from './content.ts';
import { inEachFolder } from './each-folder.ts';
import { noFolder } from './failure.ts';
import { fetchEach } from './fetch-each.ts';
import { receivedAt, UNKNOWN_DATE } from './fetched.ts';
import type { SearchScope } from './folders.ts';
import type { ImapAccount } from './imap-accounts.ts';
import type { KnownRows } from './known-rows.ts';
import { missingParts } from './missing-parts.ts';
import { FEW, newestReceived, type Received, searchable } from './newest-received.ts';
import type { ReceivedDates } from './received-dates.ts';
import type { OpenFolder } from './session.ts';
import { SHOWN, searchUids, uidSets } from './uid-search.ts';

/** A match, before its row is fetched. */
interface Hit extends SearchPosition {
  readonly path: string;
}

interface LabelHit extends Hit {
  readonly emailId: string | undefined;
}

const LABEL_QUERY: FetchQueryObject = { emailId: true, internalDate: true };

/** What matches in a scope. */
interface Matches {
  /** The first hits after the position of the query, one more than the page holds. */
  readonly hits: readonly Hit[];
  readonly total: number;
  /** All matches of a label, instead: which of them the page shows depends on the other labels. */
  readonly ofLabel: readonly LabelHit[];
}

/**
 * Returns a page of the matches in all scopes that the server does not refuse.
 * @throws MailError if it refuses all, or if one cannot be searched for now
 */
export async function searchScopes(
  connections: AccountConnections,
  scopes: readonly SearchScope[],
  query: SearchQuery,
  { dates, rows: known }: Pick<ImapAccount, 'dates' | 'rows'>,
  limit: AbortSignal,
): Promise<MessagePage> {
  for (;;) {
    const missing = missingParts();
    const searched = await inEachFolder(
      connections,
      scopes,
      limit,
      (folder, scope) => matchesIn(folder, scope, query, dates),
      missing,
    );
    missing.throwIfNothingElse(scopes.length);
    const found = searched.filter((one) => one !== undefined);
    if (query.path !== undefined && found.length === 0) throw noFolder();
    const ofLabels = onceEach(found.flatMap((one) => one.ofLabel));
    const hits = [
      ...found.flatMap((one) => one.hits),
      ...ofLabels.filter((hit) => isBehind(query, hit)),
    ].sort(compareSearchPositions);
    const rows = await rowsOf(connections, hits.slice(0, query.limit), known, limit);
    const left = missing.all();
    // If the whole page was removed just now, there may be more behind it.
    if (rows.length > 0 || hits.length === 0) {
      const total = found.reduce((sum, one) => sum + one.total, ofLabels.length);
      return { rows, more: hits.length > query.limit, total, ...(left.length > 0 && { missing: left }) };
    }
  }
}

/** Returns each message where the first label shows it, so that every page shows it there. */
function onceEach(hits: readonly LabelHit[]): readonly LabelHit[] {
  const shown = new Set<string>();
  return hits.filter(({ emailId }) => {
    if (emailId === undefined) return true;
    const isFirst = !shown.has(emailId);
    shown.add(emailId);
    return isFirst;
  });
}

function isBehind({ after }: SearchQuery, hit: Hit): boolean {
  return after === undefined || compareSearchPositions(after, hit) < 0;
}

async function matchesIn(
  folder: OpenFolder,
  { only, isLabel }: SearchScope,
  query: SearchQuery,
  dates: ReceivedDates,
): Promise<Matches> {
  if (folder.mailbox.exists === 0) return { hits: [], total: 0, ofLabel: [] };
  const { path } = folder.mailbox;
  const key = folderKey(path);
  const hitOf = ({ uid, receivedMs }: Received) => ({
    path,
    folderKey: key,
    uid,
    internalDateMs: receivedMs,
  });
  const uids = await matchingUids(folder, only, query, dates);
  if (isLabel) {
    const { messages, undeliverable } = await fetchEach(folder.client, uids, LABEL_QUERY);
    const ofLabel = [...messages, ...undeliverable].map((message) => ({
      ...hitOf({ uid: message.uid, receivedMs: receivedAt(message).getTime() }),
      emailId: message.emailId,
    }));
    return { hits: [], total: 0, ofLabel };
  }
  const first = await newestReceived(
    folder,
    {
      among: { uids },
      afterMs: query.after?.internalDateMs,
      isBehind: (message) => isBehind(query, hitOf(message)),
      count: query.limit + 1,
    },
    dates,
  );
  return { hits: first.map(hitOf), total: uids.length, ofLabel: [] };
}

/** Returns the rows in the order of `hits`, without those that are gone. */
async function rowsOf(
  connections: AccountConnections,
  hits: readonly Hit[],
  known: KnownRows,
  limit: AbortSignal,
): Promise<ListedMessage[]> {
  const paths = [...new Set(hits.map(({ path }) => path))];
  const fetched = await inEachFolder(
    connections,
    paths.map((path) => ({ path, uids: hits.filter((hit) => hit.path === path).map(({ uid }) => uid) })),
    limit,
    (folder, { uids }) => known.of(folder, uids),
  );
  const rows = new Map(
    fetched.flatMap((some) => some ?? []).map((row) => [`${row.place.uid} ${row.place.path}`, row]),
  );
  return hits.flatMap(({ path, uid }) => rows.get(`${uid} ${path}`) ?? []);
}

/** In ascending order. */
async function matchingUids(
  folder: OpenFolder,
  only: SearchObject,
  query: SearchQuery,
  dates: ReceivedDates,
): Promise<readonly number[]> {
  const { client } = folder;
  const sinceMs = query.since === undefined ? undefined : Date.parse(query.since);
  const base: SearchObject = {
    ...only,
    ...(query.unread ? { seen: false } : {}),
    // SEARCH compares days by the server's clock: one day more, and the exact date decides.
    ...(sinceMs === undefined ? {} : { since: searchable(sinceMs - DAY_MS) }),
  };
  let uids: readonly number[] | undefined;
  for (const condition of conditionsOf(query)) {
    if (uids?.length === 0) return uids;
    const matching = await narrowed(folder, base, uids, condition);
    if (matching !== undefined) {
      uids = matching;
      continue;
    }
    const among = uids ?? (await searchUids(client, base));
    // The server searches, and not for this.
    if (condition.isPlain) remember(client, condition.kind);
    uids = await narrowedHere(folder, among, condition);
  }
  uids ??= await searchUids(client, base);
  return sinceMs === undefined ? uids : receivedSince(folder, uids, sinceMs, dates);
}

async function receivedSince(
  folder: OpenFolder,
  uids: readonly number[],
  sinceMs: number,
  dates: ReceivedDates,
): Promise<readonly number[]> {
  const nextDay = { since: searchable(sinceMs + DAY_MS) };
  const certain = new Set(uids.length > FEW ? await searchUids(folder.client, nextDay) : []);
  const received = await dates.of(
    folder,
    uids.filter((uid) => !certain.has(uid)),
  );
  return uids.filter((uid) => {
    const receivedMs = received.get(uid);
    if (receivedMs === undefined) return certain.has(uid);
    // The server's own search has found a message whose date it cannot deliver.
    return receivedMs >= sinceMs || receivedMs === UNKNOWN_DATE.getTime();
  });
}

/** What the server of a connection does not search for: some have no search of bodies. */
const unsearched = new WeakMap<ImapFlow, Set<Condition['kind']>>();

function remember(client: ImapFlow, kind: Condition['kind']): void {
  unsearched.set(client, (unsearched.get(client) ?? new Set()).add(kind));
}

/** A condition on a message, for the server's search and for a check here. */
interface Condition {
  readonly kind: 'sender' | 'word';
  /** Every server understands it. */
  readonly isPlain: boolean;
  readonly search: SearchObject;
  /** The server's search is exact. Otherwise its results are checked here. */
  readonly isWhole: boolean;
  matches(message: RawMessage): Promise<boolean>;
}

function conditionsOf({ words, from, contains }: SearchQuery): Condition[] {
  const conditions = words.map((word) => inMessage(word, contains));
  if (from !== undefined) conditions.unshift(inSender(from));
  // Conditions that every server understands come first.
  return conditions.sort((a, b) => Number(b.isPlain) - Number(a.isPlain));
}

function inSender(part: string): Condition {
  return {
    kind: 'sender',
    ...searchFor(part, ['from']),
    matches: async ({ row }) => letterForm(messageRow(row).from).includes(letterForm(part)),
  };
}

const WORD_FIELDS = ['from', 'to', 'cc', 'subject', 'body'] as const;

/** The word appears where a person would look. */
function inMessage(word: string, contains: SearchQuery['contains']): Condition {
  return {
    kind: 'word',
    ...searchFor(word, WORD_FIELDS),
    matches: ({ source }) => contains(source, word),
  };
}

/** Composed, decomposed, and with letters of the usual width. */
const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/**
 * Builds the search for a text in one of the fields. Servers compare letters as they are stored, or in a form of their
 * own: it is asked for each of FORMS. imapflow leaves out quotes if it can; Courier (5.0) then
 * accepts neither a tilde nor NIL. imapflow takes a single leading backslash for a flag, and Courier then
 * waits for more.
 */
function searchFor(
  text: string,
  fields: readonly (typeof WORD_FIELDS)[number][],
): Omit<Condition, 'kind' | 'matches'> {
  const searched = text.replace(/^\\(?!\\)/, '');
  const forms = new Set([searched, ...FORMS.map((form) => normalForm(searched, form))]);
  const each = fields.flatMap((field) => [...forms].map((form) => ({ [field]: form })));
  return {
    isPlain: /^[ -}]*$/.test(text) && text.toLowerCase() !== 'nil',
    isWhole: searched === text,
    search: searched === '' ? { all: true } : { or: each },
  };
}

/**
 * Returns which of `uids`, or of all messages that `base` describes, meet the condition. Checks one condition
 * at a time: a query can contain only one OR, and not every server understands the alternatives.
 * @returns undefined if the server does not search for that
 */
async function narrowed(
  folder: OpenFolder,
  base: SearchObject,
  uids: readonly number[] | undefined,
  condition: Condition,
): Promise<readonly number[] | undefined> {
  const { client } = folder;
  const { kind, search, isPlain, isWhole } = condition;
  if (unsearched.get(client)?.has(kind)) return undefined;
  const queries =
    uids === undefined ? [{ ...base, ...search }] : uidSets(uids).map((uid) => ({ ...search, uid }));
  const matching: number[] = [];
  for (const query of queries) {
    const found = await foundBy(client, query, isPlain);
    if (found === undefined) return undefined;
    for (const uid of found) matching.push(uid);
  }
  return isWhole ? matching : narrowedHere(folder, matching, condition);
}

/** @returns undefined if the server does not search for that: text that is not plain (`NO [BADCHARSET]`), or bodies */
async function foundBy(
  client: ImapFlow,
  query: SearchObject,
  isPlain: boolean,
): Promise<readonly number[] | undefined> {
  const found = await client.search({ ...query, ...SHOWN }, { uid: true });
  if (Array.isArray(found)) return found;
  const why = searchFailure(client);
  if (isPlain && why.code !== 'refused') throw why;
  return undefined;
}

/** Whether the server searches for words like this one. Asks about the first message only: the folder must not be empty. */
export async function findsWords({ client }: OpenFolder, word: string): Promise<boolean> {
  const { search, isPlain } = searchFor(word, WORD_FIELDS);
  return (await foundBy(client, { seq: '1', ...search }, isPlain)) !== undefined;
}

/** How many messages are fetched at once. */
const BATCH = 50;

async function narrowedHere(
  folder: OpenFolder,
  uids: readonly number[],
  condition: Condition,
): Promise<readonly number[]> {
  const matching: number[] = [];
  for (let start = 0; start < uids.length; start += BATCH) {
    for await (const message of readMessages(folder, uids.slice(start, start + BATCH))) {
      // A search never leaves out a message without a word.
      if (message.row.undeliverable || (await condition.matches(message)))
        matching.push(message.row.place.uid);
    }
  }
  return matching;
}
