import { accountKey } from '../accounts/account-cache.ts';
import type { ListedMessage } from '../mail/listed-message.ts';
import type { Clock } from '../ports/clock.ts';
import { errorName, type Log } from '../ports/log.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { IndexHit, MailIndex } from '../ports/mail-index.ts';
import type { MessagePage, MissingMail, SearchQuery } from '../ports/mail-reading.ts';
import type { Mail } from '../ports/ports.ts';
import type { Reader } from '../ports/reader.ts';
import { withinLimit } from '../work/within-limit.ts';
import { accountTurns } from './account-turns.ts';
import { createFilling } from './fill-accounts.ts';
import { type Followed, type FollowLimit, type FollowParts, followMailbox } from './follow-mailbox.ts';

/**
 * Mailboxes with an index beside them: searches ask the index, everything else asks the server. The index answers only if it
 * is as current as the mailbox, or can be made so in a moment. Otherwise the server answers, and the index is filled
 * meanwhile, from the first search of an account on.
 */

export interface IndexedMailParts {
  readonly mail: Mail;
  readonly index: MailIndex;
  /** For the index alone. */
  readonly secretKey: Uint8Array;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a search may index, and how long it waits for that, before it asks the server instead. */
const SEARCH_MESSAGES = 32;
const SEARCH_BYTES = 8 * 1024 * 1024;
const SEARCH_MS = 1000;
/** How long a search waits for the index alone. */
const INDEX_MS = 5000;
/** For the calls of the mailbox in one part of filling. */
const FILL_CALL_MS = 60_000;

export function indexedMail(parts: IndexedMailParts): Mail {
  const { mail, clock, log, reader } = parts;
  const index = limitedIndex(parts);
  const follow: FollowParts = { mail, index, reader, clock };
  const turns = accountTurns();
  const filling = createFilling({
    ...{ clock, log },
    follow: (account, signal, limit) =>
      turns.next(account, () => followMailbox(follow, { account, signal, deadlineMs: FILL_CALL_MS }, limit)),
  });
  /** Accounts of which a folder was indexed anew. Of a server that does not keep to its dates, that happens once. */
  const rebuilt = new Set<string>();
  let isDown = false;
  let isClosed = false;

  /** @returns undefined if the server must be asked */
  async function searched(call: MailCall, query: SearchQuery): Promise<MessagePage | undefined> {
    const { account } = call;
    if (query.after !== undefined && query.after.by !== 'index') return undefined;
    // An account that is not saved yet is not indexed.
    if (account.accountId < 0 || isClosed || filling.isUnderWay(account)) return undefined;
    const followed = await withinLimit(
      clock,
      { signal: call.signal, ms: SEARCH_MS },
      () => turns.next(account, () => followMailbox(follow, call, searchLimit())),
      (): Followed => ({ kind: 'behind' }),
    );
    if (followed.kind === 'behind') filling.begin(account);
    if (followed.kind !== 'current' || followed.folders.length === 0) return undefined;
    const { path, unread, since } = query;
    const asked = followed.folders.filter(
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
    const validity = new Map(asked.map((folder) => [folder.path, folder.uidValidity]));
    const places = found.hits.map((hit) => ({
      path: hit.path,
      uid: hit.uid,
      uidValidity: validity.get(hit.path) ?? '',
    }));
    const there = await mail.rows(call, places);
    const restored = found.hits.find((hit, at) => isAnother(there[at], hit));
    if (restored !== undefined) {
      if (rebuilt.has(accountKey(account))) return undefined;
      rebuilt.add(accountKey(account));
      await turns.next(account, () => index.forgetFolder(account, restored.path));
      filling.begin(account);
      return undefined;
    }
    const rows = there.filter((row) => row !== undefined);
    // The whole page was removed just now: there may be more behind it.
    if (rows.length === 0 && found.hits.length > 0) return undefined;
    const missing: MissingMail[] = [
      ...(path === undefined ? followed.refused : []).map((one) => ({
        path: one,
        reason: 'refused' as const,
      })),
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

  function searchLimit(): FollowLimit {
    const untilMs = clock.now().getTime() + SEARCH_MS;
    return { messages: SEARCH_MESSAGES, bytes: SEARCH_BYTES, untilMs };
  }

  function down(error: unknown): void {
    if (isDown) return;
    isDown = true;
    log.warn('the index beside the mailboxes fails, and searches ask the mail servers', errorName(error));
  }

  return {
    ...mail,

    async search(call, query) {
      try {
        const page = await searched(call, query);
        if (page !== undefined) {
          isDown = false;
          return page;
        }
      } catch (error) {
        if (call.signal.aborted) throw error;
        // Of what failed at the server, its own search may fail, too, and says why.
        if (!(error instanceof MailError)) down(error);
      }
      if (query.after?.by === 'index') {
        throw new MailError(
          'unavailable',
          'the index that this search began with is not current; search again',
        );
      }
      return mail.search(call, query);
    },

    async forget(ownerId, accountId) {
      await mail.forget(ownerId, accountId);
      const account = { ownerId, accountId };
      filling.end(account);
      rebuilt.delete(accountKey(account));
      // An account that was never saved is not indexed.
      if (accountId > 0) await turns.next(account, () => index.forgetAccount(account)).catch(down);
    },

    async close() {
      isClosed = true;
      filling.stop();
      await mail.close();
      await index.close();
    },
  };
}

/** Whether the row is not that of the message that was indexed: its folder was restored from a backup. */
function isAnother(row: ListedMessage | undefined, { internalDateMs }: IndexHit): boolean {
  return row !== undefined && row.internalDate.getTime() !== internalDateMs;
}

/** The index, opened before its first use. Nobody waits for it longer than INDEX_MS. */
function limitedIndex({ index, secretKey, clock }: IndexedMailParts): Omit<MailIndex, 'open'> {
  let opened: Promise<void> | undefined;

  function limited<T>(use: () => Promise<T>): Promise<T> {
    return withinLimit(
      clock,
      { ms: INDEX_MS },
      async () => {
        opened ??= index.open(secretKey);
        await opened;
        return use();
      },
      () => {
        throw new Error('The index did not answer in time.');
      },
    );
  }

  return {
    folders: (account) => limited(() => index.folders(account)),
    uids: (account, path) => limited(() => index.uids(account, path)),
    save: (account, change) => limited(() => index.save(account, change)),
    forgetFolder: (account, path) => limited(() => index.forgetFolder(account, path)),
    forgetAccount: (account) => limited(() => index.forgetAccount(account)),
    search: (account, query) => limited(() => index.search(account, query)),
    close: () => index.close(),
  };
}
