import { type Delivery, deliveryAfter, newDelivery } from '../events/delivery.ts';
import { type EndpointHealth, HEALTHY, healthAfter } from '../events/endpoint-health.ts';
import { appendedEvent, type StoredEvent } from '../events/event-storage.ts';
import type { EventContent } from '../events/webhook-event.ts';
import { isAccountInside } from '../gate/fences.ts';
import { denialOf } from '../gate/grant.ts';
import { limitsOf } from '../gate/limits.ts';
import type {
  AnyChange,
  EndpointsFacts,
  FactsOf,
  Judged,
  StoredDelivery,
  StoredEndpoint,
} from '../ports/store.ts';
import type { BegunAttempt, DeliveryRef, Endpoint, WebhookStorage } from '../ports/webhook-storage.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { eventId } from '../secrets/record-ids.ts';
import { isOn } from './standing.ts';

type Request<Verb extends keyof WebhookStorage> = Parameters<WebhookStorage[Verb]>[0];
type Answer<Verb extends keyof WebhookStorage> = Awaited<ReturnType<WebhookStorage[Verb]>>;

type WebhookFacts = NonNullable<FactsOf<'webhooks'>>;

const NOTHING: readonly AnyChange[] = [];

/** The endpoint's id on the wire. */
export function wireEndpointId(endpointId: number): string {
  return `wh_${endpointId}`;
}

export function addEndpoint(
  facts: EndpointsFacts | undefined,
  { ownerId, credentialId, url, types, seal, signer, now }: Request<'addEndpoint'>,
): Judged<Answer<'addEndpoint'>> {
  const key = facts?.credentials.find((one) => one.credentialId === credentialId);
  if (facts === undefined || key === undefined || !isOn(key, signer, now)) {
    return { answer: { kind: 'no_key' }, changes: NOTHING };
  }
  const most = limitsOf(facts.plan, facts.limits).webhookEndpoints;
  if (facts.endpoints.length >= most) return { answer: { kind: 'too_many', most }, changes: NOTHING };
  const endpointId = facts.lastEndpointId + 1;
  const endpoint: Endpoint = {
    ownerId,
    endpointId,
    credentialId,
    url,
    types,
    sealedSecret: seal(endpointId),
    previous: null,
    health: HEALTHY,
    createdAt: now,
  };
  const stored = { endpoint, position: facts.lastSequence };
  return { answer: { kind: 'added', endpoint }, changes: [{ type: 'add_endpoint', stored }] };
}

export function removeEndpoint(
  facts: EndpointsFacts | undefined,
  ownerId: string,
  endpointId: number,
): Judged<boolean> {
  if (endpointOf(facts, endpointId) === undefined) return { answer: false, changes: NOTHING };
  return { answer: true, changes: [{ type: 'remove_endpoint', ownerId, endpointId }] };
}

export function rotateEndpoint(
  facts: EndpointsFacts | undefined,
  { endpointId, sealedSecret, overlapUntil }: Request<'rotateEndpoint'>,
): Judged<Endpoint | undefined> {
  const stored = endpointOf(facts, endpointId);
  if (stored === undefined) return { answer: undefined, changes: NOTHING };
  const previous = { sealedSecret: stored.endpoint.sealedSecret, until: overlapUntil };
  return saved(stored, { sealedSecret, previous });
}

export function enableEndpoint(
  facts: EndpointsFacts | undefined,
  endpointId: number,
): Judged<Endpoint | undefined> {
  const stored = endpointOf(facts, endpointId);
  if (facts === undefined || stored === undefined) return { answer: undefined, changes: NOTHING };
  if (stored.endpoint.health.disabled === null) return { answer: stored.endpoint, changes: NOTHING };
  return saved({ ...stored, position: facts.lastSequence }, { health: HEALTHY });
}

