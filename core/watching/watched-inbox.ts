import { mailCall } from '../accounts/mail-call.ts';
import { type MailReader, mailReader } from '../accounts/mail-reader.ts';
import type { MessageHandles } from '../call/message-handles.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { errorName } from '../ports/log.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { OpenInbox } from '../ports/mail-watching.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Backoff } from '../time/backoff.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { linksOf, type NewMessage, readNewMessages, WITHOUT_TEXT } from '../trackers/link-messages.ts';
import { identityOf } from './inbox-position.ts';
import type { InboxPosition, InboxReader } from './inbox-state.ts';
import type { InboxStep } from './inbox-storage.ts';
import type { LeasedInbox } from './lease-storage.ts';
import { type Batch, isAt, nextBatch } from './next-batch.ts';

/** One inbox that this process has leased. */
export interface WatchedInbox {
  readonly ownerId: string;
  readonly accountId: number;
  readonly fence: number;
  /** Of the account's settings that it uses. */
  readonly revision: number;
  /** For the failures of this inbox. */
  readonly key: string;
  /** Takes over what storage says of the inbox. @returns whether a visit is due for that reason */
  update(leased: LeasedInbox): boolean;
  /** A write failed, or its answer was lost. Nothing more is read until `update` says how far the inbox is read. */
  isStale(): boolean;
  /**
   * Visits the inbox for as long as the server announces new mail, or once if it cannot.
   * @param isAnnounced  opens a connection that waits for announcements
   * @param onVisited  called after each visit
   * @throws MailError
   */
  watch(isAnnounced: boolean, onVisited: () => void): Promise<void>;
  /** Visits the inbox once. @throws MailError */
  visit(): Promise<void>;
  /** Links new mail again if that failed and is due. */
  retryLinks(): void;
  /** Resolves when no new mail is being linked. */
  settled(): Promise<void>;
  /** Ends the work in progress. */
  end(): void;
}

export interface WatchParts {
  readonly ports: Ports;
  readonly keyring: Keyring;
  readonly handles: MessageHandles;
  /** For the failures of linking. */
  readonly linkBackoff: Backoff;
}

/** For opening an inbox, and for each command. */
const CALL_MS = MINUTE_MS;
/** Events of one write. */
const TOLD_AT_ONCE = 100;
/** Messages whose text is read at once. */
const READ_AT_ONCE = 20;
/** After this many failures in a row, a message that cannot be read is skipped. */
const PASSED_OVER_AFTER = 3;
/** A server that could not announce may be able to later, after an upgrade or when connections are free again. */
const ANNOUNCE_AGAIN_MS = 30 * MINUTE_MS;

interface Reading {
  /** Undefined: nothing needs this reader. */
  position: InboxPosition | undefined;
  isStale: boolean;
  /** The work under way: each reader does one thing at a time. */
  turn: Promise<unknown>;
}

