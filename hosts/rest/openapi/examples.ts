import { isRecord } from '../../../core/contract/result.ts';
import type { JsonObject } from '../json-body.ts';
import type { Schemas } from './json-schema.ts';

/**
 * Examples are derived from the schemas, so that none can be missing or wrong. An example is the schema's own, or else
 * the entry of this table for a field of that name, or else the simplest value of the type.
 */
const FIELDS: Readonly<Record<string, unknown>> = {
  id: 'm1_482094175360248',
  ids: ['m1_482094175360248'],
  message_id: 'm1_482094175360248',
  approval_id: 'apr_731904826550147',
  event_id: 41,
  tracker_id: 7,
  link_id: 12,
  to: ['ada@example.org'],
  subject: 'Lunch on Friday?',
  body: 'Hello Ada,\n\nshall we have lunch on Friday?\n\nGrace',
  note: 'See below.',
  label: 'Bills',
  purpose: 'Ada asked for a date in her last message.',
  target_folder: 'Archive',
  folder: 'INBOX',
  display_name: 'INBOX',
  role: 'inbox',
  email: 'grace@example.org',
  attendee: 'ada@example.org',
  q: 'lunch friday',
  from: 'Ada Lovelace <ada@example.org>',
  since: '2026-11-01',
  cursor: 'c1_8sV3kQ0a',
  next_cursor: 'c1_8sV3kQ0a',
  limit: 20,
  total: 1,
  returned: 1,
  has_more: false,
  date: '2026-11-20T10:00:00+01:00',
  name: 'plan.pdf',
  mime: 'application/pdf',
  size: 48213,
  text: 'The plan for Friday.',
  text_chars: 20,
  text_truncated: false,
  body_chars: 52,
  body_shown: 52,
  body_offset: 0,
  body_truncated: false,
  title: 'Lunch with Ada',
  keywords: 'lunch, ada',
  due: '2026-11-30',
  start: '2026-11-27T12:30',
  duration_min: 45,
  timezone: 'Europe/Berlin',
  kind: 'pat',
  plan: 'paid',
  action: 'send',
  tool: 'send_email',
  reason: 'message',
  group: 'mail:send',
  code: 'upstream_mail_error',
  field: 'to[0]',
  rule: 'pattern',
  retry_after_s: 15,
  poll_after_s: 15,
  resets_at: '2026-11-21T00:00:00.000Z',
  max_bytes: 262_144,
  max_targets: 50,
  untrusted_fields: ['messages[].from', 'messages[].subject'],
  untrusted_nonce: '994342017331975250989926719629962477699',
  approvals_url: 'https://dashboard.example.org/approvals',
};

const INSTANT = '2026-11-20T09:00:00.000Z';

/**
 * Returns an example of a schema.
 * @param schemas  the targets of `$ref`
 * @param field  the name of the field that contains the value
 */
export function exampleOf(schema: JsonObject, schemas: Schemas, field = ''): unknown {
  const inner = (part: unknown, name = field) =>
    isRecord(part) ? exampleOf(part, schemas, name) : undefined;
  if (typeof schema.$ref === 'string') {
    return inner(schemas[schema.$ref.slice('#/components/schemas/'.length)]);
  }
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.allOf)) return merged(schema.allOf.map((part) => inner(part)));
  const choice = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(choice)) return inner(choice[0]);
  if (Object.hasOwn(FIELDS, field) && fits(FIELDS[field], schema)) return FIELDS[field];
  switch (typeOf(schema)) {
    case 'object':
      return exampleObject(schema, inner);
    case 'array':
      return [inner(schema.items, '')];
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? Math.max(schema.minimum, 1) : 1;
    case 'boolean':
      return true;
    case 'string':
      return schema.format === 'date-time' ? INSTANT : 'text';
    default:
      return {};
  }
}

/** JSON of this schema, with an example. */
export function jsonContent(schema: JsonObject, schemas: Schemas): JsonObject {
  return { 'application/json': { schema, example: exampleOf(schema, schemas) } };
}

function exampleObject(schema: JsonObject, inner: (part: unknown, name: string) => unknown): unknown {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, part]) =>
      required.has(name) ? [[name, inner(part, name)] as const] : [],
    ),
  );
}

function merged(parts: readonly unknown[]): unknown {
  return parts.every(isRecord) ? Object.fromEntries(parts.flatMap((part) => Object.entries(part))) : parts[0];
}

/** Returns the type of a field. For a field that may be null, returns its other type. */
function typeOf({ type }: JsonObject): unknown {
  return Array.isArray(type) ? type[0] : type;
}

/** Whether a value of the table fits the type of the field. The tests check its pattern. */
function fits(value: unknown, schema: JsonObject): boolean {
  const type = typeOf(schema);
  if (schema.format === 'date-time') return typeof value === 'string' && /T.*(Z|[+-]\d\d:\d\d)$/.test(value);
  if (Array.isArray(value)) return type === 'array';
  if (typeof value === 'number') return type === 'integer' || type === 'number';
  return type === typeof value;
}
