import type { PublicBase } from '../../http/public-base.ts';
import type { JsonObject } from '../json-body.ts';

/** The headers of responses. */

const whole = (minimum: number): JsonObject => ({ type: 'integer', minimum });

export const headersAt = (base: PublicBase): Readonly<Record<string, JsonObject>> => ({
  'X-Request-Id': {
    description: 'Identifies this response in the log of the service.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Limit': {
    description: 'Calls per minute: of the key, or of the address if no key was admitted.',
    required: true,
    schema: whole(0),
  },
  'RateLimit-Remaining': {
    description: 'Calls that are left in this minute.',
    required: true,
    schema: whole(0),
  },
  'RateLimit-Reset': { description: 'Seconds until the minute ends.', required: true, schema: whole(1) },
  'RateLimit-Policy': {
    description: 'The limit and its window in seconds, such as 60;w=60.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+;w=60$' },
  },
  'Retry-After': { description: 'Seconds until another try makes sense.', required: true, schema: whole(1) },
  'WWW-Authenticate': { required: true, schema: { type: 'string', const: 'Bearer' } },
  Location: {
    description: 'The path of the request for approval, or of what was created.',
    required: true,
    schema: { type: 'string', pattern: `^${base.path('/v1/').replaceAll('.', '[.]')}` },
  },
  'Idempotent-Replayed': {
    description: 'true: this is the stored answer of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  ETag: {
    description: 'Identifies this version of the body. Send it as If-None-Match with the next request.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
  },
  Allow: { description: 'The methods of the route.', required: true, schema: { type: 'string' } },
});

/** The headers of every response. */
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
