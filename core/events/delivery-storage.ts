import { accountsOfOwner } from '../accounts/account-state.ts';
import type { Signer } from '../secrets/keyring.ts';
import { putRows, type RowChange, update } from '../state/change.ts';
import { all } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { RowOf, ValuesOf } from '../state/table.ts';
import { PER_ENDPOINT_MAX } from './attempt-room.ts';
import {
  type AttemptEnd,
  type Delivery,
  type DeliveryState,
  deliveryAfter,
  newDelivery,
} from './delivery.ts';
import { type EndpointHealth, healthAfter } from './endpoint-health.ts';
import {
  type DeliveryRef,
  type Endpoint,
  type EndpointRef,
  type EndpointsFacts,
  endpointOf,
  endpointQueries,
  endpointsFacts,
  mayReceive,
  mayReceiveOf,
  savedEndpoint,
} from './endpoint-storage.ts';
import { type StoredEvent, storedEvent } from './event-storage.ts';
import { EVENTS } from './webhook-event.ts';
import { type AttemptLog, deliveries, deliveryRow, endpoints, webhookStatements } from './webhook-state.ts';

export interface BegunAttempt {
  readonly endpoint: Endpoint;
  readonly event: StoredEvent;
  /** 1 to 6. */
  readonly attempt: number;
  readonly fence: number;
}

export interface EndedAttempt {
  readonly endpointId: number;
  readonly sequence: number;
  readonly fence: number;
  readonly end: AttemptEnd;
  /** 0 to 1, from the random source. */
  readonly jitter: number;
  /** Not kept for an interrupted attempt. */
  readonly log: AttemptLog;
}

export interface DeliveryRecord {
  readonly event: StoredEvent;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due, by the store's clock. Null: an attempt is under way, or none will follow. */
  readonly dueAt: Date | null;
  /** Oldest first. */
  readonly log: readonly AttemptLog[];
}

/** The most events per unit for which deliveries are filed. Each may concern every endpoint, or only one. */
const NEWS_AT_ONCE = 2 * PER_ENDPOINT_MAX;

interface Move {
  ownerId: string;
  ends: readonly EndedAttempt[];
  /** How many attempts may start now. */
  limit: number;
  /** How many of them per endpoint, at most PER_ENDPOINT_MAX. */
  room: (endpointId: number) => number;
  leaseMs: number;
  signer: Signer;
  now: Date;
}

interface Moved {
  readonly begun: readonly BegunAttempt[];
  /** Something was started, filed or dropped: there may be more that can be. */
  readonly hasMore: boolean;
  /** Of the endpoints of `ends`. */
  readonly healths: readonly { readonly endpointId: number; readonly health: EndpointHealth }[];
}

/** Deliveries of events to webhook endpoints. */
export type DeliveryStorage = ReturnType<typeof deliveryStorage>;

export function deliveryStorage({ unit, look }: StateStore) {
  return {
    /**
     * Owners with a due attempt, or with events whose deliveries are not filed yet; at most `limit`. They come in a fixed
     * circle, which starts behind the owner `after`. '' starts at its beginning.
     */
    async ownersWithDeliveries(query: { after: string; limit: number }): Promise<readonly string[]> {
      const { found } = await look({ found: all(webhookStatements.owners_with_deliveries, query) });
      return found.map(({ ownerId }) => ownerId);
    },

    /**
     * Records how attempts of the owner ended, files deliveries for new events and starts due attempts, the longest due
     * first. Ends and starts share one unit, because under load the next attempts start as others end.
     *
     * An end with a lost fence changes nothing. Each attempt that starts is leased, and is due again if its lease ends
     * first. Drops deliveries that the endpoint, its key or its permission no longer allows, and those of new mail in an
     * account that was removed.
     */
    moveDeliveries: (request: Move): Promise<Moved> => {
      const { ownerId, ends } = request;
      // Reads about as much as can start now.
      const limit = Math.min(request.limit, NEWS_AT_ONCE);
      const perEndpoint = Math.min(request.limit, PER_ENDPOINT_MAX);
      const facts = {
        ...endpointQueries(ownerId),
        accounts: all(accountsOfOwner, { ownerId }),
        ended: all(webhookStatements.deliveries_by_event, { ownerId, names: namesOf(ends) }),
        news: all(webhookStatements.events_behind, { ownerId, limit }),
        due: all(webhookStatements.due_deliveries, { ownerId, limit: perEndpoint }),
      };
      return unit('relaxed', { ownerId }, facts, (found, storeNowMs) => {
        const rights = endpointsFacts(found);
        if (rights === undefined) {
          return unchanged({ begun: [], hasMore: false, healths: [] });
        }
        return moveDeliveries(
          {
            ...rights,
            accountIds: found.accounts.map(({ accountId }) => accountId),
            deliveries: found.ended.map(storedDelivery),
            news: found.news.map(storedEvent),
            due: found.due.map((row) => ({ ...storedDelivery(row), event: storedEvent(row) })),
          },
          request,
          storeNowMs,
        );
      });
    },

    /** Newest first. @param query  `before`: only deliveries of events with a smaller sequence number */
    async deliveries(
      query: EndpointRef & { before: number | undefined; limit: number },
    ): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly more: boolean }> {
      const { ownerId, endpointId, before = Number.MAX_SAFE_INTEGER, limit } = query;
      const values = { ownerId, endpointId, before, limit: limit + 1 };
      const { found } = await look({ found: all(webhookStatements.deliveries_of_endpoint, values) });
      return { deliveries: found.slice(0, limit).map(deliveryRecord), more: found.length > limit };
    },

    /** Makes an ended delivery due again, with all attempts. False: no such delivery, or its endpoint is disabled. */
    redeliver: (request: DeliveryRef & { readonly now: Date }): Promise<boolean> => {
      const { ownerId, endpointId, sequence } = request;
      const facts = {
        ...endpointQueries(ownerId),
        found: all(webhookStatements.deliveries_by_event, { ownerId, names: namesOf([request]) }),
      };
      return unit('relaxed', { ownerId }, facts, ({ found: [before], ...found }, storeNowMs) => {
        const stored = endpointOf(endpointsFacts(found), endpointId);
        const isOff = stored === undefined || stored.endpoint.health.disabled !== null;
        if (isOff || before === undefined || before.state === 'waiting') return unchanged(false);
        const again = { ...newDelivery(storeNowMs), fence: before.fence };
        const row = deliveryRow({ ownerId, endpointId, sequence, log: [] }, again);
        return { answer: true, changes: [putRows(deliveries, [row])] };
      });
    },
  };
}

