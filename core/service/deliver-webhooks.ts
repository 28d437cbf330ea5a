import { IN_FLIGHT_MAX, roomOfEndpoint, roomOfOwner } from '../events/attempt-room.ts';
import { ATTEMPT_MS, type AttemptEnd } from '../events/delivery.ts';
import { retryAfterMs } from '../events/retry-after.ts';
import { signatureHeader } from '../events/signature.ts';
import { webhookBody, webhookHeaders } from '../events/webhook-event.ts';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { WebhookEnd, WebhookSender } from '../ports/webhook-sender.ts';
import type { AttemptLog, BegunAttempt, EndedAttempt, Endpoint } from '../ports/webhook-storage.ts';
import type { Keyring } from '../secrets/keyring.ts';

/** Posts due events to webhook endpoints. */
export interface WebhookDelivery {
  /** Starts every due attempt that has room, owner by owner. Does not wait for the attempts to end. */
  round(): Promise<void>;
  /**
   * Starts no more attempts. Interrupts those that still run after `graceMs`, and gives back their leases, so that
   * another process can repeat them at once. @returns resolves when no attempt is running
   */
  stop(graceMs: number): Promise<void>;
}

/** Much longer than an attempt, so that the process that posted can record the result. */
const LEASE_MS = 3 * ATTEMPT_MS;
const OWNERS_AT_ONCE = 100;

const PURPOSE = 'endpoint-secret';

export function sealEndpointSecret(
  keyring: Keyring,
  ownerId: string,
  endpointId: number,
  secret: string,
): string {
  return keyring.seal(PURPOSE, `${ownerId}\n${endpointId}`, secret);
}

