import { accountsOfOwner } from '../accounts/account-state.ts';
import { isAccountInside } from '../gate/fences.ts';
import { denialOf } from '../gate/grant.ts';
import { type LimitOverrides, limitsOf } from '../gate/limits.ts';
import type { Plan } from '../gate/permissions.ts';
import type { StoredCredential } from '../keys/key-state.ts';
import { isOn } from '../keys/live-key.ts';
import { owners } from '../owners/owner-state.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { eventId } from '../secrets/record-ids.ts';
import { insert, putRows, type RowChange, remove, update } from '../state/change.ts';
import { all, first } from '../state/query.ts';
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
import { type EndpointHealth, HEALTHY, healthAfter } from './endpoint-health.ts';
import { appendedEvent, type StoredEvent, storedEvent } from './event-storage.ts';
import type { EventContent, SubscribedType } from './webhook-event.ts';
import {
  type AttemptLog,
  deliveries,
  endpoints,
  endpointsOfOwner,
  ownerOfEndpoints,
  webhookStatements,
} from './webhook-state.ts';

export interface EndpointRef {
  readonly ownerId: string;
  readonly endpointId: number;
}

export interface DeliveryRef extends EndpointRef {
  /** The sequence number of the event. */
  readonly sequence: number;
}

export interface Endpoint extends EndpointRef {
  readonly credentialId: string;
  readonly url: string;
  readonly types: readonly SubscribedType[];
  readonly sealedSecret: string;
  /** The secret before a rotation; null if there was none. */
  readonly previous: { readonly sealedSecret: string; readonly until: Date } | null;
  readonly health: EndpointHealth;
  readonly createdAt: Date;
}

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

interface Added {
  ownerId: string;
  credentialId: string;
  url: string;
  types: readonly SubscribedType[];
  /** Gets the new endpoint's id, and returns its sealed secret. */
  seal: (endpointId: number) => string;
  signer: Signer;
  now: Date;
}

type AddEnd =
  | { readonly kind: 'added'; readonly endpoint: Endpoint }
  /** The owner has no such active key. */
  | { readonly kind: 'no_key' }
  /** The owner's plan does not allow more endpoints. */
  | { readonly kind: 'too_many'; readonly most: number };

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

/** Webhook endpoints and their deliveries. */
export type WebhookStorage = ReturnType<typeof webhookStorage>;

