import { accountsOf, accountsOfOwner } from '../accounts/account-state.ts';
import {
  type EndpointsFacts,
  endpointQueries,
  endpointsFacts,
  mayReceiveOf,
} from '../events/endpoint-storage.ts';
import { EVENTS, NEW_MAIL } from '../events/webhook-event.ts';
import type { Account } from '../ports/account.ts';
import type { Signer } from '../secrets/keyring.ts';
import { put, type RowChange } from '../state/change.ts';
import { all } from '../state/query.ts';
import type { StateStore, Verdict } from '../state/store.ts';
import type { RowOf } from '../state/table.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';
import { trackerStatements } from '../trackers/tracker-state.ts';
import {
  INBOX_READERS,
  type InboxPosition,
  type InboxReader,
  inboxLeases,
  inboxReaders,
  leasesOfOwner,
  readersOfOwner,
} from './inbox-state.ts';

/** If what waits for mail was created within this time, mail since then is new: nobody could read it before. */
const UNREAD_MS = DAY_MS;
/** Otherwise, mail of this time before the first look is new. */
const FIRST_LOOK_MS = 10 * MINUTE_MS;

type StoredReader = Pick<RowOf<typeof inboxReaders>, 'position' | 'ended'>;

interface Lease {
  ownerId: string;
  /** Every inbox, whatever waits. */
  all: boolean;
  /** The fence of each inbox that the caller has. */
  held: ReadonlyMap<number, number>;
  leaseMs: number;
  signer: Signer;
  now: Date;
}

export interface LeasedInbox {
  readonly account: Account;
  readonly fence: number;
  /** Undefined: nothing needs this reader. */
  readonly positions: { readonly [Reader in InboxReader]: InboxPosition | undefined };
}

/** Which inboxes are watched for new mail, and by whom. */
export type LeaseStorage = ReturnType<typeof leaseStorage>;

export function leaseStorage({ unit }: StateStore) {
  return {
    /**
     * Leases the owner's inboxes that something waits for and nobody else has, and renews those in `held` for as long as
     * something waits for them. An inbox has one holder at a time, by the store's clock. A new holder gets a higher fence.
     *
     * Events of an inbox are read if `all`, or if an endpoint for `message.received` is enabled and its key is on and may
     * read mail. Links are read if the owner has an active tracker with keywords. A reader starts with the mail received
     * since the oldest endpoint or tracker was created, and ends when nothing needs it. If it starts again, it continues
     * with new mail only.
     * @returns the inboxes that the caller has now
     */
    leaseInboxes: (request: Lease): Promise<readonly LeasedInbox[]> => {
      const { ownerId } = request;
      const facts = {
        ...endpointQueries(ownerId),
        accounts: all(accountsOfOwner, { ownerId }),
        trackers: all(trackerStatements.waiting_trackers, { ownerId }),
        leases: all(leasesOfOwner, { ownerId }),
        readers: all(readersOfOwner, { ownerId }),
      };
      return unit('relaxed', { ownerId }, facts, (found, storeNowMs) => {
        const rights = endpointsFacts(found);
        if (rights === undefined) return { answer: [], changes: [] };
        return leaseInboxes(
          { ...found, ...rights, accounts: accountsOf(found.accounts) },
          request,
          storeNowMs,
        );
      });
    },
  };
}

interface Facts extends EndpointsFacts {
  readonly accounts: readonly Account[];
  /** The active ones with keywords. */
  readonly trackers: readonly { readonly createdAt: Date }[];
  readonly leases: readonly RowOf<typeof inboxLeases>[];
  readonly readers: readonly RowOf<typeof inboxReaders>[];
}

/** Leases the inboxes that something waits for, renews those that the caller has, and starts and ends their readers. */
function leaseInboxes(
  facts: Facts,
  { ownerId, all: every, held, leaseMs, signer, now }: Lease,
  storeNowMs: number,
): Verdict<readonly LeasedInbox[]> {
  const subscribed = facts.endpoints.flatMap(({ endpoint }) =>
    endpoint.types.includes(NEW_MAIL) ? [endpoint] : [],
  );
  const changes: RowChange[] = [];
  const answer: LeasedInbox[] = [];
  for (const account of facts.accounts) {
    const { accountId } = account;
    const endpoints = subscribed.filter((one) =>
      mayReceiveOf(facts, one, { group: EVENTS[NEW_MAIL].group, accountId }, signer, now),
    );
    const waiting: Record<InboxReader, { readonly isNeeded: boolean; readonly sinceMs: readonly number[] }> =
      {
        events: { isNeeded: every || endpoints.length > 0, sinceMs: endpoints.map(createdMs) },
        links: { isNeeded: facts.trackers.length > 0, sinceMs: facts.trackers.map(createdMs) },
      };
    const isNeeded = INBOX_READERS.some((reader) => waiting[reader].isNeeded);
    const lease = facts.leases.find((one) => one.accountId === accountId);
    const isOurs = lease !== undefined && held.get(accountId) === lease.fence;
    if (!isOurs && lease !== undefined && lease.leaseUntilMs > storeNowMs) continue;
    const positions: Record<InboxReader, InboxPosition | undefined> = { events: undefined, links: undefined };
    for (const reader of INBOX_READERS) {
      const stored = facts.readers.find((one) => one.accountId === accountId && one.reader === reader);
      const { isNeeded: isReaderNeeded, sinceMs } = waiting[reader];
      const after = isReaderNeeded ? startedReader(stored, sinceMs, now) : endedReader(stored, now);
      if (after !== stored && after !== undefined) {
        const { position, ended } = after;
        changes.push(put(inboxReaders, { ownerId, accountId, reader, position, ended }));
      }
      positions[reader] = after?.position ?? undefined;
    }
    if (!isNeeded && !isOurs) continue;
    const fence = isOurs ? lease.fence : (lease?.fence ?? 0) + 1;
    const leaseUntilMs = isNeeded ? storeNowMs + leaseMs : 0;
    changes.push(put(inboxLeases, { ownerId, accountId, fence, leaseUntilMs }));
    if (isNeeded) answer.push({ account, fence, positions });
  }
  return { answer, changes };
}

function createdMs({ createdAt }: { readonly createdAt: Date }): number {
  return createdAt.getTime();
}

/** @param sinceMs when each of those that need the reader was created */
function startedReader(
  stored: StoredReader | undefined,
  sinceMs: readonly number[],
  now: Date,
): StoredReader {
  if (stored !== undefined && stored.position !== null) return stored;
  const nowMs = now.getTime();
  // What existed when the reader ended was switched on again: it waits for mail from now on.
  const created = sinceMs.filter((ms) => ms > (stored?.ended?.getTime() ?? 0));
  const oldestMs = created.length === 0 ? nowMs : created.reduce((a, b) => Math.min(a, b));
  const fromMs = oldestMs >= nowMs - UNREAD_MS ? oldestMs : nowMs - FIRST_LOOK_MS;
  // Servers store the time of receipt in whole seconds.
  const sinceS = Math.floor(fromMs / 1000);
  return { position: { uidValidity: null, uid: 0, sinceS, recent: [], sift: null }, ended: null };
}

function endedReader(stored: StoredReader | undefined, now: Date): StoredReader | undefined {
  if (stored === undefined || stored.position === null) return stored;
  return { position: null, ended: now };
}
