import { ServiceError } from '../contract/errors.ts';
import { DAY_MS } from '../time/durations.ts';
import { type Approval, isByPolicy } from './approval.ts';

/**
 * Whether a write with an Idempotency-Key may run, or an earlier call answers it. Pure; checked inside
 * `claim`.
 */

/** What an Idempotency-Key may be. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** How long a key and the answer stored with it are kept. */
export const CLAIM_LIFETIME_MS = DAY_MS;

/** What is stored of an earlier request with the key. */
export interface IdempotencyClaim {
  /** SHA-256 of tool and arguments, hex. */
  readonly fingerprint: string;
  /** The key is free again, because its request changed nothing. */
  readonly released: boolean;
  /** By the store's clock. */
  readonly leaseUntil: Date;
  readonly sealedOutcome: string | null;
  /** The approval that the request filed. */
  readonly approvalId: string | null;
  /** By the service's clock. */
  readonly createdAt: Date;
}

/** The refusal of a request whose key another request holds at the moment. */
export function claimInProgress(): ServiceError {
  return new ServiceError('idempotency_in_progress', { details: { retry_after_s: 1 } });
}

export type ClaimVerdict =
  /** Run it. `again`: the same request held the key before and left no answer. */
  | { readonly kind: 'win'; readonly again: boolean }
  | { readonly kind: 'in_progress' }
  | { readonly kind: 'reused' }
  | { readonly kind: 'stored'; readonly sealedOutcome: string }
  | { readonly kind: 'bound'; readonly approvalId: string };

/** @param request  `approval`: the one to which the claim is bound; `leasesAt`: now, by the store's clock */
export function judgeClaim(
  claim: IdempotencyClaim | undefined,
  request: {
    readonly fingerprint: string;
    readonly approval: Approval | undefined;
    readonly now: Date;
    readonly leasesAt: Date;
  },
): ClaimVerdict {
  const { fingerprint, approval, now, leasesAt } = request;
  if (claim === undefined || now.getTime() - claim.createdAt.getTime() >= CLAIM_LIFETIME_MS) {
    return { kind: 'win', again: false };
  }
  const again = claim.fingerprint === fingerprint;
  if (claim.released) return { kind: 'win', again };
  if (!again) return { kind: 'reused' };
  const { sealedOutcome } = claim;
  if (sealedOutcome !== null) return { kind: 'stored', sealedOutcome };
  if (leasesAt < claim.leaseUntil) return { kind: 'in_progress' };
  if (approval !== undefined && isAnswer(approval)) return { kind: 'bound', approvalId: approval.id };
  return { kind: 'win', again };
}

/**
 * Whether a bound approval answers a retry. One that ran by policy and failed does not: that frees the key.
 */
export function isAnswer(approval: Approval): boolean {
  return !(approval.state === 'failed' && isByPolicy(approval));
}