export function watchedInbox(
  { ports, keyring, handles, linkBackoff }: WatchParts,
  leased: LeasedInbox,
): WatchedInbox {
  const { storage, clock, log } = ports;
  const mail: MailReader = mailReader(ports.mail, clock);
  const { fence, account } = leased;
  const { ownerId, accountId } = account;
  const key = `${ownerId}\n${accountId}`;
  const abort = new AbortController();
  const call: MailCall = mailCall(ports, keyring, account, abort.signal, CALL_MS);
  const readings: Record<InboxReader, Reading> = {
    events: reading(leased.positions.events),
    links: reading(leased.positions.links),
  };
  let announceAgainMs = 0;
  let linking: Promise<void> | undefined;
  let isLinkDue = false;

  const canRead = ({ position, isStale }: Reading) =>
    position !== undefined && !isStale && !abort.signal.aborted ? position : undefined;

  /** Writes one step of a reader. If that fails, nobody knows how far the inbox is read. */
  async function step(
    reader: InboxReader,
    from: InboxPosition,
    to: InboxPosition,
    found: Pick<InboxStep, 'received' | 'links'>,
  ): Promise<void> {
    const state = readings[reader];
    state.isStale = true;
    const isDone = await storage.advanceInbox({
      ownerId,
      accountId,
      fence,
      reader,
      from,
      to,
      ...found,
      now: clock.now(),
    });
    if (!isDone) return;
    state.position = to;
    state.isStale = false;
  }

  function inTurn<T>(state: Reading, work: () => Promise<T>): Promise<T> {
    const done = state.turn.then(work);
    state.turn = done.catch(() => undefined);
    return done;
  }

  async function visitOpen(inbox: OpenInbox): Promise<void> {
    await inTurn(readings.events, () => tell(inbox));
    if (canRead(readings.links) === undefined) return;
    isLinkDue = true;
    link();
  }

  /** Writes an event for each new message. Needs its row only, so it does not wait for any text. */
  async function tell(inbox: OpenInbox): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      const from = canRead(readings.events);
      if (from === undefined) return;
      const size = { isFirst, limit: TOLD_AT_ONCE };
      const { fresh, to, isEnd } = await nextBatch({ mail, clock }, call, inbox, from, size);
      const ids = await handles.idsOf(
        ownerId,
        fresh.map((row) => ({ ...row, accountId })),
      );
      const received = fresh.map((row, at) => ({ identity: identityOf(row), messageId: ids[at] ?? '' }));
      if (!isAt(from, to)) await step('events', from, to, { received, links: [] });
      if (isEnd) return;
    }
  }

  function link(): void {
    linking ??= linkAll().finally(() => {
      linking = undefined;
    });
  }

  /** Never rejects. */
  async function linkAll(): Promise<void> {
    while (isLinkDue && linkBackoff.isDue(key, clock.now())) {
      isLinkDue = false;
      try {
        await linkNewMail();
        linkBackoff.succeeded(key);
      } catch (error) {
        if (abort.signal.aborted) return;
        isLinkDue = true;
        linkBackoff.failed(key, clock.now());
        log.warn('new mail could not be linked', { owner: ownerId, account: accountId, ...errorName(error) });
      }
    }
  }

  async function linkNewMail(): Promise<void> {
    for (;;) {
      const from = canRead(readings.links);
      if (from === undefined) return;
      const { fresh, to, isEnd } = await batchOf(from);
      if (!isAt(from, to)) {
        const links = fresh.length === 0 ? [] : await linksOfNew(fresh, to);
        await step('links', from, to, { received: [], links });
      }
      if (isEnd) return;
    }
  }

  /** The texts are read after the visit, so that they keep no connection to the inbox busy. */
  async function batchOf(from: InboxPosition): Promise<Batch> {
    let batch: Batch | undefined;
    await ports.mail.visitInbox(call, async (inbox) => {
      batch = await nextBatch({ mail, clock }, call, inbox, from, { isFirst: true, limit: READ_AT_ONCE });
    });
    if (batch === undefined) throw new Error('The mailbox port did not visit the inbox.');
    return batch;
  }

  async function linksOfNew(rows: readonly MessageRow[], { uidValidity }: InboxPosition) {
    const trackers = await storage.waitingTrackers(ownerId);
    const messages = await messagesOf(rows);
    if (messages.includes(undefined)) await checkSame(uidValidity);
    const found = rows.flatMap((row, index) => {
      const message = messages[index];
      // It was moved or removed after it was listed, so it is no longer in the inbox.
      return message === undefined ? [] : [{ row, message }];
    });
    return linksOf(trackers, accountId, found);
  }

  /**
   * Messages of an inbox that was recreated are not found by their old UIDs, but still there.
   * @throws MailError unavailable if the inbox was recreated
   */
  async function checkSame(uidValidity: string | null): Promise<void> {
    await ports.mail.visitInbox(call, async (inbox) => {
      if (inbox.uidValidity === uidValidity) return;
      throw new MailError('unavailable', 'the inbox was replaced while it was read');
    });
  }

  /**
   * A message that the server does not return must not block later ones forever: after some failures its sender and
   * subject alone count, one per try.
   */
  async function messagesOf(rows: readonly MessageRow[]): Promise<(NewMessage | undefined)[]> {
    if (linkBackoff.failures(key) < PASSED_OVER_AFTER) return readNewMessages(ports, call, rows);
    const messages: (NewMessage | undefined)[] = [];
    let passedOver = false;
    for (const row of rows) {
      try {
        for (const message of await readNewMessages(ports, call, [row])) messages.push(message);
      } catch (error) {
        if (passedOver || abort.signal.aborted) throw error;
        passedOver = true;
        log.warn('a new message could not be read', { account: accountId, ...errorName(error) });
        messages.push(WITHOUT_TEXT);
      }
    }
    return messages;
  }

  return {
    ownerId,
    accountId,
    fence,
    revision: account.revision,
    key,
    update({ positions }) {
      const isUpdated = (['events', 'links'] as const).map((reader) => {
        const state = readings[reader];
        const position = positions[reader];
        if (position === undefined) {
          state.position = undefined;
          return false;
        }
        // A reader at work knows its position better than storage does.
        if (state.position !== undefined && !state.isStale) return false;
        state.position = position;
        state.isStale = false;
        return true;
      });
      return isUpdated.includes(true);
    },
    isStale: () => readings.events.isStale || readings.links.isStale,
    async watch(isAnnounced, onVisited) {
      const visit = async (inbox: OpenInbox) => {
        await visitOpen(inbox);
        onVisited();
      };
      if (isAnnounced && clock.now().getTime() >= announceAgainMs) {
        const end = await ports.mail.watchInbox(call, visit);
        if (end === 'aborted') return;
        announceAgainMs = clock.now().getTime() + ANNOUNCE_AGAIN_MS;
        log.info('an inbox is polled', { owner: ownerId, account: accountId, reason: end });
      }
      await ports.mail.visitInbox(call, visit);
    },
    visit: () => ports.mail.visitInbox(call, visitOpen),
    retryLinks() {
      if (isLinkDue) link();
    },
    settled: async () => linking,
    end: () => abort.abort(),
  };
}

function reading(position: InboxPosition | undefined): Reading {
  return { position, isStale: false, turn: Promise.resolve() };
}