/** @param wake  starts a round soon. An attempt that ends calls it if others may have waited for its place. */
export function createWebhookDelivery(
  ports: Ports,
  sender: WebhookSender,
  keyring: Keyring,
  wake: () => void,
): WebhookDelivery {
  const { storage, clock, log } = ports;
  let isStopped = false;
  let isInterrupted = false;
  /** Requests that run. Each has its own signal: Node warns if more than ten listen to one. */
  const requests = new Set<AbortController>();
  const underWay = new Set<Promise<void>>();
  /** Attempts that run now, by owner and by endpoint. */
  const ofOwner = new Map<string, number>();
  const ofEndpoint = new Map<string, number>();
  const ended = new Map<string, EndedAttempt[]>();
  /** The owner who had the last turn. */
  let lastOwner = '';

  /** Gives every owner one turn. @returns whether an attempt was started or a delivery ended */
  async function circle(): Promise<boolean> {
    const owners = await storage.ownersWithDeliveries({ after: lastOwner, limit: OWNERS_AT_ONCE });
    let hasWorked = false;
    for (const [index, ownerId] of owners.entries()) {
      if (isStopped || underWay.size >= IN_FLIGHT_MAX) return false;
      lastOwner = ownerId;
      const running = { all: underWay.size, ofOwner: ofOwner.get(ownerId) ?? 0 };
      const limit = roomOfOwner(running, owners.length - index);
      if (limit === 0) continue;
      const { begun, ended: endedNow } = await storage.beginAttempts({
        ownerId,
        limit,
        room: (endpointId) => roomOfEndpoint(ofEndpoint.get(endpointName({ ownerId, endpointId })) ?? 0),
        leaseMs: LEASE_MS,
        signer: keyring,
        now: clock.now(),
      });
      for (const attempt of begun) begin(attempt);
      if (begun.length + endedNow > 0) hasWorked = true;
    }
    return hasWorked;
  }

  async function circles(): Promise<void> {
    // What one owner leaves of its share goes to the others in the next circle.
    while (await circle());
  }

  /** Resolves when the last round has ended, also if it failed. Its caller hears of the failure. */
  let roundEnded: Promise<void> = Promise.resolve();
  function round(): Promise<void> {
    const work = circles();
    roundEnded = work.catch(() => undefined);
    return work;
  }

  function begin(attempt: BegunAttempt): void {
    const { ownerId } = attempt.endpoint;
    const endpoint = endpointName(attempt.endpoint);
    count(ofOwner, ownerId, 1);
    count(ofEndpoint, endpoint, 1);
    const work = deliver(attempt).finally(() => {
      const running = { all: underWay.size, ofOwner: ofOwner.get(ownerId) ?? 0 };
      const wasFull = roomOfOwner(running, 1) === 0 || roomOfEndpoint(ofEndpoint.get(endpoint) ?? 0) === 0;
      count(ofOwner, ownerId, -1);
      count(ofEndpoint, endpoint, -1);
      underWay.delete(work);
      if (wasFull) wake();
    });
    underWay.add(work);
  }

  async function deliver(attempt: BegunAttempt): Promise<void> {
    const { endpoint, event } = attempt;
    const at = clock.now();
    const end = await post(attempt, at).catch((error: unknown): WebhookEnd => {
      log.error('a webhook request could not be made', errorName(error));
      return { kind: 'unanswered', reason: 'The request could not be made. The log of the server says why.' };
    });
    const durationMs = clock.now().getTime() - at.getTime();
    const text = end.kind === 'answered' ? '' : end.reason;
    const status = end.kind === 'answered' ? end.status : null;
    const line: AttemptLog = { at, durationMs: Math.max(0, durationMs), status, text };
    const { ownerId, endpointId } = endpoint;
    await record(ownerId, {
      endpointId,
      sequence: event.sequence,
      fence: attempt.fence,
      end: isInterrupted && end.kind === 'unanswered' ? INTERRUPTED : attemptEnd(end, clock.now()),
      jitter: fraction(ports.random(4)),
      log: line,
    });
  }

  async function post({ endpoint, event, attempt }: BegunAttempt, at: Date): Promise<WebhookEnd> {
    const body = webhookBody(event);
    const secrets = liveSecrets(keyring, endpoint, at);
    const signature = signatureHeader(body, secrets, Math.floor(at.getTime() / 1000));
    const abort = new AbortController();
    if (isInterrupted) abort.abort();
    requests.add(abort);
    try {
      return await sender.post({
        url: endpoint.url,
        headers: webhookHeaders(event, attempt, signature),
        body,
        timeLimitMs: ATTEMPT_MS,
        signal: abort.signal,
      });
    } finally {
      requests.delete(abort);
    }
  }

  /** Collects one owner's results while earlier ones are being written, and writes them together. */
  async function record(ownerId: string, end: EndedAttempt): Promise<void> {
    const waiting = ended.get(ownerId);
    if (waiting !== undefined) {
      waiting.push(end);
      return;
    }
    let ends = [end];
    while (ends.length > 0) {
      const more: EndedAttempt[] = [];
      ended.set(ownerId, more);
      try {
        const healths = await storage.endAttempts({ ownerId, ends, now: clock.now() });
        for (const { health } of healths) {
          if (health.disabled !== null)
            log.warn('a webhook endpoint was disabled', { reason: health.disabled });
        }
      } catch (error) {
        log.error('ends of webhook attempts were not recorded: they are made again', errorName(error));
      }
      ends = more;
      if (ends.length === 0) ended.delete(ownerId);
    }
  }

  return {
    round,
    async stop(graceMs) {
      isStopped = true;
      const giveUp = clock.after(graceMs, () => {
        isInterrupted = true;
        for (const abort of requests) abort.abort();
      });
      // A round may still start the attempts that it has claimed.
      await roundEnded;
      await Promise.all(underWay);
      giveUp();
    },
  };
}

const INTERRUPTED = { kind: 'interrupted' } as const;

function endpointName({
  ownerId,
  endpointId,
}: {
  readonly ownerId: string;
  readonly endpointId: number;
}): string {
  return `${ownerId} ${endpointId}`;
}

function count(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const after = (counts.get(name) ?? 0) + change;
  if (after === 0) counts.delete(name);
  else counts.set(name, after);
}

/** The newest secret first, then the previous one while its overlap lasts. */
function liveSecrets(keyring: Keyring, endpoint: Endpoint, now: Date): readonly string[] {
  const { ownerId, endpointId, sealedSecret, previous } = endpoint;
  const sealed = [
    sealedSecret,
    ...(previous !== null && previous.until > now ? [previous.sealedSecret] : []),
  ];
  return sealed.map((one) => keyring.open(PURPOSE, `${ownerId}\n${endpointId}`, one));
}

function attemptEnd(end: WebhookEnd, now: Date): AttemptEnd {
  if (end.kind === 'unanswered') return { kind: 'unanswered' };
  return { kind: 'answered', status: end.status, retryAfterMs: retryAfterMs(end.retryAfter, now) };
}

/** 0 to 1 */
function fraction(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32BE(0) / 0xff_ff_ff_ff;
}
