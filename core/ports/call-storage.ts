import type { Activity } from '../activity/activity.ts';
import type { LimitVerdict, Rate } from '../gate/limits.ts';
import type { Owner } from '../owners/owner-state.ts';
import type { NewRead } from '../provenance/read-state.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Account } from './account.ts';
import type { Credential } from './credential-storage.ts';

/** Calls from admission to their end, and Idempotency-Keys. Makes the same promises as Storage. */
export interface CallStorage {
  /**
   * Finds the credential by the hash of its secret, or by its id for a caller inside the embedding app, checks the limits (`judgeLimits`) and takes a concurrency slot.
   * A secret is unknown if it has expired or its credential is revoked; an id, if all its secrets have expired. A call over a limit is not counted.
   * `altered`: somebody changed the credential or its secret outside Countersign, so it counts as revoked.
   */
  admit(
    request: CredentialRef & { slotId: string; leaseMs: number; signer: Signer; now: Date },
  ): Promise<
    | { readonly kind: 'unknown' }
    | { readonly kind: 'altered'; readonly credentialId: string }
    | { readonly kind: 'over'; readonly verdict: Extract<LimitVerdict, { kind: 'over' }> }
    | { readonly kind: 'admitted'; readonly caller: Caller; readonly rate: Rate }
  >;

  /**
   * Claims an Idempotency-Key for one request of one credential.
   * `won`: run it. `stored`: return this result. `bound`: an earlier run filed this approval; build the result from
   * it. If the lease of a claim has ended and the claim is not bound, or bound to a `failed` approval that ran by
   * policy, the claim is won again with the next fence. Claims older than 24 hours no longer exist.
   */
  claim(request: {
    ownerId: string;
    credentialId: string;
    key: string;
    /** SHA-256 of tool and arguments, hex. */
    fingerprint: string;
    leaseMs: number;
    now: Date;
  }): Promise<
    /** `requestId` stays the same if the claim is won again. */
    | { readonly kind: 'won'; readonly fence: number; readonly requestId: string }
    | { readonly kind: 'in_progress' }
    | { readonly kind: 'reused' }
    | { readonly kind: 'stored'; readonly sealedOutcome: string }
    | { readonly kind: 'bound'; readonly approvalId: string }
  >;

  /** Extends the leases of a running call. Leases that it no longer owns stay unchanged. */
  renew(held: Held, leaseMs: number): Promise<void>;

  /**
   * Ends a call: frees the slot, completes the claim (`sealedOutcome`) or releases it (null; a bound claim stays
   * bound unless its approval is `failed`), and writes one activity row. `read`: what the call showed, if it is kept.
   */
  finish(end: {
    caller: { readonly ownerId: string; readonly credentialId: string };
    slotId: string;
    claim: (ClaimRef & { readonly sealedOutcome: string | null }) | null;
    activity: Activity;
    read?: NewRead | undefined;
    now: Date;
  }): Promise<void>;
}

/** Which credential calls. */
export type CredentialRef =
  | { readonly secretHash: string }
  | { readonly ownerId: string; readonly credentialId: string };

/** The caller, as found by `admit`. */
export interface Caller {
  readonly owner: Owner;
  readonly credential: Credential;
  readonly accounts: readonly Account[];
  readonly slotId: string;
}

export interface ClaimRef {
  readonly key: string;
  readonly fence: number;
}

/** The leases of a running call or execution. */
export interface Held {
  readonly ownerId: string;
  readonly slotId?: string;
  readonly claim?: ClaimRef & { readonly credentialId: string };
  readonly approval?: { readonly id: string; readonly fence: number };
  /** The approval whose follow-up this process runs. */
  readonly followUp?: string;
}
