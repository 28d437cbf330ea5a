import type { MessageHandles } from '../call/message-handles.ts';
import { errorName } from '../ports/log.ts';
import { MailError } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { type Backoff, createBackoff } from '../time/backoff.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { announcedInboxes } from './announced-inboxes.ts';
import { type WatchedInbox, watchedInbox } from './watched-inbox.ts';

/**
 * Watches the inboxes that endpoints, listeners or trackers wait for. Each is leased, so that one process watches it.
 * New mail becomes an event at once, and is then linked to trackers. Both move their own position in the same write, so
 * a crash neither repeats nor loses anything.
 */
export interface InboxWatch {
  /**
   * Leases inboxes, renews leases, starts what is due, and ends what nothing waits for. Does not wait for the watches.
   * A failure is logged, and the account waits for a while.
   */
  round(): Promise<void>;
  /** Visits every inbox once that this process does not watch, links its new mail, and gives its lease back. */
  check(): Promise<void>;
  /** Ends the work in progress and gives the leases back. */
  stop(): Promise<void>;
}

export interface InboxWatchOptions {
  readonly ports: Ports;
  readonly keyring: Keyring;
  readonly handles: MessageHandles;
  readonly leaseMs: number;
  /** Whether this process wants the events of every inbox. */
  isEveryInboxWanted(): boolean;
}

/** Inboxes with a connection of their own: each takes up to half a megabyte and a file descriptor. Others are polled. */
const ANNOUNCED_MOST = 1000;
/** Inboxes being opened at once. */
const OPENING_MOST = 16;
const CHECKED_AT_ONCE = 4;
const OWNERS_AT_ONCE = 50;
const POLL_MS = MINUTE_MS;
const RETRY_FIRST_MS = 5000;
/** A server that refuses a password may lock the account after a few tries. */
const RETRY_AUTH_MS = MINUTE_MS;
const RETRY_MOST_MS = 30 * MINUTE_MS;

interface Entry {
  readonly inbox: WatchedInbox;
  /** The watch or visit in progress. */
  work: Promise<void> | undefined;
  isAnnounced: boolean;
  pollAtMs: number;
}