/** @param random  source of the ids of events */
export function webhookStorage({ ownerUnit, look }: StateStore, random: Random) {
  return {
    /** Adds an endpoint to an active key. It receives events from now on. */
    addEndpoint: (request: Added): Promise<AddEnd> =>
      onEndpoints('durable', request.ownerId, request.credentialId, (facts) => addEndpoint(facts, request)),

    /** All endpoints of the owner, oldest first. */
    async endpoints(ownerId: string): Promise<readonly Endpoint[]> {
      const { found } = await look({ found: all(endpointsOfOwner, { ownerId }) });
      return found.map((row) => storedEndpoint(row).endpoint);
    },

    /** Deletes the endpoint with its deliveries. False: the owner has no such endpoint. */
    removeEndpoint: (ownerId: string, endpointId: number): Promise<boolean> =>
      onEndpoint('durable', { ownerId, endpointId }, (stored) =>
        stored === undefined
          ? unchanged(false)
          : {
              answer: true,
              changes: [
                remove(endpoints, { ownerId, endpointId }),
                remove(deliveries, { ownerId, endpointId }),
              ],
            },
      ),

    /** Gives the endpoint a new secret. The previous one also signs until `overlapUntil`. Undefined: no such endpoint. */
    rotateEndpoint: (
      request: EndpointRef & { sealedSecret: string; overlapUntil: Date },
    ): Promise<Endpoint | undefined> =>
      onEndpoint('durable', request, (stored) => {
        if (stored === undefined) return unchanged(undefined);
        const { sealedSecret, overlapUntil } = request;
        const previous = { sealedSecret: stored.endpoint.sealedSecret, until: overlapUntil };
        return saved(stored, { sealedSecret, previous });
      }),

    /** Enables a disabled endpoint. It receives events from now on. Undefined: no such endpoint. */
    enableEndpoint: (ownerId: string, endpointId: number): Promise<Endpoint | undefined> =>
      onEndpoint('durable', { ownerId, endpointId }, (stored, { lastSequence }) => {
        if (stored === undefined) return unchanged(undefined);
        if (stored.endpoint.health.disabled === null) return unchanged(stored.endpoint);
        return saved({ ...stored, position: lastSequence }, { health: HEALTHY });
      }),

    /**
     * Files a `webhook.test` for the endpoint. Only this endpoint gets the event, so its delivery is filed with it.
     * Undefined: no such endpoint, or it is disabled.
     */
    testEndpoint: (request: EndpointRef & { now: Date }): Promise<DeliveryRef | undefined> =>
      onEndpoint('relaxed', request, (stored, { lastSequence }, storeNowMs) => {
        if (stored === undefined || stored.endpoint.health.disabled !== null) return unchanged(undefined);
        const { ownerId, endpointId, now } = request;
        const { credentialId } = stored.endpoint;
        const content: EventContent = {
          type: 'webhook.test',
          data: { endpoint_id: wireEndpointId(endpointId) },
        };
        const event = { ...content, id: eventId(random), credentialId, createdAt: now };
        const ref = { ownerId, endpointId, sequence: lastSequence + 1 };
        return {
          answer: ref,
          changes: [
            appendedEvent(ownerId, event),
            putRows(deliveries, [{ ...ref, ...newDelivery(storeNowMs), log: [] }]),
          ],
        };
      }),

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
      return ownerUnit('relaxed', ownerId, facts, (found, storeNowMs) => {
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
      return ownerUnit('relaxed', ownerId, facts, ({ found: [before], ...found }, storeNowMs) => {
        const stored = endpointOf(endpointsFacts(found), endpointId);
        const isOff = stored === undefined || stored.endpoint.health.disabled !== null;
        if (isOff || before === undefined || before.state === 'waiting') return unchanged(false);
        const row = {
          ownerId,
          endpointId,
          sequence,
          ...newDelivery(storeNowMs),
          fence: before.fence,
          log: [],
        };
        return { answer: true, changes: [putRows(deliveries, [row])] };
      });
    },
  };

  function onEndpoints<Answer>(
    commit: 'durable' | 'relaxed',
    ownerId: string,
    credentialId: string | undefined,
    judge: (facts: EndpointsFacts | undefined, storeNowMs: number) => Verdict<Answer>,
  ): Promise<Answer> {
    return ownerUnit(commit, ownerId, endpointQueries(ownerId, credentialId), (found, storeNowMs) =>
      judge(endpointsFacts(found), storeNowMs),
    );
  }

  function onEndpoint<Answer>(
    commit: 'durable' | 'relaxed',
    { ownerId, endpointId }: EndpointRef,
    judge: (
      stored: StoredEndpoint | undefined,
      facts: Pick<EndpointsFacts, 'lastSequence'>,
      storeNowMs: number,
    ) => Verdict<Answer>,
  ): Promise<Answer> {
    return onEndpoints(commit, ownerId, undefined, (facts, storeNowMs) =>
      judge(endpointOf(facts, endpointId), facts ?? { lastSequence: 0 }, storeNowMs),
    );
  }
}

interface StoredEndpoint {
  readonly endpoint: Endpoint;
  /** The newest event that a delivery was filed for, or that does not concern the endpoint. */
  readonly position: number;
}

interface StoredDelivery {
  readonly endpointId: number;
  /** The sequence number of the event. */
  readonly sequence: number;
  readonly delivery: Delivery;
  readonly log: readonly AttemptLog[];
}

/** What decides about the endpoints of an owner. */
export interface EndpointsFacts {
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  /** An id is never used twice. */
  readonly lastEndpointId: number;
  /** The number of the owner's newest event. 0: there is none. */
  readonly lastSequence: number;
  /** Oldest first. */
  readonly endpoints: readonly StoredEndpoint[];
  /** Their keys. */
  readonly credentials: readonly StoredCredential[];
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

/** @param credentialId  a key that is wanted besides those of the endpoints */
export function endpointQueries(ownerId: string, credentialId = '') {
  return {
    owner: first(ownerOfEndpoints, { ownerId }),
    endpoints: all(endpointsOfOwner, { ownerId }),
    keys: all(webhookStatements.keys_of_endpoints, { ownerId, credentialId }),
  };
}

/** Undefined: there is no such owner. */
export function endpointsFacts(found: {
  readonly owner: ValuesOf<(typeof ownerOfEndpoints)['columns']> | undefined;
  readonly endpoints: readonly RowOf<typeof endpoints>[];
  readonly keys: readonly StoredCredential[];
}): EndpointsFacts | undefined {
  if (found.owner === undefined) return undefined;
  const { lastEventSequence: lastSequence, ...owner } = found.owner;
  return { ...owner, lastSequence, endpoints: found.endpoints.map(storedEndpoint), credentials: found.keys };
}

function storedEndpoint(row: RowOf<typeof endpoints>): StoredEndpoint {
  const { sealedPrevious, previousUntil, failingSince, disabled, position, ...endpoint } = row;
  const previous =
    sealedPrevious === null || previousUntil === null
      ? null
      : { sealedSecret: sealedPrevious, until: previousUntil };
  const health = { failingSinceMs: failingSince?.getTime() ?? null, disabled };
  return { endpoint: { ...endpoint, previous, health }, position };
}

/** What changes of an endpoint, apart from its position. */
function changedColumns({ sealedSecret, previous, health: { failingSinceMs, disabled } }: Endpoint) {
  return {
    sealedSecret,
    sealedPrevious: previous?.sealedSecret ?? null,
    previousUntil: previous?.until ?? null,
    failingSince: failingSinceMs === null ? null : new Date(failingSinceMs),
    disabled,
  };
}

function savedEndpoint(endpoint: Endpoint, more: { readonly position?: number } = {}): RowChange {
  const { ownerId, endpointId } = endpoint;
  return update(endpoints, { ownerId, endpointId }, { ...changedColumns(endpoint), ...more });
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

/** The endpoint's id on the wire. */
export function wireEndpointId(endpointId: number): string {
  return `wh_${endpointId}`;
}

function namesOf(refs: readonly Omit<DeliveryRef, 'ownerId'>[]): string {
  return JSON.stringify(refs.map(({ endpointId, sequence }) => [endpointId, sequence]));
}

function addEndpoint(
  facts: EndpointsFacts | undefined,
  { ownerId, credentialId, url, types, seal, signer, now }: Added,
): Verdict<AddEnd> {
  const key = facts?.credentials.find((one) => one.credentialId === credentialId);
  if (facts === undefined || key === undefined || !isOn(key, signer, now)) {
    return unchanged({ kind: 'no_key' });
  }
  const most = limitsOf(facts.plan, facts.limits).webhookEndpoints;
  if (facts.endpoints.length >= most) return unchanged({ kind: 'too_many', most });
  const endpointId = facts.lastEndpointId + 1;
  const named = { ownerId, endpointId, credentialId, url, types, createdAt: now };
  const endpoint: Endpoint = { ...named, sealedSecret: seal(endpointId), previous: null, health: HEALTHY };
  const row = { ...named, ...changedColumns(endpoint), position: facts.lastSequence };
  return {
    answer: { kind: 'added', endpoint },
    changes: [insert(endpoints, row), update(owners, { ownerId }, { lastEndpointId: endpointId })],
  };
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
    const rows = Array.from(moved.values(), ({ delivery, ...one }) => ({ ownerId, ...one, ...delivery }));
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

/** Whether it may still receive the event. For new mail, the account must be connected. */
function isWanted(
  facts: WebhookFacts,
  endpoint: Endpoint,
  event: StoredEvent,
  signer: Signer,
  now: Date,
): boolean {
  if (event.type !== 'message.received') return mayReceive(facts, endpoint, signer, now);
  const { account_id: accountId } = event.data;
  return (
    mayReceiveMail(facts, endpoint, accountId, signer, now) &&
    (accountId === null || facts.accountIds.includes(accountId))
  );
}

type EndpointRights = Pick<EndpointsFacts, 'credentials' | 'plan'>;

/** Whether it may receive events now: it and its key are on. */
function mayReceive({ credentials }: EndpointRights, endpoint: Endpoint, signer: Signer, now: Date): boolean {
  const key = keyOf(credentials, endpoint);
  return endpoint.health.disabled === null && key !== undefined && isOn(key, signer, now);
}

/**
 * Whether it may hear of new mail of the account now: its key is on, may read mail, and has the account inside its
 * fences. Mail that arrives during a pause is not reported later. @param accountId  null: an unnamed one
 */
export function mayReceiveMail(
  facts: EndpointRights,
  endpoint: Endpoint,
  accountId: number | null,
  signer: Signer,
  now: Date,
): boolean {
  const key = keyOf(facts.credentials, endpoint);
  if (key === undefined || !mayReceive(facts, endpoint, signer, now)) return false;
  return (
    denialOf(key, 'mail:read', facts.plan, now) === undefined &&
    (accountId === null ? key.fences.accounts === null : isAccountInside(key.fences, accountId))
  );
}

function keyOf(credentials: EndpointRights['credentials'], { credentialId }: Endpoint) {
  return credentials.find((key) => key.credentialId === credentialId);
}

function nameOf({ endpointId, sequence }: Omit<DeliveryRef, 'ownerId'>): string {
  return `${endpointId} ${sequence}`;
}

function endpointOf(facts: EndpointsFacts | undefined, endpointId: number): StoredEndpoint | undefined {
  return facts?.endpoints.find(({ endpoint }) => endpoint.endpointId === endpointId);
}

function saved(
  { endpoint: before, position }: StoredEndpoint,
  changes: Partial<Endpoint>,
): Verdict<Endpoint> {
  const endpoint = { ...before, ...changes };
  return { answer: endpoint, changes: [savedEndpoint(endpoint, { position })] };
}