/** Only this endpoint gets the event, so its delivery is filed with it. */
export function testEndpoint(
  facts: EndpointsFacts | undefined,
  { ownerId, endpointId, now }: Request<'testEndpoint'>,
  storeNowMs: number,
  random: Random,
): Judged<DeliveryRef | undefined> {
  const stored = endpointOf(facts, endpointId);
  if (facts === undefined || stored === undefined || stored.endpoint.health.disabled !== null) {
    return { answer: undefined, changes: NOTHING };
  }
  const { credentialId } = stored.endpoint;
  const content: EventContent = { type: 'webhook.test', data: { endpoint_id: wireEndpointId(endpointId) } };
  const event = { ...content, id: eventId(random), credentialId, createdAt: now };
  const ref = { endpointId, sequence: facts.lastSequence + 1 };
  const deliveries = [{ ...ref, delivery: newDelivery(storeNowMs), log: [] }];
  return {
    answer: { ownerId, ...ref },
    changes: [appendedEvent(ownerId, event), { type: 'save_deliveries', ownerId, deliveries }],
  };
}

/**
 * Records how attempts ended, files deliveries for new events, starts due attempts, and drops deliveries that must not be
 * sent anymore.
 */
export function moveDeliveries(
  loaded: FactsOf<'webhooks'>,
  request: Request<'moveDeliveries'>,
  storeNowMs: number,
): Judged<Answer<'moveDeliveries'>> {
  if (loaded === undefined) return { answer: { begun: [], hasMore: false, healths: [] }, changes: NOTHING };
  const { ownerId } = request;
  const changes: AnyChange[] = [];
  /** The deliveries that change, by name. */
  const moved = new Map<string, StoredDelivery>();
  const { facts, healths } = endAttempts(loaded, request, storeNowMs, moved, changes);
  const { begun, hasMore } = beginAttempts(facts, request, storeNowMs, moved, changes);
  if (moved.size > 0) changes.push({ type: 'save_deliveries', ownerId, deliveries: [...moved.values()] });
  return { answer: { begun, hasMore, healths }, changes };
}

/** @returns the facts after the ends, with the new healths of the endpoints */
function endAttempts(
  facts: WebhookFacts,
  { ends }: Request<'moveDeliveries'>,
  storeNowMs: number,
  moved: Map<string, StoredDelivery>,
  changes: AnyChange[],
): { readonly facts: WebhookFacts; readonly healths: Answer<'moveDeliveries'>['healths'] } {
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
    changes.push({ type: 'save_endpoint', endpoint: changed });
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
  { ownerId, limit, room, leaseMs, signer, now }: Request<'moveDeliveries'>,
  storeNowMs: number,
  moved: Map<string, StoredDelivery>,
  changes: AnyChange[],
): Pick<Answer<'moveDeliveries'>, 'begun' | 'hasMore'> {
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
    if (before < position) changes.push({ type: 'move_endpoint', ownerId, endpointId, position });
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

/** Makes an ended delivery due again, with all attempts. */
export function redeliver(
  facts: FactsOf<'delivery'>,
  { ownerId, endpointId, sequence }: Request<'redeliver'>,
  storeNowMs: number,
): Judged<boolean> {
  const stored = endpointOf(facts, endpointId);
  const before = facts?.delivery?.delivery;
  const isOff = stored === undefined || stored.endpoint.health.disabled !== null;
  if (isOff || before === undefined || before.state === 'waiting') return { answer: false, changes: NOTHING };
  const delivery: Delivery = { ...newDelivery(storeNowMs), fence: before.fence };
  const deliveries = [{ endpointId, sequence, delivery, log: [] }];
  return { answer: true, changes: [{ type: 'save_deliveries', ownerId, deliveries }] };
}

function nameOf({ endpointId, sequence }: Omit<DeliveryRef, 'ownerId'>): string {
  return `${endpointId} ${sequence}`;
}

function endpointOf(facts: EndpointsFacts | undefined, endpointId: number): StoredEndpoint | undefined {
  return facts?.endpoints.find(({ endpoint }) => endpoint.endpointId === endpointId);
}

function saved(stored: StoredEndpoint, changes: Partial<Endpoint>): Judged<Endpoint> {
  const endpoint = { ...stored.endpoint, ...changes };
  const { ownerId, endpointId } = endpoint;
  const { position } = stored;
  return {
    answer: endpoint,
    changes: [
      { type: 'save_endpoint', endpoint },
      { type: 'move_endpoint', ownerId, endpointId, position },
    ],
  };
}
