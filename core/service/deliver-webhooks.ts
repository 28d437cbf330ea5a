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
  /** Starts every due attempt that has room. Does not wait for the attempts to end. */
  round(): Promise<void>;
  /** Starts no more attempts. @returns resolves when every running attempt has ended */
  stop(): Promise<void>;
}

const IN_FLIGHT_MAX = 64;
/** The most attempts that one unresponsive receiver can block. */
const PER_ENDPOINT_MAX = 4;
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

export function createWebhookDelivery(
  ports: Ports,
  sender: WebhookSender,
  keyring: Keyring,
): WebhookDelivery {
  const { storage, clock, log } = ports;
  let isStopped = false;
  const underWay = new Set<Promise<void>>();
  const inFlight = new Map<string, number>();
  const ended = new Map<string, EndedAttempt[]>();

  async function round(): Promise<void> {
    for (const ownerId of await storage.ownersWithDeliveries(OWNERS_AT_ONCE)) {
      if (isStopped || underWay.size >= IN_FLIGHT_MAX) return;
      const room = (endpointId: number) => PER_ENDPOINT_MAX - (inFlight.get(`${ownerId} ${endpointId}`) ?? 0);
      const begun = await storage.beginAttempts({
        ownerId,
        limit: IN_FLIGHT_MAX - underWay.size,
        room,
        leaseMs: LEASE_MS,
        signer: keyring,
        now: clock.now(),
      });
      for (const attempt of begun) begin(attempt);
    }
  }

  function begin(attempt: BegunAttempt): void {
    const { ownerId, endpointId } = attempt.endpoint;
    const name = `${ownerId} ${endpointId}`;
    inFlight.set(name, (inFlight.get(name) ?? 0) + 1);
    const work = deliver(attempt).finally(() => {
      const left = (inFlight.get(name) ?? 1) - 1;
      if (left === 0) inFlight.delete(name);
      else inFlight.set(name, left);
      underWay.delete(work);
      // Another attempt may be due for the place that is free now.
      if (!isStopped) again();
    });
    underWay.add(work);
  }

  let isAgain = false;
  function again(): void {
    if (isAgain) return;
    isAgain = true;
    clock.after(0, () => {
      isAgain = false;
      round().catch((error: unknown) => log.error('webhooks could not be looked at', errorName(error)));
    });
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
      end: attemptEnd(end, clock.now()),
      jitter: fraction(ports.random(4)),
      log: line,
    });
  }

  async function post({ endpoint, event, attempt }: BegunAttempt, at: Date): Promise<WebhookEnd> {
    const body = webhookBody(event);
    const secrets = liveSecrets(keyring, endpoint, at);
    const signature = signatureHeader(body, secrets, Math.floor(at.getTime() / 1000));
    return sender.post({
      url: endpoint.url,
      headers: webhookHeaders(event, attempt, signature),
      body,
      timeLimitMs: ATTEMPT_MS,
    });
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
    async stop() {
      isStopped = true;
      await Promise.all(underWay);
    },
  };
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
