import { accountKey } from '../accounts/account-cache.ts';
import type { ListedMessage, MessagePlace } from '../mail/listed-message.ts';
import type { Clock } from '../ports/clock.ts';
import { errorName, type Log } from '../ports/log.ts';
import { type MailAccount, type MailCall, MailError } from '../ports/mail.ts';
import type { IndexedAccount, IndexedPlace, IndexSize, MailIndex } from '../ports/mail-index.ts';
import type { Conversation, MessagePage, MissingMail, SearchQuery } from '../ports/mail-reading.ts';
import type { Mail } from '../ports/ports.ts';
import type { Reader } from '../ports/reader.ts';
import { withinLimit } from '../work/within-limit.ts';
import { accountTurns } from './account-turns.ts';
import { createFilling, utcDay } from './fill-accounts.ts';
import {
  type CurrentMailbox,
  type Followed,
  type FollowLimit,
  type FollowParts,
  followMailbox,
} from './follow-mailbox.ts';
import { limitedIndex } from './limited-index.ts';

/**
 * Mailboxes with an index beside them: searches and conversations ask the index, everything else asks the server. The index
 * answers only if it is as current as the mailbox, or can be made so in a moment. Otherwise the server answers, and the index
 * is filled meanwhile. Whatever is done first with an account begins to fill it.
 */

/** The index as the owner of an account sees it. */
export interface MailIndexing {
  /** @throws Error if the index fails */
  indexState(account: IndexedAccount): Promise<IndexState>;
  /** Erases the index of an account, and fills it no more in this process. */
  turnIndexOff(account: IndexedAccount): Promise<void>;
  /** Erases what there is of an account's index, and fills it anew. */
  buildIndexAgain(account: MailAccount): Promise<void>;
}

export interface IndexState extends IndexSize {
  /** `tomorrow`: as much was fetched today as a day may take. */
  readonly filling: 'idle' | 'under_way' | 'tomorrow';
}

export interface IndexedMailParts {
  readonly mail: Mail;
  readonly index: MailIndex;
  /** For the index alone. */
  readonly secretKey: Uint8Array;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Log;
}

/** What may be indexed for a call, and how long it waits for that, before the server is asked instead. */
const FOLLOW_MESSAGES = 32;
const FOLLOW_BYTES = 8 * 1024 * 1024;
const FOLLOW_MS = 1000;
/** For the calls of the mailbox in one part of filling. */
const FILL_CALL_MS = 60_000;

