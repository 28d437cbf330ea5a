import type * as z from 'zod';
import { ATTEMPTS_MAX } from '../../../core/events/delivery.ts';
import { TOLERANCE_S } from '../../../core/events/signature.ts';
import { EVENT_TYPES, EVENTS, type EventType, webhookEnvelope } from '../../../core/events/webhook-event.ts';
import type { JsonObject } from '../json-body.ts';
import { jsonContent } from './examples.ts';
import { ref, type Schemas, typeName } from './json-schema.ts';

/** The requests that an owner's endpoint receives: identifiers only. */

export const HEADERS: readonly { name: string; description: string; schema: JsonObject }[] = [
  {
    name: 'Service-Signature',
    description: `t=<unix seconds>,v1=<hex>: HMAC-SHA256 of "<t>.<raw body>" keyed with the whole endpoint secret. For 24 hours after a rotation a second v1, of the previous secret, follows. Accept any that matches; refuse a t more than ${TOLERANCE_S} seconds from your clock.`,
    schema: { type: 'string', pattern: '^t=[0-9]+(,v1=[0-9a-f]{64}){1,2}$' },
  },
  {
    name: 'Service-Event-Id',
    description: 'The id of the event, as in the body. Events can arrive more than once.',
    schema: { type: 'string', pattern: '^evt_' },
  },
  {
    name: 'Service-Event-Type',
    description: 'The type of the event, as in the body.',
    schema: { type: 'string', enum: [...EVENT_TYPES] },
  },
  {
    name: 'Service-Delivery-Attempt',
    description: 'The number of this attempt, from 1.',
    schema: { type: 'integer', minimum: 1, maximum: ATTEMPTS_MAX },
  },
];

/** `MessageReceivedEvent` for `message.received`. */
function schemaName(type: EventType): string {
  return `${typeName(type)}Event`;
}

/** The bodies of the requests, by the names of their schemas. */
export const EVENT_SCHEMAS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  EVENT_TYPES.map((type) => [schemaName(type), webhookEnvelope(type)]),
);

export function webhooks(schemas: Schemas): JsonObject {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: delivery(type, schemas) }]));
}

function delivery(type: EventType, schemas: Schemas): JsonObject {
  return {
    operationId: type.replace('.', '_'),
    summary: type,
    description: EVENTS[type].when,
    tags: ['events'],
    security: [],
    parameters: HEADERS.map((header) => ({ ...header, in: 'header', required: true })),
    requestBody: {
      required: true,
      content: jsonContent(ref(schemaName(type)), schemas),
    },
    responses: {
      '2XX': { description: 'Delivered, if it arrives within 10 seconds.' },
      '4XX': {
        description: `Not delivered; tried again, up to ${ATTEMPTS_MAX} attempts over about 23 hours.`,
      },
    },
  };
}
