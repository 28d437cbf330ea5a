import { mailCall } from '../accounts/mail-call.ts';
import { mailReader } from '../accounts/mail-reader.ts';
import { type ReadMessage, readMessages } from '../accounts/read-message.ts';
import { targetName } from '../actions/message-target.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { errorName } from '../ports/log.ts';
import type { MailCall } from '../ports/mail.ts';
import type { ListQuery } from '../ports/mail-reading.ts';
import type { Ports } from '../ports/ports.ts';
import type { InboxPosition, WaitingTracker, WatchedInbox } from '../ports/watch-storage.ts';
import type { TextWindow } from '../reading/message-job.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { createBackoff } from '../time/backoff.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';
import { linkedMessage } from './linked-message.ts';
import { type KeywordIndex, keywordIndex } from './tracker-rules.ts';

/**
 * Watches the inboxes of owners whose trackers have keywords, and links new mail. A tracker only gets messages
 * received after it was created. Position and links are written together, so a crash neither links twice nor loses a
 * link.
 */
export interface InboxWatch {
  /** Checks every inbox once. A failure is logged, and the account waits for a while. */
  round(): Promise<void>;
  /** Ends the work in progress. */
  stop(): void;
}

const AT_ONCE = 4;
const CALL_MS = MINUTE_MS;
const RETRY_FIRST_MS = MINUTE_MS;
const RETRY_MOST_MS = 30 * MINUTE_MS;
/** On the first look at an inbox, or after its UIDVALIDITY changed, messages received within this window count as new. */
const FIRST_LOOK_MS = 10 * MINUTE_MS;
/** If the first tracker was created within this window, messages since then count: no round could see them yet. */
const UNSEEN_MS = DAY_MS;
const ROWS_OF_PAGE = 200;
/** If there are more new messages, the oldest are skipped: somebody moved a mailbox. */
const BACKLOG_MOST = 5000;
const READ_AT_ONCE = 20;
/** After this many failures in a row, a message that cannot be read is skipped. */
const PASSED_OVER_AFTER = 3;
/** Code units of a sender or subject that are compared. */
const HEADER_CHARS = 5000;
/** The part of a text that is compared. */
const MATCHED: TextWindow = { from: 0, most: 50_000 };

