import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { WebhookEnd, WebhookSender } from '../ports/webhook-sender.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { createAttempts } from '../work/attempts.ts';
import { IN_FLIGHT_MAX, roomOfEndpoint, roomOfOwner } from './attempt-room.ts';
import { ATTEMPT_MS, type AttemptEnd, isSuccess } from './delivery.ts';
import type { BegunAttempt, EndedAttempt } from './delivery-storage.ts';
import type { Endpoint } from './endpoint-storage.ts';
import { retryAfterMs } from './retry-after.ts';
import { signatureHeader } from './signature.ts';
import { webhookBody, webhookHeaders } from './webhook-event.ts';

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
/** Few, so that others get connections to the database too. */
const TURNS_AT_ONCE = 4;

export function sealEndpointSecret(
  keyring: Keyring,
  ownerId: string,
  endpointId: number,
  secret: string,
): string {
  return keyring.seal(STORED.endpointSecret, `${ownerId}\n${endpointId}`, secret);
}

/** @param wake  starts a round soon. Each attempt that ends calls it. */
export function createWebhookDelivery(
  ports: Ports,
  sender: WebhookSender,
  keyring: Keyring,
  wake: () => void,
): WebhookDelivery {
  const { storage, clock, log } = ports;
  let isStopped = false;
  const requests = createAttempts(clock);
  const underWay = new Set<Promise<void>>();
  /** Attempts that run now, by owner and by endpoint. */
  const ofOwner = new Map<string, number>();
  const ofEndpoint = new Map<string, number>();
  /** How attempts ended that are not recorded yet, by owner. */
  const ended = new Map<string, EndedAttempt[]>();
  /** By endpoint as a turn loaded it, so a turn opens each secret once. */
  const secrets = new WeakMap<Endpoint, readonly string[]>();
  /** The owner who had the last turn. */
  let lastOwner = '';

  /** Gives every owner one turn. @returns whether there may be more to start */
  async function circle(): Promise<boolean> {
    const recorders = new Set(ended.keys());
    const hasRoom = !isStopped && underWay.size < IN_FLIGHT_MAX;
    const query = { after: lastOwner, limit: OWNERS_AT_ONCE };
    const left = hasRoom ? [...(await storage.ownersWithDeliveries(query))] : [];
    let hasMoved = false;
    async function takeAll(turns: readonly Turn[]): Promise<void> {
      for (const { ownerId } of turns) recorders.delete(ownerId);
      const moved = await Promise.all(turns.map(take));
      hasMoved ||= moved.includes(true);
    }
    while (left.length > 0 && underWay.size < IN_FLIGHT_MAX && !isStopped) await takeAll(nextTurns(left));
    // Owners without a due delivery, or without room for one.
    const others = [...recorders].map((ownerId) => ({ ownerId, limit: 0 }));
    while (others.length > 0) await takeAll(others.splice(0, TURNS_AT_ONCE));
    return hasMoved;
  }

  /** Removes the next owners from the circle, and shares the room among them and those after them. */
  function nextTurns(left: string[]): readonly Turn[] {
    const turns: Turn[] = [];
    let all = underWay.size;
    while (turns.length < TURNS_AT_ONCE && all < IN_FLIGHT_MAX) {
      const ownerId = left.shift();
      if (ownerId === undefined) break;
      lastOwner = ownerId;
      const limit = roomOfOwner({ all, ofOwner: ofOwner.get(ownerId) ?? 0 }, left.length + 1);
      all += limit;
      if (limit > 0) turns.push({ ownerId, limit });
    }
    return turns;
  }

  /** @returns whether there may be more to start */
  async function take({ ownerId, limit }: Turn): Promise<boolean> {
    const ends = ended.get(ownerId) ?? [];
    ended.delete(ownerId);
    try {
      const moved = await storage.moveDeliveries({
        ownerId,
        ends,
        limit,
        room: (endpointId) => roomOfEndpoint(ofEndpoint.get(endpointName({ ownerId, endpointId })) ?? 0),
        leaseMs: LEASE_MS,
        signer: keyring,
        now: clock.now(),
      });
      for (const { health } of moved.healths) {
        if (health.disabled !== null)
          log.warn('a webhook endpoint was disabled', { reason: health.disabled });
      }
      for (const attempt of moved.begun) begin(attempt);
      return moved.hasMore;
    } catch (error) {
      const fields = { ends: ends.length, ...errorName(error) };
      log.error('webhook deliveries of an owner were not stored: attempts that ended are made again', fields);
      return false;
    }
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
    const work = deliver(attempt).then((end) => {
      count(ofOwner, ownerId, -1);
      count(ofEndpoint, endpoint, -1);
      underWay.delete(work);
      const ends = ended.get(ownerId);
      if (ends === undefined) ended.set(ownerId, [end]);
      else ends.push(end);
      wake();
    });
    underWay.add(work);
  }

  async function deliver(attempt: BegunAttempt): Promise<EndedAttempt> {
    const at = clock.now();
    const answer = await post(attempt, at).catch((error: unknown): WebhookEnd => {
      log.error('a webhook request could not be made', errorName(error));
      return { kind: 'unanswered', reason: 'The request could not be made. The log of the server says why.' };
    });
    const now = clock.now();
    const durationMs = Math.max(0, now.getTime() - at.getTime());
    const text = answer.kind === 'answered' ? '' : answer.reason;
    const status = answer.kind === 'answered' ? answer.status : null;
    const end =
      requests.isInterrupted() && answer.kind === 'unanswered' ? INTERRUPTED : attemptEnd(answer, now);
    const { endpoint, event, fence } = attempt;
    return {
      endpointId: endpoint.endpointId,
      sequence: event.sequence,
      fence,
      end,
      // Only the wait for the next attempt uses it, and random bytes cost more than the signature.
      jitter: isSuccess(end) ? 0 : fraction(ports.random(4)),
      log: { at, durationMs, status, text },
    };
  }

  async function post({ endpoint, event, attempt }: BegunAttempt, at: Date): Promise<WebhookEnd> {
    const body = webhookBody(event);
    const opened = secrets.get(endpoint) ?? liveSecrets(keyring, endpoint, at);
    secrets.set(endpoint, opened);
    const signature = signatureHeader(body, opened, Math.floor(at.getTime() / 1000));
    return requests.run((signal) =>
      sender.post({
        url: endpoint.url,
        headers: webhookHeaders(event, attempt, signature),
        body,
        timeLimitMs: ATTEMPT_MS,
        signal,
      }),
    );
  }

  return {
    round,
    async stop(graceMs) {
      isStopped = true;
      const callOff = requests.interruptAfter(graceMs);
      // A round may still start the attempts that it has claimed.
      await roundEnded;
      while (underWay.size > 0) {
        await Promise.race(underWay);
        await circle();
      }
      await circle();
      callOff();
    },
  };
}

/** An owner's turn: how many attempts it may start. */
interface Turn {
  readonly ownerId: string;
  readonly limit: number;
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
  return sealed.map((one) => keyring.open(STORED.endpointSecret, `${ownerId}\n${endpointId}`, one));
}

function attemptEnd(end: WebhookEnd, now: Date): AttemptEnd {
  if (end.kind === 'unanswered') return { kind: 'unanswered' };
  return { kind: 'answered', status: end.status, retryAfterMs: retryAfterMs(end.retryAfter, now) };
}

/** 0 to 1 */
function fraction(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32BE(0) / 0xff_ff_ff_ff;
}
