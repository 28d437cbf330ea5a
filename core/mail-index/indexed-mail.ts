import type { ListedMessage, MessagePlace } from '../mail/listed-message.ts';
import { errorName } from '../ports/log.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { IndexedPlace, MailIndex } from '../ports/mail-index.ts';
import type { Conversation, MessagePage, MissingMail, SearchQuery } from '../ports/mail-reading.ts';
import type { Mail } from '../ports/ports.ts';
import type { CurrentMailbox } from './follow-mailbox.ts';
import { createKeptIndex, type KeptIndexParts, type MailIndexing } from './kept-index.ts';
import { limitedIndex } from './limited-index.ts';

/**
 * Mailboxes with an index beside them: searches and conversations ask the index, everything else asks the server. The index
 * answers only if it is as current as the mailbox, or can be made so in a moment. Otherwise the server answers, and the index
 * is filled meanwhile. Whatever is done first with an account begins to fill it.
 */

export interface IndexedMailParts extends Omit<KeptIndexParts, 'down'> {
  readonly mail: Mail;
  readonly index: MailIndex;
  /** For the index alone. */
  readonly secretKey: Uint8Array;
}

export function indexedMail(parts: IndexedMailParts): Mail & MailIndexing {
  const { mail, clock, log } = parts;
  const index = limitedIndex(parts.index, parts.secretKey, clock);
  const kept = createKeptIndex({ ...parts, index, down });
  let isDown = false;
  let isClosed = false;

  /** @returns undefined if the server must be asked */
  async function searched(call: MailCall, query: SearchQuery): Promise<MessagePage | undefined> {
    const { account } = call;
    if (query.after !== undefined && query.after.by !== 'index') return undefined;
    if (!kept.mayAsk(account)) return undefined;
    const mailbox = await kept.followed(call);
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
    if (!kept.mayAsk(account)) return undefined;
    // No reason to compare the mailbox with the index.
    if ((await index.conversation(account, place)) === 'unanswerable') return undefined;
    const mailbox = await kept.followed(call);
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
    const validity = new Map(folders.map((folder) => [folder.path, folder.uidValidity]));
    const places = found.map(({ path, uid }) => ({ path, uid, uidValidity: validity.get(path) ?? '' }));
    const rows = await mail.rows(call, places);
    const restored = found.find((place, at) => isAnother(rows[at], place));
    if (restored === undefined) return rows.filter((row) => row !== undefined);
    await kept.restored(call.account, restored.path);
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

  function down(error: unknown): void {
    if (isDown || isClosed) return;
    isDown = true;
    log.warn('the index beside the mailboxes fails, and searches ask the mail servers', errorName(error));
  }

  return {
    ...mail,
    indexState: kept.indexState,
    indexedAccounts: kept.indexedAccounts,
    eraseIndex: kept.eraseIndex,
    turnIndexOff: kept.turnIndexOff,
    buildIndexAgain: kept.buildIndexAgain,

    verify: (call, server) => kept.meet(call.account, mail.verify(call, server)),
    list: (call, query) => kept.meet(call.account, mail.list(call, query)),
    read: (call, place) => kept.meet(call.account, mail.read(call, place)),
    visitInbox: (call, visit) => kept.meet(call.account, mail.visitInbox(call, visit)),

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

    async close() {
      isClosed = true;
      kept.stop();
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