export function createInboxWatch(ports: Ports, keyring: Keyring): InboxWatch {
  const { storage, clock, log } = ports;
  const mail = mailReader(ports.mail, clock);
  const backoff = createBackoff(RETRY_FIRST_MS, RETRY_MOST_MS);
  const abort = new AbortController();

  async function look(inbox: WatchedInbox, rulesOf: (ownerId: string) => Promise<Rules>): Promise<void> {
    const { account } = inbox;
    const { ownerId, accountId } = account;
    const call = mailCall(keyring, account, abort.signal, CALL_MS);
    const found = await newMail(call, inbox.position, async () => (await rulesOf(ownerId)).oldestMs);
    if (found === undefined) return;
    let from = inbox.position;
    for (let at = 0; at === 0 || at < found.rows.length; at += READ_AT_ONCE) {
      const rows = found.rows.slice(at, at + READ_AT_ONCE);
      const last = rows.at(-1);
      const isEnd = last === undefined || at + READ_AT_ONCE >= found.rows.length;
      const to = isEnd ? found.to : positionOf(last);
      const links = rows.length === 0 ? [] : await linksOf(call, rows, await rulesOf(ownerId));
      // Another process checked the inbox too and has linked what it found.
      if (!(await storage.watched({ ownerId, accountId, from, to, links, now: clock.now() }))) return;
      from = to;
    }
  }

  /**
   * Returns the messages after the position, oldest first. Undefined if there is nothing to write down.
   * @param oldestMs when the first of the owner's trackers was created
   */
  async function newMail(
    call: MailCall,
    position: InboxPosition | undefined,
    oldestMs: () => Promise<number>,
  ): Promise<{ readonly rows: readonly MessageRow[]; readonly to: InboxPosition } | undefined> {
    const inbox = { path: 'INBOX', unread: false, after: undefined } as const;
    const [newest] = (await mail.list(call, { ...inbox, order: 'uid', limit: 1 })).rows;
    if (newest === undefined) return position === undefined ? { rows: [], to: EMPTY } : undefined;
    const to = positionOf(newest);
    const resumeAt =
      position !== undefined && [null, to.uidValidity].includes(position.uidValidity) ? position : undefined;
    // Newer mail may have been removed: the position never goes back.
    if (resumeAt !== undefined && resumeAt.uid >= to.uid) return undefined;
    const nowMs = clock.now().getTime();
    const firstMs = position === undefined ? await oldestMs() : 0;
    const sinceMs = firstMs >= nowMs - UNSEEN_MS ? firstMs : nowMs - FIRST_LOOK_MS;
    const rows =
      resumeAt === undefined
        ? await rowsWhile(call, { ...inbox, order: 'date' }, (row) => row.internalDate.getTime() >= sinceMs)
        : await rowsWhile(call, { ...inbox, order: 'uid' }, (row) => row.place.uid > resumeAt.uid);
    // Messages that arrived after the first list are after the position, and the next round finds them.
    return { rows: rows.filter(({ place }) => place.uid <= to.uid).sort(byUid), to };
  }

  /** The first rows of a list, up to the first one that is not new. */
  async function rowsWhile(
    call: MailCall,
    list: Omit<ListQuery, 'limit'>,
    isNew: (row: MessageRow) => boolean,
  ): Promise<MessageRow[]> {
    const rows: MessageRow[] = [];
    let { after } = list;
    for (;;) {
      const page = await mail.list(call, { ...list, after, limit: ROWS_OF_PAGE });
      const firstOld = page.rows.findIndex((row) => !isNew(row));
      rows.push(...(firstOld === -1 ? page.rows : page.rows.slice(0, firstOld)));
      const last = page.rows.at(-1);
      if (firstOld !== -1 || !page.more || last === undefined) return rows;
      if (rows.length >= BACKLOG_MOST) {
        log.warn('more new mail than one round reads', {
          account: call.account.accountId,
          looked: rows.length,
        });
        return rows;
      }
      const { uidValidity, uid } = last.place;
      after = { uidValidity, uid, internalDateMs: last.internalDate.getTime() };
    }
  }

  async function linksOf(call: MailCall, rows: readonly MessageRow[], rules: Rules) {
    const messages = await messagesOf(call, rows);
    return rows.flatMap((row, index) => {
      // It was moved or removed after it was listed, so it is no longer in the inbox.
      const read = messages[index];
      if (read === undefined) return [];
      const trackerIds = rules.trackersFor(row, read.matched);
      if (trackerIds.length === 0) return [];
      const message = linkedMessage(call.account.accountId, row, read.text);
      return trackerIds.map((trackerId) => ({
        trackerId,
        target: targetName(message.accountId, message),
        message,
      }));
    });
  }

  /**
   * Reads the messages of those rows; undefined for messages that no longer exist. A message that the server does not
   * return must not block later ones forever: after some failures its sender and subject alone count, one per round.
   */
  async function messagesOf(
    call: MailCall,
    rows: readonly MessageRow[],
  ): Promise<(NewMessage | undefined)[]> {
    if (backoff.failures(keyOf(call.account)) < PASSED_OVER_AFTER) return read(call, rows);
    const messages: (NewMessage | undefined)[] = [];
    let passedOver = false;
    for (const row of rows) {
      try {
        messages.push(...(await read(call, [row])));
      } catch (error) {
        if (passedOver || abort.signal.aborted) throw error;
        passedOver = true;
        log.warn('a new message could not be read', { account: call.account.accountId, ...errorName(error) });
        messages.push({ text: '', matched: '' });
      }
    }
    return messages;
  }

  async function read(call: MailCall, rows: readonly MessageRow[]): Promise<(NewMessage | undefined)[]> {
    const messages: (NewMessage | undefined)[] = [];
    const reading = { window: MATCHED, untilMs: Number.POSITIVE_INFINITY };
    for await (const message of readMessages(ports, call, rows, reading)) {
      messages.push(message && newMessage(call, message));
    }
    return messages;
  }

  function newMessage(call: MailCall, { body, unreadable }: ReadMessage): NewMessage {
    if (unreadable === null) return { text: body.text, matched: body.text };
    const account = call.account.accountId;
    log.warn('a new message could not be read', { account, reason: unreadable });
    return { text: body.text, matched: '' };
  }

  /** The keywords of an owner are read when the owner's first new message needs them, once per round. */
  function rulesOfRound(): (ownerId: string) => Promise<Rules> {
    const known = new Map<string, Promise<Rules>>();
    return (ownerId) => {
      const rules = known.get(ownerId) ?? storage.waitingTrackers(ownerId).then(rulesFor);
      known.set(ownerId, rules);
      return rules;
    };
  }

  return {
    async round() {
      const rulesOf = rulesOfRound();
      const inboxes = await storage.inboxesToWatch();
      const due = inboxes.filter(({ account }) => backoff.isDue(keyOf(account), clock.now()));
      const queue = due.values();
      const work = async () => {
        for (const inbox of queue) {
          if (abort.signal.aborted) return;
          const key = keyOf(inbox.account);
          try {
            await look(inbox, rulesOf);
            backoff.succeeded(key);
          } catch (error) {
            if (abort.signal.aborted) return;
            backoff.failed(key, clock.now());
            const { ownerId, accountId } = inbox.account;
            log.warn('an inbox could not be watched', {
              owner: ownerId,
              account: accountId,
              ...errorName(error),
            });
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
    stop: () => abort.abort(),
  };
}

const EMPTY: InboxPosition = { uidValidity: null, uid: 0 };

function positionOf({ place }: MessageRow): InboxPosition {
  return { uidValidity: place.uidValidity, uid: place.uid };
}

function byUid(a: MessageRow, b: MessageRow): number {
  return a.place.uid - b.place.uid;
}

function keyOf({ ownerId, accountId }: { readonly ownerId: string; readonly accountId: number }): string {
  return `${ownerId}\n${accountId}`;
}

interface NewMessage {
  /** As a person sees it. If it cannot be read, the reason. */
  readonly text: string;
  /** The text that keywords are compared with. */
  readonly matched: string;
}

/** The rules of one owner's trackers. */
interface Rules {
  /** When the first of them was created. */
  readonly oldestMs: number;
  trackersFor(row: MessageRow, text: string): number[];
}

function rulesFor(trackers: readonly WaitingTracker[]): Rules {
  const index: KeywordIndex = keywordIndex(trackers);
  // Servers store the time of receipt in whole seconds.
  const createdMs = new Map(
    trackers.map(({ trackerId, createdAt }) => [trackerId, Math.floor(createdAt.getTime() / 1000) * 1000]),
  );
  return {
    oldestMs: Math.min(...createdMs.values()),
    trackersFor(row, text) {
      const received = row.internalDate.getTime();
      // Untrusted headers can be as long as a book.
      const texts = [row.from.slice(0, HEADER_CHARS), row.subject.slice(0, HEADER_CHARS), text];
      return index.matches(texts).filter((trackerId) => received >= (createdMs.get(trackerId) ?? 0));
    },
  };
}