interface StoredDelivery {
  readonly endpointId: number;
  /** The sequence number of the event. */
  readonly sequence: number;
  readonly delivery: Delivery;
  readonly log: readonly AttemptLog[];
}

export interface WebhookFacts extends EndpointsFacts {
  /** The connected accounts. */
  readonly accountIds: readonly number[];
  /** Those whose attempts have ended. */
  readonly deliveries: readonly StoredDelivery[];
  /** Oldest first. */
  readonly news: readonly StoredEvent[];
  readonly due: readonly (StoredDelivery & { readonly event: StoredEvent })[];
}

type DeliveryRow = Omit<RowOf<typeof deliveries>, 'ownerId'>;

function storedDelivery({ endpointId, sequence, log, ...row }: DeliveryRow): StoredDelivery {
  const { state, attempts, dueMs, fence, leaseUntilMs } = row;
  return { endpointId, sequence, delivery: { state, attempts, dueMs, fence, leaseUntilMs }, log };
}

function deliveryRecord(
  row: ValuesOf<(typeof webhookStatements.deliveries_of_endpoint)['columns']>,
): DeliveryRecord {
  const { state, attempts, dueMs, leaseUntilMs, log } = row;
  const isIdle = state === 'waiting' && leaseUntilMs === 0;
  return { event: storedEvent(row), state, attempts, dueAt: isIdle ? new Date(dueMs) : null, log };
}

function namesOf(refs: readonly Omit<DeliveryRef, 'ownerId'>[]): string {
  return JSON.stringify(refs.map(({ endpointId, sequence }) => [endpointId, sequence]));
}

/**
 * Records how attempts ended, files deliveries for new events, starts due attempts, and drops deliveries that must not be
 * sent anymore.
 */
export function moveDeliveries(loaded: WebhookFacts, request: Move, storeNowMs: number): Verdict<Moved> {
  const { ownerId } = request;
  const changes: RowChange[] = [];
  /** The deliveries that change, by name. */
  const moved = new Map<string, StoredDelivery>();
  const { facts, healths } = endAttempts(loaded, request, storeNowMs, moved, changes);
  const { begun, hasMore } = beginAttempts(facts, request, storeNowMs, moved, changes);
  if (moved.size > 0) {
    const rows = Array.from(moved.values(), ({ delivery, ...of }) =>
      deliveryRow({ ownerId, ...of }, delivery),
    );
    changes.push(putRows(deliveries, rows));
  }
  return { answer: { begun, hasMore, healths }, changes };
}

/** @returns the facts after the ends, with the new healths of the endpoints */
function endAttempts(
  facts: WebhookFacts,
  { ends }: Move,
  storeNowMs: number,
  moved: Map<string, StoredDelivery>,
  changes: RowChange[],
): { readonly facts: WebhookFacts; readonly healths: Moved['healths'] } {
  if (ends.length === 0) return { facts, healths: [] };
  const stored = new Map(facts.deliveries.map((one) => [nameOf(one), one]));
  const healths = new Map<number, EndpointHealth>();
  for (const attempt of ends) {
    const { endpointId, fence, end, jitter } = attempt;
    const name = nameOf(attempt);
    const endpoint = endpointOf(facts, endpointId)?.endpoint;
    const before = moved.get(name) ?? stored.get(name);
    if (endpoint === undefined || before === undefined) continue;
    const after = deliveryAfter(before.delivery, { type: 'end', fence, end, jitter }, storeNowMs);
    if (after === undefined) continue;
    const log = end.kind === 'interrupted' ? before.log : [...before.log, attempt.log];
    moved.set(name, { ...before, delivery: after, log });
    healths.set(endpointId, healthAfter(healths.get(endpointId) ?? endpoint.health, end, storeNowMs));
  }
  const endpoints = facts.endpoints.map((one) => {
    const { endpoint } = one;
    const health = healths.get(endpoint.endpointId);
    if (health === undefined || isSameHealth(health, endpoint.health)) return one;
    const changed = { ...endpoint, health };
    changes.push(savedEndpoint(changed));
    return { ...one, endpoint: changed };
  });
  return {
    facts: { ...facts, endpoints },
    healths: [...healths].map(([endpointId, health]) => ({ endpointId, health })),
  };
}

