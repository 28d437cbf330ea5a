import { setTimeout as delay } from 'node:timers/promises';
import { verifyWebhook } from '../../../hosts/webhooks/verify-webhook.ts';
import type { WebhookReceiver } from '../../servers/webhook-receiver.ts';
import type { Dice } from './mutation.ts';
import type { ReportedEvent } from './new-mail-ledger.ts';

export const ANSWER_FAULTS = ['status 500', 'dropped request', 'slow answer'] as const;
type AnswerFault = (typeof ANSWER_FAULTS)[number];

/** The events that the receiver got. The message of each is read once the event arrives. */
export interface ReceivedEvents {
  readonly events: readonly ReportedEvent[];
  /** Webhook requests, repeats included. */
  readonly requests: number;
  /** How many messages the events report. */
  reported(): number;
  /** Answers every request with 204 from now on. */
  calm(): void;
  /** Stops reading messages. */
  stop(): Promise<void>;
}

export interface EventsOptions {
  readonly secret: string;
  /** @returns the subject of the message; undefined if it could not be read */
  readonly readSubject: (messageId: unknown) => Promise<string | undefined>;
  /** Decides how the receiver answers. */
  readonly roll: Dice;
  readonly onAnswerFault: (fault: AnswerFault) => void;
  /** Receives what is wrong with a request. */
  readonly onWrong: (what: string) => void;
}

/** The share of first attempts that each fault hits. */
const FAULT_SHARE = 0.08;
const SLOW_MOST_MS = 2000;
const TRY_AGAIN_MS = 100;

export function receiveEvents(receiver: WebhookReceiver, options: EventsOptions): ReceivedEvents {
  const { secret, readSubject, roll, onAnswerFault, onWrong } = options;
  const events = new Map<string, ReportedEvent>();
  const unread: { readonly event: ReportedEvent; readonly messageId: unknown }[] = [];
  let requests = 0;
  let isCalm = false;
  let isStopped = false;

  function take({ body, headers }: WebhookReceiver['requests'][number]): void {
    requests += 1;
    const event = verifyWebhook(body, headers, secret);
    if (event.type !== 'message.received') {
      onWrong(`the receiver got ${event.type}`);
      return;
    }
    const text = body.toString();
    const known = events.get(event.id);
    if (known === undefined) {
      const first = { eventId: event.id, body: text, subject: undefined };
      events.set(event.id, first);
      unread.push({ event: first, messageId: event.data.message_id });
    } else if (known.body !== text) {
      onWrong(`${event.id}: repeated with a different body`);
    }
  }

  /** Only a first attempt fails on purpose: after a second failure the next attempt comes 10 minutes later. */
  function faultOf({ headers }: WebhookReceiver['requests'][number]): AnswerFault | undefined {
    if (isCalm || headers['service-delivery-attempt'] !== '1') return undefined;
    return ANSWER_FAULTS[Math.floor(roll() / FAULT_SHARE)];
  }

  receiver.answer = (request, response, incoming) => {
    take(request);
    const fault = faultOf(request);
    if (fault !== undefined) onAnswerFault(fault);
    switch (fault) {
      case 'status 500':
        response.writeHead(500).end();
        break;
      case 'dropped request':
        incoming.socket.destroy();
        break;
      case 'slow answer':
        setTimeout(() => response.writeHead(204).end(), roll() * SLOW_MOST_MS);
        break;
      case undefined:
        response.writeHead(204).end();
    }
  };

  async function readAll(): Promise<void> {
    while (!isStopped) {
      const next = unread.shift();
      const subject = next && (await readSubject(next.messageId));
      if (next !== undefined && subject !== undefined) {
        next.event.subject = subject;
        continue;
      }
      // A cut of its connection is not a reason to give up.
      if (next !== undefined) unread.push(next);
      await delay(TRY_AGAIN_MS);
    }
  }

  const read = readAll();
  return {
    get events() {
      return [...events.values()];
    },
    get requests() {
      return requests;
    },
    reported: () => new Set([...events.values()].flatMap(({ subject }) => subject ?? [])).size,
    calm() {
      isCalm = true;
    },
    async stop() {
      isStopped = true;
      await read;
    },
  };
}
