import { isAccountInside } from '../keys/fences.ts';
import { denialOf } from '../keys/grant.ts';
import type { StoredCredential } from '../keys/key-state.ts';
import { type LimitOverrides, limitsOf } from '../keys/limits.ts';
import { isOn } from '../keys/live-key.ts';
import type { Group, Plan } from '../keys/permissions.ts';
import { owners } from '../owners/owner-state.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { eventId } from '../secrets/record-ids.ts';
import { insert, putRows, type RowChange, remove, update } from '../state/change.ts';
import { all, first } from '../state/query.ts';
import { type Commit, type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { RowOf, ValuesOf } from '../state/table.ts';
import { newDelivery } from './delivery.ts';
import { type EndpointHealth, HEALTHY } from './endpoint-health.ts';
import { appendedEvent } from './event-storage.ts';
import { type EventContent, NEW_MAIL, type SubscribedType } from './webhook-event.ts';
import {
  deliveries,
  deliveryRow,
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

/** Webhook endpoints. */
export type EndpointStorage = ReturnType<typeof endpointStorage>;

/** @param random  source of the ids of events */
export function endpointStorage({ unit, look }: StateStore, random: Random) {
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
      onEndpoint('durable', { ownerId, endpointId }, (stored, lastSequence) => {
        if (stored === undefined) return unchanged(undefined);
        if (stored.endpoint.health.disabled === null) return unchanged(stored.endpoint);
        return saved({ ...stored, position: lastSequence }, { health: HEALTHY });
      }),

    /**
     * Files a `webhook.test` for the endpoint. Only this endpoint gets the event, so its delivery is filed with it.
     * Undefined: no such endpoint, or it is disabled.
     */
    testEndpoint: (request: EndpointRef & { now: Date }): Promise<DeliveryRef | undefined> =>
      onEndpoint('relaxed', request, (stored, lastSequence, storeNowMs) => {
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
            putRows(deliveries, [deliveryRow({ ...ref, log: [] }, newDelivery(storeNowMs))]),
          ],
        };
      }),
  };

  function onEndpoints<Answer>(
    commit: Commit,
    ownerId: string,
    credentialId: string | undefined,
    judge: (facts: EndpointsFacts | undefined, storeNowMs: number) => Verdict<Answer>,
  ): Promise<Answer> {
    return unit(commit, { ownerId }, endpointQueries(ownerId, credentialId), (found, storeNowMs) =>
      judge(endpointsFacts(found), storeNowMs),
    );
  }

  function onEndpoint<Answer>(
    commit: Commit,
    { ownerId, endpointId }: EndpointRef,
    judge: (stored: StoredEndpoint | undefined, lastSequence: number, storeNowMs: number) => Verdict<Answer>,
  ): Promise<Answer> {
    return onEndpoints(commit, ownerId, undefined, (facts, storeNowMs) =>
      judge(endpointOf(facts, endpointId), facts?.lastSequence ?? 0, storeNowMs),
    );
  }
}

interface StoredEndpoint {
  readonly endpoint: Endpoint;
  /** The newest event that a delivery was filed for, or that does not concern the endpoint. */
  readonly position: number;
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
  const {
    sealedPrevious,
    previousUntil,
    failingSince,
    disabled,
    position,
    takesMail: _takes,
    ...endpoint
  } = row;
  const previous =
    sealedPrevious === null || previousUntil === null
      ? null
      : { sealedSecret: sealedPrevious, until: previousUntil };
  const health = { failingSinceMs: failingSince?.getTime() ?? null, disabled };
  return { endpoint: { ...endpoint, previous, health }, position };
}

/** What changes of an endpoint, apart from its position. */
function changedColumns({ types, sealedSecret, previous, health: { failingSinceMs, disabled } }: Endpoint) {
  return {
    sealedSecret,
    sealedPrevious: previous?.sealedSecret ?? null,
    previousUntil: previous?.until ?? null,
    failingSince: failingSinceMs === null ? null : new Date(failingSinceMs),
    disabled,
    takesMail: disabled === null && types.includes(NEW_MAIL),
  };
}

export function savedEndpoint(endpoint: Endpoint, more: { readonly position?: number } = {}): RowChange {
  const { ownerId, endpointId } = endpoint;
  return update(endpoints, { ownerId, endpointId }, { ...changedColumns(endpoint), ...more });
}

/** The endpoint's id on the wire. */
export function wireEndpointId(endpointId: number): string {
  return `wh_${endpointId}`;
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

type EndpointRights = Pick<EndpointsFacts, 'credentials' | 'plan'>;

/** Whether it may receive events now: it and its key are on. */
export function mayReceive(
  { credentials }: EndpointRights,
  endpoint: Endpoint,
  signer: Signer,
  now: Date,
): boolean {
  const key = keyOf(credentials, endpoint);
  return endpoint.health.disabled === null && key !== undefined && isOn(key, signer, now);
}

/**
 * Whether it may hear now of what happens in the account: its key is on, may do what the group says, and has the account
 * inside its fences. What happens during a pause is not told later. @param accountId  null: an unnamed one
 */
export function mayReceiveOf(
  facts: EndpointRights,
  endpoint: Endpoint,
  { group, accountId }: { readonly group: Group; readonly accountId: number | null },
  signer: Signer,
  now: Date,
): boolean {
  const key = keyOf(facts.credentials, endpoint);
  if (key === undefined || !mayReceive(facts, endpoint, signer, now)) return false;
  return (
    denialOf(key, group, facts.plan, now) === undefined &&
    (accountId === null ? key.fences.accounts === null : isAccountInside(key.fences, accountId))
  );
}

function keyOf(credentials: EndpointRights['credentials'], { credentialId }: Endpoint) {
  return credentials.find((key) => key.credentialId === credentialId);
}

export function endpointOf(
  facts: EndpointsFacts | undefined,
  endpointId: number,
): StoredEndpoint | undefined {
  return facts?.endpoints.find(({ endpoint }) => endpoint.endpointId === endpointId);
}

function saved(
  { endpoint: before, position }: StoredEndpoint,
  changes: Partial<Endpoint>,
): Verdict<Endpoint> {
  const endpoint = { ...before, ...changes };
  return { answer: endpoint, changes: [savedEndpoint(endpoint, { position })] };
}