function isSameHealth(one: EndpointHealth, other: EndpointHealth): boolean {
  return one.failingSinceMs === other.failingSinceMs && one.disabled === other.disabled;
}

function beginAttempts(
  facts: WebhookFacts,
  { ownerId, limit, room, leaseMs, signer, now }: Move,
  storeNowMs: number,
  moved: Map<string, StoredDelivery>,
  changes: RowChange[],
): Pick<Moved, 'begun' | 'hasMore'> {
  const begun: BegunAttempt[] = [];
  let hasMore = false;
  const left = new Map(facts.endpoints.map(({ endpoint: { endpointId } }) => [endpointId, room(endpointId)]));
  /** Starts an attempt if there is room. @returns the delivery after it */
  function attempt(endpoint: Endpoint, event: StoredEvent, before: Delivery): Delivery | undefined {
    const { endpointId } = endpoint;
    const places = left.get(endpointId) ?? 0;
    if (places <= 0 || begun.length >= limit) return undefined;
    const after = deliveryAfter(before, { type: 'attempt', leaseMs }, storeNowMs);
    if (after?.state !== 'waiting') return after;
    left.set(endpointId, places - 1);
    begun.push({ endpoint, event, attempt: after.attempts, fence: after.fence });
    return after;
  }
  for (const { event, ...due } of facts.due) {
    const endpoint = endpointOf(facts, due.endpointId)?.endpoint;
    if (endpoint === undefined) continue;
    // If the store's clock was set back, an attempt that ends now may look due.
    const before = moved.get(nameOf(due)) ?? due;
    const after = isWanted(facts, endpoint, event, signer, now)
      ? attempt(endpoint, event, before.delivery)
      : deliveryAfter(before.delivery, { type: 'drop' }, storeNowMs);
    if (after === undefined) continue;
    hasMore = true;
    moved.set(nameOf(due), { ...before, delivery: after });
  }
  const enabled = facts.endpoints.filter(({ endpoint }) => endpoint.health.disabled === null);
  let position = 0;
  for (const event of facts.news) {
    // What cannot start yet is filed later, so a backlog is written twice per delivery and not three times.
    const hasRoom = enabled.some(({ endpoint: { endpointId } }) => (left.get(endpointId) ?? 0) > 0);
    if (!hasRoom || begun.length >= limit) break;
    position = event.sequence;
    hasMore = true;
    for (const { endpoint, position: before } of enabled) {
      if (before >= position || !concerns(facts, endpoint, event, signer, now)) continue;
      const filed = newDelivery(storeNowMs);
      const ref = { endpointId: endpoint.endpointId, sequence: position };
      moved.set(nameOf(ref), { ...ref, delivery: attempt(endpoint, event, filed) ?? filed, log: [] });
    }
  }
  for (const { endpoint, position: before } of enabled) {
    const { endpointId } = endpoint;
    if (before < position) changes.push(update(endpoints, { ownerId, endpointId }, { position }));
  }
  return { begun, hasMore };
}

/** Whether the endpoint receives this event. A test is filed with its delivery. */
function concerns(
  facts: WebhookFacts,
  endpoint: Endpoint,
  event: StoredEvent,
  signer: Signer,
  now: Date,
): boolean {
  const { type, credentialId } = event;
  return (
    endpoint.types.some((subscribed) => subscribed === type) &&
    (credentialId === null || credentialId === endpoint.credentialId) &&
    isWanted(facts, endpoint, event, signer, now)
  );
}

/** Whether it may still receive the event. For one of a group, the account must be connected. */
function isWanted(
  facts: WebhookFacts,
  endpoint: Endpoint,
  event: StoredEvent,
  signer: Signer,
  now: Date,
): boolean {
  const { group } = EVENTS[event.type];
  if (group === null) return mayReceive(facts, endpoint, signer, now);
  const accountId = 'account_id' in event.data ? event.data.account_id : null;
  return (
    mayReceiveOf(facts, endpoint, { group, accountId }, signer, now) &&
    (accountId === null || facts.accountIds.includes(accountId))
  );
}

function nameOf({ endpointId, sequence }: Omit<DeliveryRef, 'ownerId'>): string {
  return `${endpointId} ${sequence}`;
}
