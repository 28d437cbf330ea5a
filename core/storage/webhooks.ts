import { type Delivery, deliveryAfter, newDelivery } from '../events/delivery.ts';
import { HEALTHY, healthAfter } from '../events/endpoint-health.ts';
import type { EventContent } from '../events/webhook-event.ts';
import { isAccountInside } from '../gate/fences.ts';
import { denialOf } from '../gate/grant.ts';
import { limitsOf } from '../gate/limits.ts';
import type {
  Change,
  EndpointsFacts,
  FactsOf,
  Judged,
  StoredDelivery,
  StoredEndpoint,
} from '../ports/store.ts';
import type { StoredEvent } from '../ports/stored-event.ts';
import type { BegunAttempt, DeliveryRef, Endpoint, WebhookStorage } from '../ports/webhook-storage.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { eventId } from '../secrets/record-ids.ts';
import { isOn } from './standing.ts';

type Request<Verb extends keyof WebhookStorage> = Parameters<WebhookStorage[Verb]>[0];
type Answer<Verb extends keyof WebhookStorage> = Awaited<ReturnType<WebhookStorage[Verb]>>;

type WebhookFacts = NonNullable<FactsOf<'webhooks'>>;

const NOTHING: readonly Change[] = [];

/** The endpoint's id on the wire. Source: API.md, Identifier formats. */
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
  const ref = { ownerId, endpointId, sequence: facts.lastSequence + 1 };
  return {
    answer: ref,
    changes: [
      { type: 'append_event', ownerId, event },
      { type: 'add_delivery', ref, delivery: newDelivery(storeNowMs) },
    ],
  };
}

/** Files deliveries for new events, starts due attempts, and drops deliveries that must not be sent anymore. */
export function beginAttempts(
  facts: FactsOf<'webhooks'>,
  { ownerId, limit, room, leaseMs, signer, now }: Request<'beginAttempts'>,
  storeNowMs: number,
): Judged<Answer<'beginAttempts'>> {
  if (facts === undefined) return { answer: { begun: [], ended: 0 }, changes: NOTHING };
  const changes: Change[] = [];
  const filed: { readonly endpoint: Endpoint; readonly event: StoredEvent }[] = [];
  for (const { endpoint, position } of facts.endpoints) {
    if (endpoint.health.disabled !== null) continue;
    const news = facts.news.filter(({ sequence }) => sequence > position);
    const last = news.at(-1);
    if (last === undefined) continue;
    changes.push({
      type: 'move_endpoint',
      ownerId,
      endpointId: endpoint.endpointId,
      position: last.sequence,
    });
    for (const event of news.filter((one) => concerns(facts, endpoint, one, signer, now))) {
      filed.push({ endpoint, event });
    }
  }
  const begun: BegunAttempt[] = [];
  let ended = 0;
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
  for (const { endpointId, event, delivery: before } of facts.due) {
    const endpoint = endpointOf(facts, endpointId)?.endpoint;
    if (endpoint === undefined) continue;
    const after = isWanted(facts, endpoint, event, signer, now)
      ? attempt(endpoint, event, before)
      : deliveryAfter(before, { type: 'drop' }, storeNowMs);
    if (after === undefined) continue;
    if (after.state !== 'waiting') ended += 1;
    const ref = { ownerId, endpointId, sequence: event.sequence };
    changes.push({ type: 'save_delivery', ref, delivery: after, log: null });
  }
  for (const { endpoint, event } of filed) {
    const filedNow = newDelivery(storeNowMs);
    const ref = { ownerId, endpointId: endpoint.endpointId, sequence: event.sequence };
    changes.push({ type: 'add_delivery', ref, delivery: attempt(endpoint, event, filedNow) ?? filedNow });
  }
  return { answer: { begun, ended }, changes };
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

/** Records how attempts ended. */
export function endAttempts(
  facts: FactsOf<'deliveries'>,
  { ownerId, ends }: Request<'endAttempts'>,
  storeNowMs: number,
): Judged<Answer<'endAttempts'>> {
  const changes: Change[] = [];
  const healths = new Map((facts?.endpoints ?? []).map((stored) => [stored.endpoint.endpointId, stored]));
  const touched = new Set<number>();
  const deliveries = new Map((facts?.deliveries ?? []).map((one) => [nameOf(one), one]));
  for (const { endpointId, sequence, fence, end, jitter, log } of ends) {
    const stored = healths.get(endpointId);
    const before = deliveries.get(`${endpointId} ${sequence}`);
    if (stored === undefined || before === undefined) continue;
    const after = deliveryAfter(before.delivery, { type: 'end', fence, end, jitter }, storeNowMs);
    if (after === undefined) continue;
    const ref = { ownerId, endpointId, sequence };
    const kept = end.kind === 'interrupted' ? before.log : [...before.log, log];
    changes.push({ type: 'save_delivery', ref, delivery: after, log: kept });
    deliveries.set(`${endpointId} ${sequence}`, { ...before, delivery: after, log: kept });
    const health = healthAfter(stored.endpoint.health, end, storeNowMs);
    healths.set(endpointId, { ...stored, endpoint: { ...stored.endpoint, health } });
    touched.add(endpointId);
  }
  const answer = [...touched].flatMap((endpointId) => {
    const stored = healths.get(endpointId);
    return stored === undefined ? [] : [stored.endpoint];
  });
  for (const endpoint of answer) {
    const before = endpointOf(facts, endpoint.endpointId)?.endpoint.health;
    const { failingSinceMs, disabled } = endpoint.health;
    const isSame = before?.failingSinceMs === failingSinceMs && before.disabled === disabled;
    if (!isSame) changes.push({ type: 'save_endpoint', endpoint });
  }
  return { answer: answer.map(({ endpointId, health }) => ({ endpointId, health })), changes };
}

/** Makes an ended delivery due again, with all attempts. */
export function redeliver(
  facts: FactsOf<'deliveries'>,
  { ownerId, endpointId, sequence }: Request<'redeliver'>,
  storeNowMs: number,
): Judged<boolean> {
  const stored = endpointOf(facts, endpointId);
  const before = facts?.deliveries.find(
    (one) => one.endpointId === endpointId && one.event.sequence === sequence,
  );
  const isOff = stored === undefined || stored.endpoint.health.disabled !== null;
  if (isOff || before === undefined || before.delivery.state === 'waiting') {
    return { answer: false, changes: NOTHING };
  }
  const { fence } = before.delivery;
  const delivery: Delivery = { ...newDelivery(storeNowMs), fence };
  const ref = { ownerId, endpointId, sequence };
  return { answer: true, changes: [{ type: 'save_delivery', ref, delivery, log: [] }] };
}

function nameOf({ endpointId, event }: StoredDelivery): string {
  return `${endpointId} ${event.sequence}`;
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
