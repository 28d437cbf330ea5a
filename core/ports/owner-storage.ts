import type { AccessChanges } from '../gate/access-change.ts';
import type { LimitOverrides } from '../gate/limits.ts';
import type { ProofLevel } from '../gate/owner-proof.ts';
import type { Plan } from '../gate/permissions.ts';

/** The people whose mailboxes these are. Makes the same promises as Storage. */
export interface OwnerStorage {
  /**
   * Ends the link of the first run (`SetupStorage`).
   * @param owner  `setupHash`: the hash of the link that must be open (`isSetupOpen`); of two requests with it, one adds
   *   its owner. Default: no link is needed
   * @returns false if the ownerId or the email (case-insensitive) is taken, or the link is not open
   */
  addOwner(owner: {
    ownerId: string;
    email: string;
    timezone: string;
    language: string;
    plansKeptDays: number;
    proofFor: ProofLevel;
    plan: Plan;
    limits: LimitOverrides;
    passwordHash: string | null;
    /** The owner has no keys yet, so every later key is signed. */
    setupHash?: string | undefined;
    now: Date;
  }): Promise<boolean>;
  owner(ownerId: string): Promise<Owner | undefined>;
  /** At most `limit` owners in the order of their ids (by their bytes in UTF-8), after the id `after`; '' starts. */
  owners(page: { after: string; limit: number }): Promise<readonly Owner[]>;
  ownerByEmail(
    email: string,
  ): Promise<{ readonly owner: Owner; readonly passwordHash: string | null } | undefined>;
  /** Also ends every session of the owner and forgets the owner's known devices. False: no such owner. */
  setPassword(ownerId: string, passwordHash: string): Promise<boolean>;
  /** Changes what is given. A `passwordHash` has the effect of `setPassword`. Nothing changes if the email is taken. */
  updateOwner(change: OwnerUpdate): Promise<'updated' | 'not_found' | 'email_taken'>;
  /** What happened to the owner's own access and is not confirmed. Undefined: no such owner. */
  accessChanges(ownerId: string): Promise<AccessChanges | undefined>;
  /** The owner knows of everything up to that instant. A notice that is due is still sent. */
  confirmAccessChanges(ownerId: string, until: Date): Promise<void>;
  /**
   * Removes the owner and every row of the owner. Only the hash of the id stays, with the last numbers of accounts and
   * endpoints: a later owner with the same id continues them, so that no process takes one account for another.
   * `running`: an action of the owner has started and not ended, so nothing is removed.
   */
  removeOwner(ownerId: string): Promise<OwnerRemoval>;
}

export interface OwnerUpdate {
  readonly ownerId: string;
  readonly email?: string;
  readonly timezone?: string;
  readonly language?: string;
  readonly plansKeptDays?: number;
  readonly proofFor?: ProofLevel;
  readonly plan?: Plan;
  /** Replaces all of them. */
  readonly limits?: LimitOverrides;
  readonly passwordHash?: string;
}

export type OwnerRemoval =
  | { readonly kind: 'removed'; readonly accountIds: readonly number[] }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'running' };

export interface Owner {
  readonly ownerId: string;
  readonly email: string;
  /** IANA name. */
  readonly timezone: string;
  /** How dates are written for the owner: a language tag (`isDateLanguage`). */
  readonly language: string;
  /** Days after its end until what a request was about is erased. */
  readonly plansKeptDays: number;
  /** For which requests the owner has to prove again who they are. */
  readonly proofFor: ProofLevel;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly activeAccountId: number | null;
}
