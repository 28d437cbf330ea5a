import type { PublicBase } from '../../http/public-base.ts';
import type { JsonObject } from '../json-body.ts';

/** The headers of responses. */

const whole = (minimum: number): JsonObject => ({ type: 'integer', minimum });

export const headersAt = (base: PublicBase): Readonly<Record<string, JsonObject>> => ({
  'X-Request-Id': {
    description: 'Names this answer in the log of the service.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Limit': {
    description: 'Calls a minute; of the key, or of the address where no key was admitted.',
    required: true,
    schema: whole(0),
  },
  'RateLimit-Remaining': { description: 'What is left of them.', required: true, schema: whole(0) },
  'RateLimit-Reset': { description: 'Seconds until the minute ends.', required: true, schema: whole(1) },
  'RateLimit-Policy': {
    description: 'The limit and its window in seconds, such as 60;w=60.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+;w=60$' },
  },
  'Retry-After': { description: 'Seconds until another try makes sense.', required: true, schema: whole(1) },
  'WWW-Authenticate': { required: true, schema: { type: 'string', const: 'Bearer' } },
  Location: {
    description: 'Where the request for approval, or what was made, is read.',
    required: true,
    schema: { type: 'string', pattern: `^${base.path('/v1/').replaceAll('.', '[.]')}` },
  },
  'Idempotent-Replayed': {
    description: 'true: this is the stored answer of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  ETag: {
    description: 'Of the bytes of the body. Send it as If-None-Match with the next request.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
  },
  Allow: { description: 'The methods of the route.', required: true, schema: { type: 'string' } },
});

/** Those of every answer. */
export const COMMON_HEADERS = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
] as const;

export function headerRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
