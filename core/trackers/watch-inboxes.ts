import { mailCall } from '../accounts/mail-call.ts';
import { mailReader } from '../accounts/mail-reader.ts';
import { type ReadMessage, readMessages } from '../accounts/read-message.ts';
import { targetName } from '../actions/message-target.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { named } from '../ports/log.ts';
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
 * Looks for new mail in the inboxes of owners whose trackers wait for some, and links it. A tracker is linked to what
 * is received after it was made. Position and links are written together, so that a crash links nothing twice and
 * forgets nothing.
 */
export interface InboxWatch {
  /** One look at each inbox. An account that cannot be asked is logged, and left alone for a while. */
  round(): Promise<void>;
  /** Ends what is under way. */
  stop(): void;
}

const AT_ONCE = 4;
const CALL_MS = MINUTE_MS;
const RETRY_FIRST_MS = MINUTE_MS;
const RETRY_MOST_MS = 30 * MINUTE_MS;
/** On the first look at an inbox, or after its UIDVALIDITY changed, messages received within this window count as new. */
const FIRST_LOOK_MS = 10 * MINUTE_MS;
/** But from the first tracker on, where that was made within this time: the inbox could not be looked at since. */
const UNSEEN_MS = DAY_MS;
const ROWS_OF_PAGE = 200;
/** More new messages than this are passed over, the oldest of them: somebody moved a mailbox. */
const BACKLOG_MOST = 5000;
const READ_AT_ONCE = 20;
/** Failures in a row after which a message that cannot be read is passed over. */
const PASSED_OVER_AFTER = 3;
/** Code units of a sender or subject that are looked at. */
const HEADER_CHARS = 5000;
/** What is looked at of a text. */
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
    const found = await newMail(call, inbox.position, async () => (await rulesOf(ownerId)).madeMs);
    if (found === undefined) return;
    let from = inbox.position;
    for (let at = 0; at === 0 || at < found.rows.length; at += READ_AT_ONCE) {
      const rows = found.rows.slice(at, at + READ_AT_ONCE);
      const last = rows.at(-1);
      const isEnd = last === undefined || at + READ_AT_ONCE >= found.rows.length;
      const to = isEnd ? found.to : positionOf(last);
      const links = rows.length === 0 ? [] : await linksOf(call, rows, await rulesOf(ownerId));
      // Another process has looked there too: what it found is linked.
      if (!(await storage.watched({ ownerId, accountId, from, to, links, now: clock.now() }))) return;
      from = to;
    }
  }

  /**
   * What came behind the position, oldest first; undefined where nothing is to be written down.
   * @param madeMs when the first of the owner's trackers was made
   */
  async function newMail(
    call: MailCall,
    position: InboxPosition | undefined,
    madeMs: () => Promise<number>,
  ): Promise<{ readonly rows: readonly MessageRow[]; readonly to: InboxPosition } | undefined> {
    const inbox = { path: 'INBOX', unread: false, after: undefined } as const;
    const [newest] = (await mail.list(call, { ...inbox, order: 'uid', limit: 1 })).rows;
    if (newest === undefined) return position === undefined ? { rows: [], to: EMPTY } : undefined;
    const to = positionOf(newest);
    const goesOn =
      position !== undefined && [null, to.uidValidity].includes(position.uidValidity) ? position : undefined;
    // Newer mail may have been removed: what was looked at stays looked at.
    if (goesOn !== undefined && goesOn.uid >= to.uid) return undefined;
    const nowMs = clock.now().getTime();
    const firstMs = position === undefined ? await madeMs() : 0;
    const sinceMs = firstMs >= nowMs - UNSEEN_MS ? firstMs : nowMs - FIRST_LOOK_MS;
    const rows =
      goesOn === undefined
        ? await rowsWhile(call, { ...inbox, order: 'date' }, (row) => row.internalDate.getTime() >= sinceMs)
        : await rowsWhile(call, { ...inbox, order: 'uid' }, (row) => row.place.uid > goesOn.uid);
    // What arrived since the first question is behind the position, and looked at the next time.
    return { rows: rows.filter(({ place }) => place.uid <= to.uid).sort(byUid), to };
  }

  /** The first rows of a list, up to the one that is not new. */
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
        log.warn('more new mail than is looked at', { account: call.account.accountId, looked: rows.length });
        return rows;
      }
      const { uidValidity, uid } = last.place;
      after = { uidValidity, uid, internalDateMs: last.internalDate.getTime() };
    }
  }

  async function linksOf(call: MailCall, rows: readonly MessageRow[], rules: Rules) {
    const messages = await messagesOf(call, rows);
    return rows.flatMap((row, index) => {
      // It was moved or removed since it was listed: it is no mail of the inbox any more.
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
   * The messages of those rows, undefined for those that are gone. One that the server does not give must not hold up
   * what is behind it for ever: after some failures it goes by its sender and subject alone, one message a look.
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
        log.warn('a new message could not be read', { account: call.account.accountId, ...named(error) });
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

  /** The keywords of an owner are read when the first of the owner's new messages needs them, once a round. */
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
              ...named(error),
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
  /** As a person sees it; where it cannot be read, why. */
  readonly text: string;
  /** What keywords are looked for in. */
  readonly matched: string;
}

/** What the trackers of one owner wait for. */
interface Rules {
  /** When the first of them was made. */
  readonly madeMs: number;
  trackersFor(row: MessageRow, text: string): number[];
}

function rulesFor(trackers: readonly WaitingTracker[]): Rules {
  const index: KeywordIndex = keywordIndex(trackers);
  // Servers date what they receive to the second.
  const madeAt = new Map(
    trackers.map(({ trackerId, createdAt }) => [trackerId, Math.floor(createdAt.getTime() / 1000) * 1000]),
  );
  return {
    madeMs: Math.min(...madeAt.values()),
    trackersFor(row, text) {
      const received = row.internalDate.getTime();
      // A stranger's header may be as long as a book.
      const texts = [row.from.slice(0, HEADER_CHARS), row.subject.slice(0, HEADER_CHARS), text];
      return index.matches(texts).filter((trackerId) => received >= (madeAt.get(trackerId) ?? 0));
    },
  };
}
