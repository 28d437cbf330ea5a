import * as z from 'zod';
import { messageIdShape, timestamp } from '../../../core/tools/result-shapes.ts';
import type { JsonObject } from '../json-body.ts';
import { jsonContent } from './examples.ts';
import { jsonSchemaOf } from './json-schema.ts';

/** What an endpoint of the owner's is sent: identifiers only. Source: API.md, Events. */

const accountId = z.int().nullable();

const EVENTS: readonly { type: string; when: string; data: z.ZodRawShape }[] = [
  {
    type: 'message.received',
    when: 'New mail arrived in the INBOX of a connected account; for keys that may read mail.',
    data: { account_id: accountId, message_id: messageIdShape },
  },
  {
    type: 'approval.decided',
    when: 'A request that this key filed was approved, rejected, executed, failed, or ended with an unknown outcome.',
    data: {
      approval_id: z.string().regex(/^apr_/).max(26),
      state: z.enum(['approved', 'rejected', 'executed', 'failed', 'outcome_unknown']),
      account_id: accountId,
    },
  },
  {
    type: 'webhook.test',
    when: 'The owner pressed "Send test event" in the dashboard.',
    data: { endpoint_id: z.string().meta({ examples: ['wh_1'] }) },
  },
];

const HEADERS: readonly { name: string; description: string; schema: JsonObject }[] = [
  {
    name: 'Service-Signature',
    description:
      't=<unix seconds>,v1=<hex>: HMAC-SHA256 of "<t>.<raw body>" keyed with the whole endpoint secret. For 24 hours after a rotation a second v1, of the previous secret, follows. Accept any that matches; refuse a t more than 300 seconds from your clock.',
    schema: { type: 'string', pattern: '^t=[0-9]+(,v1=[0-9a-f]{64}){1,2}$' },
  },
  {
    name: 'Service-Event-Id',
    description: 'The id of the body: events can come more than once.',
    schema: { type: 'string', pattern: '^evt_' },
  },
  {
    name: 'Service-Event-Type',
    description: 'The type of the body.',
    schema: { type: 'string', enum: EVENTS.map(({ type }) => type) },
  },
  {
    name: 'Service-Delivery-Attempt',
    description: 'Which attempt this is.',
    schema: { type: 'integer', minimum: 1, maximum: 6 },
  },
];

export function webhooks(): JsonObject {
  return Object.fromEntries(EVENTS.map((event) => [event.type, { post: delivery(event) }]));
}

function delivery({ type, when, data }: (typeof EVENTS)[number]): JsonObject {
  const { schema } = jsonSchemaOf(
    z.looseObject({
      id: z
        .string()
        .regex(/^evt_/)
        .meta({ examples: ['evt_2mJ8s0Qx'] }),
      type: z.literal(type),
      created_at: timestamp,
      api_version: z.literal('v1'),
      data: z.looseObject(data),
    }),
  );
  return {
    operationId: type.replace('.', '_'),
    summary: type,
    description: when,
    tags: ['events'],
    security: [],
    parameters: HEADERS.map((header) => ({ ...header, in: 'header', required: true })),
    requestBody: {
      required: true,
      content: jsonContent(schema, {}),
    },
    responses: {
      '2XX': { description: 'Delivered, when it comes within 10 seconds.' },
      '4XX': { description: 'Not delivered; tried again, up to 6 attempts over about 23 hours.' },
    },
  };
}
