import type { Random } from './random.ts';

/** Random identifiers of records. They reveal nothing. */

/** Fifteen digits: a model reads them in five tokens. */
export function approvalId(random: Random): string {
  const number = Buffer.from(random(8)).readBigUInt64BE() % 10n ** 15n;
  return `apr_${String(number).padStart(15, '0')}`;
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