export function indexedMail(parts: IndexedMailParts): Mail & MailIndexing {
  const { mail, clock, log, reader } = parts;
  const index = limitedIndex(parts.index, parts.secretKey, clock);
  const follow: FollowParts = { mail, index, reader, clock };
  const turns = accountTurns();
  const filling = createFilling({
    ...{ clock, log, index },
    follow: (account, signal, limit) => inTurn({ account, signal, deadlineMs: FILL_CALL_MS }, limit),
  });
  /** Accounts of which a folder was indexed anew. Of a server that does not keep to its dates, that happens once. */
  const rebuilt = new Set<string>();
  /** Accounts whose owner turned their index off: calls that began before may still name them as indexed. */
  const turnedOff = new Set<string>();
  /** The day on which the index of an account was last begun, or that it was erased because its owner wants none. */
  const met = new Map<string, number | 'erased'>();
  let isDown = false;
  const closing = new AbortController();

  /** One that is not saved yet is not indexed. */
  function isWanted(account: MailAccount): boolean {
    const { accountId, isIndexed = true } = account;
    return accountId >= 0 && isIndexed && !closing.signal.aborted && !turnedOff.has(accountKey(account));
  }

  function mayAsk(account: MailAccount): boolean {
    return isWanted(account) && !filling.isUnderWay(account);
  }

  /** Nothing is indexed for what was ended while it waited for its turn. */
  function inTurn(call: MailCall, limit: FollowLimit): Promise<Followed> {
    const isEnded = () => call.signal.aborted || !isWanted(call.account);
    return turns.next(call.account, async () =>
      isEnded() ? { kind: 'behind' } : followMailbox(follow, call, limit),
    );
  }

  function fill(account: MailAccount): void {
    if (isWanted(account)) filling.begin(account);
  }

  /** @returns undefined if the server must be asked */
  async function followed(call: MailCall): Promise<CurrentMailbox | undefined> {
    const { account } = call;
    const mailbox = await withinLimit(
      clock,
      { signal: call.signal, ms: FOLLOW_MS },
      () => inTurn(call, callLimit()),
      (): Followed => ({ kind: 'behind' }),
    );
    if (mailbox.kind === 'behind') fill(account);
    return mailbox.kind === 'current' && mailbox.folders.length > 0 ? mailbox : undefined;
  }

  /** Whatever is done first with an account on a day brings its index up to date, or begins to fill it. */
  async function meet<T>(account: MailAccount, work: Promise<T>): Promise<T> {
    const answer = await work;
    const name = accountKey(account);
    const now = account.isIndexed === false ? 'erased' : utcDay(clock);
    if (met.get(name) === now) return answer;
    if (now === 'erased') {
      // Turned off in another process, or not erased when it was.
      met.set(name, now);
      filling.end(account);
      erase(account).catch(down);
    } else if (mayAsk(account)) {
      met.set(name, now);
      const call = { account, signal: closing.signal, deadlineMs: FOLLOW_MS };
      followed(call).catch((error: unknown) => {
        // What fails at the server is noticed by the calls that ask it.
        if (!(error instanceof MailError)) down(error);
      });
    }
    return answer;
  }

  /** @returns undefined if the server must be asked */
  async function searched(call: MailCall, query: SearchQuery): Promise<MessagePage | undefined> {
    const { account } = call;
    if (query.after !== undefined && query.after.by !== 'index') return undefined;
    if (!mayAsk(account)) return undefined;
    const mailbox = await followed(call);
    if (mailbox === undefined) return undefined;
    const { path, unread, since } = query;
    const asked = mailbox.folders.filter(
      (folder) => path === undefined || (folder.path === path && !folder.isPart),
    );
    if (asked.length === 0) return undefined;
    const folders: { path: string; among: readonly number[] | undefined }[] = [];
    for (const folder of asked) {
      const among = unread ? (await mail.uids(call, { path: folder.path, unread })).uids : undefined;
      folders.push({ path: folder.path, among });
    }
    const found = await index.search(account, {
      ...{ words: query.words, from: query.from, after: query.after, limit: query.limit, folders },
      sinceMs: since === undefined ? undefined : Date.parse(since),
    });
    if (found === 'unanswerable') return undefined;
    const rows = await rowsAt(call, mailbox, found.hits);
    // The whole page was removed just now: there may be more behind it.
    if (rows === undefined || (rows.length === 0 && found.hits.length > 0)) return undefined;
    const missing: MissingMail[] = [
      ...(path === undefined ? refusedIn(mailbox) : []),
      ...[...found.unknown].map(([one, messages]) => ({
        path: one,
        reason: 'undeliverable' as const,
        messages,
      })),
    ];
    return {
      ...{ rows, more: found.more, total: found.total, by: 'index' },
      ...(!found.isExact && { isExact: false }),
      ...(missing.length > 0 && { missing }),
    };
  }

  /** @returns undefined if the server must be asked, also because the message is not indexed */
  async function conversation(call: MailCall, place: MessagePlace): Promise<Conversation | undefined> {
    const { account } = call;
    if (!mayAsk(account)) return undefined;
    // No reason to compare the mailbox with the index.
    if ((await index.conversation(account, place)) === 'unanswerable') return undefined;
    const mailbox = await followed(call);
    if (mailbox === undefined) return undefined;
    const found = await index.conversation(account, place);
    if (found === 'unanswerable' || found.length === 0) return undefined;
    const rows = await rowsAt(call, mailbox, found);
    const isThere = rows?.some((row) => row.place.path === place.path && row.place.uid === place.uid);
    if (rows === undefined || isThere !== true) return undefined;
    return { rows, missing: refusedIn(mailbox) };
  }

  /** @returns undefined if one of them is not the message that was indexed. Those that are gone are left out */
  async function rowsAt(
    call: MailCall,
    { folders }: CurrentMailbox,
    found: readonly IndexedPlace[],
  ): Promise<readonly ListedMessage[] | undefined> {
    const { account } = call;
    const validity = new Map(folders.map((folder) => [folder.path, folder.uidValidity]));
    const places = found.map(({ path, uid }) => ({ path, uid, uidValidity: validity.get(path) ?? '' }));
    const rows = await mail.rows(call, places);
    const restored = found.find((place, at) => isAnother(rows[at], place));
    if (restored === undefined) return rows.filter((row) => row !== undefined);
    if (rebuilt.has(accountKey(account))) return undefined;
    rebuilt.add(accountKey(account));
    await turns.next(account, () => index.forgetFolder(account, restored.path));
    fill(account);
    return undefined;
  }

  /** Asks the index. @returns undefined if the server must be asked */
  async function byIndex<T>(call: MailCall, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      const answer = await ask();
      if (answer !== undefined) isDown = false;
      return answer;
    } catch (error) {
      if (call.signal.aborted) throw error;
      // What failed at the server may fail once more when it is asked without the index, and then says why.
      if (!(error instanceof MailError)) down(error);
      return undefined;
    }
  }

  function callLimit(): FollowLimit {
    const untilMs = clock.now().getTime() + FOLLOW_MS;
    return { messages: FOLLOW_MESSAGES, bytes: FOLLOW_BYTES, untilMs };
  }

  function down(error: unknown): void {
    if (isDown || closing.signal.aborted) return;
    isDown = true;
    log.warn('the index beside the mailboxes fails, and searches ask the mail servers', errorName(error));
  }

  async function erase(account: IndexedAccount): Promise<void> {
    rebuilt.delete(accountKey(account));
    await turns.next(account, () => index.forgetAccount(account));
  }

  return {
    ...mail,

    async indexState(account) {
      const size = await index.size(account);
      if (filling.isUnderWay(account)) return { ...size, filling: 'under_way' };
      return { ...size, filling: (await filling.isOverForToday(account)) ? 'tomorrow' : 'idle' };
    },
    async turnIndexOff(account) {
      turnedOff.add(accountKey(account));
      filling.end(account);
      await erase(account);
      met.set(accountKey(account), 'erased');
    },
    async buildIndexAgain(account) {
      turnedOff.delete(accountKey(account));
      filling.end(account);
      await erase(account);
      met.set(accountKey(account), utcDay(clock));
      fill(account);
    },

    verify: (call, server) => meet(call.account, mail.verify(call, server)),
    list: (call, query) => meet(call.account, mail.list(call, query)),
    read: (call, place) => meet(call.account, mail.read(call, place)),
    visitInbox: (call, visit) => meet(call.account, mail.visitInbox(call, visit)),

    async search(call, query) {
      const page = await byIndex(call, () => searched(call, query));
      if (page !== undefined) return page;
      if (query.after?.by === 'index') {
        throw new MailError(
          'unavailable',
          'the index that this search began with is not current; search again',
        );
      }
      return mail.search(call, query);
    },

    async thread(call, place) {
      return (await byIndex(call, () => conversation(call, place))) ?? mail.thread(call, place);
    },

    async forget(ownerId, accountId) {
      await mail.forget(ownerId, accountId);
      const account = { ownerId, accountId };
      filling.end(account);
      turnedOff.delete(accountKey(account));
      met.delete(accountKey(account));
      // An account that was never saved is not indexed.
      if (accountId > 0) await erase(account).catch(down);
    },

    async close() {
      closing.abort();
      filling.stop();
      await mail.close();
      await index.close();
    },
  };
}

/** Whether the row is not that of the message that was indexed: its folder was restored from a backup. */
function isAnother(row: ListedMessage | undefined, { internalDateMs }: IndexedPlace): boolean {
  return row !== undefined && row.internalDate.getTime() !== internalDateMs;
}

function refusedIn({ refused }: CurrentMailbox): MissingMail[] {
  return refused.map((path) => ({ path, reason: 'refused' }));
}
