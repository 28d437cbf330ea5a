import type { Random } from './random.ts';

/** Random identifiers of records. They reveal nothing. */

export function approvalId(random: Random): string {
  return `apr_${Buffer.from(random(16)).toString('base64url')}`;
}

export function credentialId(random: Random): string {
  return `key_${Buffer.from(random(12)).toString('hex')}`;
}

export function eventId(random: Random): string {
  return `evt_${Buffer.from(random(16)).toString('base64url')}`;
}

/** For one request with an Idempotency-Key. */
export function requestId(random: Random): string {
  return `req_${Buffer.from(random(16)).toString('base64url')}`;
}
