import * as z from 'zod';
import { REPORTED_STATES } from '../approvals/approval.ts';
import { messageIdShape, timestamp } from '../contract/shapes.ts';
import type { Group } from '../keys/permissions.ts';

/** The body of a webhook request: identifiers only, never content. */

const accountId = z.int().nullable().meta({ description: 'null: it concerns no account.' });

interface Described {
  /** When it happens. */
  readonly when: string;
  /** Whether endpoints and listeners can ask for it. One that they cannot goes to the endpoint under test only. */
  readonly isSubscribed: boolean;
}

/** An event of a group is told to keys that may do what the group says, in the account that it names. */
type EventDescription = Described &
  (
    | { readonly group: Group; readonly data: z.ZodObject<{ readonly account_id: typeof accountId }> }
    /** It is about what the key itself asked for. */
    | { readonly group: null; readonly data: z.ZodObject }
  );

/** Every type of event. What else depends on the type follows from this table. */
export const EVENTS = {
  'message.received': {
    when: 'New mail arrived in the INBOX of a connected account; for keys that may read mail.',
    isSubscribed: true,
    group: 'mail:read',
    data: z.object({ account_id: accountId, message_id: messageIdShape }),
  },
  'approval.decided': {
    when: 'A request that this key filed was approved, rejected, executed, failed, or ended with an unknown outcome.',
    isSubscribed: true,
    group: null,
    data: z.object({
      approval_id: z.string().regex(/^apr_/).max(26),
      state: z.enum(REPORTED_STATES),
      account_id: accountId,
    }),
  },
  'webhook.test': {
    when: 'The owner pressed "Send test event" in the dashboard.',
    isSubscribed: false,
    group: null,
    data: z.object({ endpoint_id: z.string().meta({ description: 'Such as wh_1.', examples: ['wh_1'] }) }),
  },
} as const satisfies Readonly<Record<string, EventDescription>>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS).filter((name): name is EventType =>
  Object.hasOwn(EVENTS, name),
);

/** The types that an endpoint can subscribe to. */
export type SubscribedType = {
  [Type in EventType]: (typeof EVENTS)[Type]['isSubscribed'] extends true ? Type : never;
}[EventType];
export const SUBSCRIBED_TYPES = EVENT_TYPES.filter(
  (type): type is SubscribedType => EVENTS[type].isSubscribed,
);

/** What inboxes are watched for. */
export const NEW_MAIL = 'message.received' satisfies SubscribedType;

/** The content of an event. */
export type EventContent = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly data: z.input<(typeof EVENTS)[Type]['data']>;
  };
}[EventType];

/** @throws ZodError if the input is not the content of an event */
export function eventContent(value: { readonly type: string; readonly data: unknown }): EventContent {
  return contents.parse(value);
}

/** Does not compile if the schema lacks a type of event. */
function ofEveryType<Schema extends z.ZodType<{ readonly type: EventType }>>(
  schema: Schema & ([EventType] extends [z.output<Schema>['type']] ? unknown : 'a type of event is missing'),
): Schema {
  return schema;
}

const contents = ofEveryType(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('message.received'), data: EVENTS['message.received'].data }),
    z.object({ type: z.literal('approval.decided'), data: EVENTS['approval.decided'].data }),
    z.object({ type: z.literal('webhook.test'), data: EVENTS['webhook.test'].data }),
  ]),
);

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

export const webhookEvent = ofEveryType(
  z.discriminatedUnion('type', [
    webhookEnvelope('message.received'),
    webhookEnvelope('approval.decided'),
    webhookEnvelope('webhook.test'),
  ]),
);

export type WebhookEvent = z.input<typeof webhookEvent>;

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
