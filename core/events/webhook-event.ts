import * as z from 'zod';
import { REPORTED_STATES } from '../approvals/approval.ts';
import { messageIdShape, timestamp } from '../contract/shapes.ts';

/** The body of a webhook request: identifiers only, never content. */

const accountId = z.int().nullable().meta({ description: 'null: it concerns no account.' });

/** Every type of event: when it happens, and what its `data` contains. */
export const EVENTS = {
  'message.received': {
    when: 'New mail arrived in the INBOX of a connected account; for keys that may read mail.',
    data: z.object({ account_id: accountId, message_id: messageIdShape }),
  },
  'approval.decided': {
    when: 'A request that this key filed was approved, rejected, executed, failed, or ended with an unknown outcome.',
    data: z.object({
      approval_id: z.string().regex(/^apr_/).max(26),
      state: z.enum(REPORTED_STATES),
      account_id: accountId,
    }),
  },
  'webhook.test': {
    when: 'The owner pressed "Send test event" in the dashboard.',
    data: z.object({ endpoint_id: z.string().meta({ description: 'Such as wh_1.', examples: ['wh_1'] }) }),
  },
} as const;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = [
  'message.received',
  'approval.decided',
  'webhook.test',
] as const satisfies EventType[];

/** The types that an endpoint can subscribe to. `webhook.test` only goes to the endpoint under test. */
export const SUBSCRIBED_TYPES = ['message.received', 'approval.decided'] as const satisfies EventType[];
export type SubscribedType = (typeof SUBSCRIBED_TYPES)[number];

/** The content of an event. */
export type EventContent = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly data: z.infer<(typeof EVENTS)[Type]['data']>;
  };
}[EventType];

/** @throws ZodError if the input is not the content of an event */
export function eventContent(value: { readonly type: string; readonly data: unknown }): EventContent {
  return contents.parse(value);
}

const contents = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message.received'), data: EVENTS['message.received'].data }),
  z.object({ type: z.literal('approval.decided'), data: EVENTS['approval.decided'].data }),
  z.object({ type: z.literal('webhook.test'), data: EVENTS['webhook.test'].data }),
]);

/** The body that a receiver gets. Later versions may add fields. */
export function webhookEnvelope<Type extends EventType>(type: Type) {
  return z.looseObject({
    id: z
      .string()
      .regex(/^evt_/)
      .meta({ examples: ['evt_2mJ8s0Qx'] }),
    type: z.literal(type),
    created_at: timestamp,
    api_version: z.literal('v1'),
    data: z.looseObject(EVENTS[type].data.shape),
  });
}

export const webhookEvent = z.discriminatedUnion('type', [
  webhookEnvelope('message.received'),
  webhookEnvelope('approval.decided'),
  webhookEnvelope('webhook.test'),
]);

export type WebhookEvent = z.infer<typeof webhookEvent>;

/** Returns the bytes to post. They are the same in every attempt. */
export function webhookBody({ id, type, createdAt, data }: EventContent & PostedEvent): Uint8Array {
  const body = { id, type, created_at: createdAt.toISOString(), api_version: 'v1', data };
  return Buffer.from(JSON.stringify(body), 'utf8');
}

/**
 * The headers that Countersign sends with the body.
 * @param attempt  1 to 6
 * @param signature  the value of `Service-Signature`
 */
export function webhookHeaders(
  { id, type }: { readonly id: string; readonly type: EventType },
  attempt: number,
  signature: string,
): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'user-agent': 'countersign',
    'service-signature': signature,
    'service-event-id': id,
    'service-event-type': type,
    'service-delivery-attempt': String(attempt),
  };
}

interface PostedEvent {
  readonly id: string;
  readonly createdAt: Date;
}
