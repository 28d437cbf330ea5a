import type { BegunAttempt, EndedAttempt } from '../../../core/events/delivery-storage.ts';
import type { Endpoint } from '../../../core/events/endpoint-storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { execute, type Key, LEASE_MS, NOON, SIGNER } from './scene.ts';

/** Endpoints and deliveries as the promises of storage need them. */

export const URL = 'https://hooks.example.org/countersign?tenant=7';

export async function addEndpoint(
  storage: Storage,
  { ownerId, credentialId }: Key,
  changes: Partial<Pick<Endpoint, 'url' | 'types'>> = {},
): Promise<Endpoint> {
  const answer = await storage.addEndpoint({
    ownerId,
    credentialId,
    url: URL,
    types: ['message.received', 'approval.decided'],
    ...changes,
    seal: (endpointId) => `secret of ${endpointId}`,
    signer: SIGNER,
    now: NOON,
  });
  if (answer.kind !== 'added') throw new Error(answer.kind);
  return answer.endpoint;
}

/** Causes one event, which each endpoint of the key receives once. */
export function happening(storage: Storage, key: Key) {
  return execute(storage, key);
}

export async function begun(
  storage: Storage,
  ownerId: string,
  { leaseMs = LEASE_MS, room = 100 } = {},
): Promise<readonly BegunAttempt[]> {
  const answer = await storage.moveDeliveries({
    ownerId,
    ends: [],
    limit: 1000,
    room: () => room,
    leaseMs,
    signer: SIGNER,
    now: NOON,
  });
  return answer.begun;
}

/** @param status  null: the receiver did not answer */
export function ended(attempt: BegunAttempt, status: number | null): EndedAttempt {
  const { endpoint, event, fence } = attempt;
  return {
    endpointId: endpoint.endpointId,
    sequence: event.sequence,
    fence,
    end: status === null ? { kind: 'unanswered' } : { kind: 'answered', status, retryAfterMs: null },
    jitter: 0.5,
    log: { at: NOON, durationMs: 12, status, text: `answer ${status}\u202e 😀` },
  };
}

/** Records how attempts ended. Starts none. */
export async function record(storage: Storage, ownerId: string, ends: readonly EndedAttempt[]) {
  const answer = await storage.moveDeliveries({
    ownerId,
    ends,
    limit: 0,
    room: () => 0,
    leaseMs: LEASE_MS,
    signer: SIGNER,
    now: NOON,
  });
  return answer.healths;
}

export function end(storage: Storage, attempt: BegunAttempt, status: number | null) {
  return record(storage, attempt.endpoint.ownerId, [ended(attempt, status)]);
}

export async function deliveriesOf(storage: Storage, { ownerId, endpointId }: Endpoint) {
  return (await storage.deliveries({ ownerId, endpointId, before: undefined, limit: 1000 })).deliveries;
}
