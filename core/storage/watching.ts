import { appendedEvent } from '../events/event-storage.ts';
import type { SubscribedType } from '../events/webhook-event.ts';
import type { AnyChange, FactsOf, Judged, StoredReader, StoredTracker } from '../ports/store.ts';
import {
  INBOX_READERS,
  type InboxPosition,
  type InboxReader,
  type InboxStep,
  type LeasedInbox,
  type WatchStorage,
} from '../ports/watch-storage.ts';
import type { Random } from '../secrets/random.ts';
import { eventId } from '../secrets/record-ids.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';
import { addLink } from './trackers.ts';
import { mayReceiveMail } from './webhooks.ts';

/** If what waits for mail was created within this time, mail since then is new: nobody could read it before. */
const UNREAD_MS = DAY_MS;
/** Otherwise, mail of this time before the first look is new. */
const FIRST_LOOK_MS = 10 * MINUTE_MS;

const NEW_MAIL = 'message.received' satisfies SubscribedType;

/** Leases the inboxes that something waits for, renews those that the caller has, and starts and ends their readers. */
export function leaseInboxes(
  facts: FactsOf<'watching'>,
  { ownerId, all, held, leaseMs, signer, now }: Parameters<WatchStorage['leaseInboxes']>[0],
  storeNowMs: number,
): Judged<readonly LeasedInbox[]> {
  if (facts === undefined) return { answer: [], changes: [] };
  const subscribed = facts.endpoints.flatMap(({ endpoint }) =>
    endpoint.types.includes(NEW_MAIL) ? [endpoint] : [],
  );
  const changes: AnyChange[] = [];
  const answer: LeasedInbox[] = [];
  for (const account of facts.accounts) {
    const { accountId } = account;
    const endpoints = subscribed.filter((one) => mayReceiveMail(facts, one, accountId, signer, now));
    const waiting: Record<InboxReader, { readonly isNeeded: boolean; readonly sinceMs: readonly number[] }> =
      {
        events: { isNeeded: all || endpoints.length > 0, sinceMs: endpoints.map(createdMs) },
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
        changes.push({ type: 'save_reader', ownerId, accountId, reader, ...after });
      }
      positions[reader] = after?.position ?? undefined;
    }
    if (!isNeeded && !isOurs) continue;
    const fence = isOurs ? lease.fence : (lease?.fence ?? 0) + 1;
    const leaseUntilMs = isNeeded ? storeNowMs + leaseMs : 0;
    changes.push({ type: 'save_inbox_lease', ownerId, accountId, fence, leaseUntilMs });
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
  const created = sinceMs.filter((ms) => ms > (stored?.endedMs ?? 0));
  const oldestMs = created.length === 0 ? nowMs : created.reduce((a, b) => Math.min(a, b));
  const fromMs = oldestMs >= nowMs - UNREAD_MS ? oldestMs : nowMs - FIRST_LOOK_MS;
  // Servers store the time of receipt in whole seconds.
  const sinceS = Math.floor(fromMs / 1000);
  return { position: { uidValidity: null, uid: 0, sinceS, recent: [], sift: null }, endedMs: null };
}

function endedReader(stored: StoredReader | undefined, now: Date): StoredReader | undefined {
  if (stored === undefined || stored.position === null) return stored;
  return { position: null, endedMs: now.getTime() };
}

/** Gives back the leases that the caller still has. */
export function releaseInboxes(
  facts: FactsOf<'watching'>,
  ownerId: string,
  held: ReadonlyMap<number, number>,
): Judged<void> {
  const ours = (facts?.leases ?? []).filter(({ accountId, fence }) => held.get(accountId) === fence);
  return {
    answer: undefined,
    changes: ours.map(({ accountId, fence }) => ({
      type: 'save_inbox_lease',
      ownerId,
      accountId,
      fence,
      leaseUntilMs: 0,
    })),
  };
}

/** Moves a reader of an inbox, and adds what it found. False: somebody else has the inbox, or moved the reader. */
export function advanceInbox(facts: FactsOf<'inbox'>, step: InboxStep, random: Random): Judged<boolean> {
  const { ownerId, accountId, fence, reader, from, to, received, now } = step;
  const { position } = facts;
  const isMoved = position?.uidValidity !== from.uidValidity || position.uid !== from.uid;
  if (facts.fence !== fence || isMoved) return { answer: false, changes: [] };
  const changes: AnyChange[] = [
    { type: 'save_reader', ownerId, accountId, reader, position: to, endedMs: null },
  ];
  const movedIn = new Set(facts.movedIn);
  for (const { identity, messageId } of received) {
    if (movedIn.delete(identity)) {
      changes.push({ type: 'forget_moved_in', ownerId, accountId, identity });
      continue;
    }
    const data = { account_id: accountId, message_id: messageId };
    const event = { id: eventId(random), type: NEW_MAIL, credentialId: null, createdAt: now, data } as const;
    changes.push(appendedEvent(ownerId, event));
  }
  return { answer: true, changes: [...changes, ...addLinks(facts, step)] };
}

function addLinks(facts: FactsOf<'inbox'>, { links, now }: InboxStep): readonly AnyChange[] {
  const changes: AnyChange[] = [];
  const trackers = new Map(facts.trackers.map((stored) => [stored.tracker.trackerId, stored]));
  const linkedTargets = new Set(facts.links.map(({ trackerId, target }) => `${trackerId} ${target}`));
  let linkId = facts.lastLinkId;
  const changed = new Map<number, StoredTracker>();
  for (const { trackerId, target, message } of links) {
    const before = trackers.get(trackerId);
    const name = `${trackerId} ${target}`;
    if (before === undefined || before.tracker.status === 'resolved' || linkedTargets.has(name)) continue;
    linkId += 1;
    const content = { kind: 'mail', message } as const;
    const { added, stored } = addLink(before, target, { linkId, addedBy: 'auto', createdAt: now, content });
    changes.push(added);
    linkedTargets.add(name);
    trackers.set(trackerId, stored);
    changed.set(trackerId, stored);
  }
  for (const stored of changed.values()) changes.push({ type: 'save_tracker', stored });
  return changes;
}