export function createInboxWatch(options: InboxWatchOptions): InboxWatch {
  const { ports, keyring, leaseMs } = options;
  const { storage, clock, log } = ports;
  const backoffs: readonly [other: Backoff, auth: Backoff] = [
    createBackoff(RETRY_FIRST_MS, RETRY_MOST_MS),
    createBackoff(RETRY_AUTH_MS, RETRY_MOST_MS),
  ];
  const linkBackoff = createBackoff(RETRY_FIRST_MS, RETRY_MOST_MS);
  const parts = { ...options, linkBackoff };
  const entries = new Map<string, Entry>();
  const opening = new Set<Entry>();
  const renewedMs = new Map<string, number>();
  let isStopped = false;

  const isDue = ({ key }: WatchedInbox) => backoffs.every((one) => one.isDue(key, clock.now()));

  async function lease(): Promise<void> {
    const wanted = await storage.inboxesToWatch(options.isEveryInboxWanted());
    const nowMs = clock.now().getTime();
    const owners = new Set<string>();
    for (const { ownerId, isLeased } of wanted) if (!isLeased) owners.add(ownerId);
    for (const { inbox } of entries.values()) {
      const sinceMs = Math.abs(nowMs - (renewedMs.get(inbox.ownerId) ?? 0));
      if (inbox.isStale() || sinceMs >= leaseMs / 3) owners.add(inbox.ownerId);
    }
    const ownerIds = [...owners];
    for (let at = 0; at < ownerIds.length && !isStopped; at += OWNERS_AT_ONCE) {
      await Promise.all(ownerIds.slice(at, at + OWNERS_AT_ONCE).map(leaseOwner));
    }
  }

  async function leaseOwner(ownerId: string): Promise<void> {
    const now = clock.now();
    const ours = entriesOf(ownerId);
    try {
      const leased = await storage.leaseInboxes({
        ownerId,
        all: options.isEveryInboxWanted(),
        held: heldOf(ours),
        leaseMs,
        signer: keyring,
        now,
      });
      const fences = new Map(leased.map(({ account, fence }) => [account.accountId, fence]));
      for (const { inbox } of ours) {
        if (fences.get(inbox.accountId) === inbox.fence) continue;
        inbox.end();
        entries.delete(inbox.key);
      }
      for (const one of leased) {
        const key = `${ownerId}\n${one.account.accountId}`;
        const known = entries.get(key);
        const isOutdated = known !== undefined && known.inbox.revision < one.account.revision;
        if (isOutdated) {
          // What failed with the old settings is tried again at once.
          known.inbox.end();
          succeeded(known.inbox);
        }
        const entry = isOutdated ? undefined : known;
        if (entry === undefined) add(watchedInbox(parts, one));
        else if (entry.inbox.update(one) && entry.work !== undefined) visitAlso(entry);
      }
      if (leased.length > 0) renewedMs.set(ownerId, now.getTime());
      else renewedMs.delete(ownerId);
    } catch (error) {
      log.warn('inboxes could not be leased', { owner: ownerId, ...errorName(error) });
    }
  }

  function add(inbox: WatchedInbox): void {
    entries.set(inbox.key, { inbox, work: undefined, isAnnounced: false, pollAtMs: 0 });
  }

  function entriesOf(ownerId: string): Entry[] {
    return [...entries.values()].filter(({ inbox }) => inbox.ownerId === ownerId);
  }

  /** For a reader that starts while the inbox is watched: the server announces only what comes later. */
  function visitAlso({ inbox }: Entry): void {
    inbox.visit().catch((error: unknown) => failed(inbox, error));
  }

  function startDue(): void {
    const nowMs = clock.now().getTime();
    for (const entry of entries.values()) {
      if (isStopped || opening.size >= OPENING_MOST) return;
      const { inbox, work, pollAtMs } = entry;
      // A clock that was set back must not delay a poll for long.
      const isPollDue = nowMs >= pollAtMs || pollAtMs - nowMs > POLL_MS;
      if (work === undefined && isPollDue && !inbox.isStale() && isDue(inbox)) begin(entry);
    }
  }

  function begin(entry: Entry): void {
    const { inbox } = entry;
    opening.add(entry);
    const visited = () => {
      succeeded(inbox);
      if (opening.delete(entry)) startDue();
    };
    entry.work = inbox
      .watch(entry.isAnnounced, visited)
      .then(
        () => {
          entry.pollAtMs = clock.now().getTime() + POLL_MS;
        },
        (error: unknown) => failed(inbox, error),
      )
      .finally(() => {
        entry.work = undefined;
        if (opening.delete(entry)) startDue();
      });
  }

  function succeeded({ key }: WatchedInbox): void {
    for (const one of backoffs) one.succeeded(key);
  }

  function failed(inbox: WatchedInbox, error: unknown): void {
    if (isStopped || entries.get(inbox.key)?.inbox !== inbox) return;
    const [other, auth] = backoffs;
    (error instanceof MailError && error.code === 'auth' ? auth : other).failed(inbox.key, clock.now());
    const { ownerId, accountId } = inbox;
    log.warn('an inbox could not be watched', { owner: ownerId, account: accountId, ...errorName(error) });
  }

  async function chooseAnnounced(): Promise<void> {
    const all = [...entries.values()];
    const chosen = announcedInboxes(
      all.map(({ inbox }) => inbox),
      ANNOUNCED_MOST,
    );
    // An inbox whose connection another owner gets is leased again in the next round, and polled from then on.
    const ended = all.filter(({ isAnnounced, inbox }) => isAnnounced && !chosen.has(inbox));
    for (const { inbox } of ended) inbox.end();
    await giveBack(ended);
    for (const entry of entries.values()) entry.isAnnounced = chosen.has(entry.inbox);
  }

  async function giveBack(given: readonly Entry[]): Promise<void> {
    for (const { inbox } of given) entries.delete(inbox.key);
    for (const ownerId of new Set(given.map(({ inbox }) => inbox.ownerId))) {
      renewedMs.delete(ownerId);
      const held = heldOf(given.filter(({ inbox }) => inbox.ownerId === ownerId));
      await storage
        .releaseInboxes(ownerId, held)
        .catch((error: unknown) => log.warn('inboxes were not given back', errorName(error)));
    }
  }

  return {
    async round() {
      await lease();
      await chooseAnnounced();
      startDue();
      for (const { inbox } of entries.values()) inbox.retryLinks();
    },
    async check() {
      await lease();
      const checked = [...entries.values()].filter(({ work }) => work === undefined);
      const queue = checked.values();
      const visit = async () => {
        for (const { inbox } of queue) {
          if (isStopped) return;
          try {
            if (!isDue(inbox)) continue;
            await inbox.visit();
            succeeded(inbox);
            await inbox.settled();
          } catch (error) {
            failed(inbox, error);
          }
        }
      };
      await Promise.all(Array.from({ length: CHECKED_AT_ONCE }, visit));
      if (!isStopped) await giveBack(checked.filter((entry) => entry.work === undefined));
    },
    async stop() {
      isStopped = true;
      const all = [...entries.values()];
      for (const { inbox } of all) inbox.end();
      const ended = async ({ work, inbox }: Entry) => {
        await work;
        await inbox.settled();
      };
      await Promise.all(all.map(ended));
      await giveBack(all);
    },
  };
}

function heldOf(entries: readonly Entry[]): ReadonlyMap<number, number> {
  return new Map(entries.map(({ inbox }) => [inbox.accountId, inbox.fence]));
}
