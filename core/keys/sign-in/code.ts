import * as z from 'zod';
import type { Keyring } from '../../secrets/keyring.ts';
import { MINUTE_MS } from '../../time/durations.ts';
import { secretHash } from '../credential.ts';
import { GROUPS, MODES, type Modes } from '../permissions.ts';
import { isVerified } from './pkce.ts';
import { type Refusal, refused } from './refusal.ts';
import { isRecent } from './request.ts';
import { hashText, instantMs, sealed } from './sealed.ts';

/** What the owner consented to. The code contains it: the sign-in is created when the client redeems the code. */
export interface Consent {
  readonly ownerId: string;
  /** Of the sign-in to be. It exists once the code was used. */
  readonly credentialId: string;
  readonly clientHash: string;
  readonly redirectHash: string;
  readonly challenge: string;
  readonly name: string;
  readonly modes: Modes;
  /** The only accounts that it may use. Null: all. */
  readonly accounts: readonly number[] | null;
  /** When the sign-in ends. */
  readonly endsMs: number;
  readonly issuedMs: number;
}

/** A client redeems its code at once. */
const CODE_MS = 2 * MINUTE_MS;

const format = sealed(
  'sign-in code',
  '',
  z.strictObject({
    ownerId: z.string(),
    credentialId: z.string(),
    clientHash: hashText,
    redirectHash: hashText,
    challenge: z.string(),
    name: z.string(),
    modes: z.record(z.enum(GROUPS), z.enum(MODES)),
    accounts: z.array(z.int()).readonly().nullable(),
    endsMs: instantMs,
    issuedMs: instantMs,
  }),
);

export function sealCode(consent: Consent, keyring: Keyring): string {
  return format.seal(keyring, consent);
}

/**
 * Returns the consent of a code to the client that it was issued to. It does not know whether the code was used before.
 * Source: RFC 6749, 4.1.3.
 */
export function redeemable(
  parameters: ReadonlyMap<string, string>,
  keyring: Keyring,
  now: Date,
): { readonly kind: 'redeemable'; readonly consent: Consent } | Refusal {
  const consent = format.open(keyring, parameters.get('code') ?? '');
  const isRedeemable =
    consent !== undefined &&
    isRecent(consent.issuedMs, CODE_MS, now) &&
    secretHash(parameters.get('client_id') ?? '') === consent.clientHash &&
    secretHash(parameters.get('redirect_uri') ?? '') === consent.redirectHash &&
    isVerified(parameters.get('code_verifier') ?? '', consent.challenge);
  if (!isRedeemable) {
    return refused(
      'invalid_grant',
      'The code is unknown, too old, or does not belong to this client_id, redirect_uri and code_verifier.',
    );
  }
  return { kind: 'redeemable', consent };
}
