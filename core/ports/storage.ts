import type { Approval, ApprovalError, ApprovalState } from '../approvals/approval.ts';
import type { CallFiling } from '../approvals/decide-call.ts';
import type { ServiceError } from '../contract/errors.ts';
import type { FolderRoles, FolderRolesChange } from '../folders/roles.ts';
import type { LimitOverrides, LimitVerdict, Rate } from '../gate/limits.ts';
import type { TriesCounter } from '../gate/password-tries.ts';
import type { Group, Modes, Plan } from '../gate/permissions.ts';
import type { StoredSession } from '../gate/session.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Account } from './account.ts';
import type { Activity, StoredActivity } from './activity.ts';
import type { CheckpointStorage } from './checkpoint-storage.ts';
import type { TrackerStorage } from './tracker-storage.ts';
import type { WatchStorage } from './watch-storage.ts';

export type { Account } from './account.ts';
export { ACTIVITY_KINDS, type Activity, type StoredActivity } from './activity.ts';

/**
 * What core keeps. Each verb is one atomic unit: it happens whole or not at all, and writes what must change
 * together (state, events, counters, claims, activity) together. Caps and states are judged inside the write,
 * by core's pure functions (`judgeLimits`, `decideCall`, `transition`), on what the write itself reads.
 *
 * Every row belongs to an owner and every verb answers only for the owner it names; the exceptions are the
 * directory (secret hash, owner email, session → owner) and the look-ups of due work.
 *
 * `now` is the service's clock and dates what the contract shows. Leases are judged by the store's own clock.
 * A verb that cannot reach the store throws; it never answers as if nothing were there.
 */
export interface Storage
  extends CallStorage,
    ApprovalStorage,
    CredentialStorage,
    OwnerStorage,
    PasswordStorage,
    SessionStorage,
    AccountStorage,
    TrackerStorage,
    WatchStorage,
    CheckpointStorage {
  /** Resolves when the store answers. */
  healthy(): Promise<void>;
  close(): Promise<void>;
}

export interface CallStorage {
  /**
   * Finds the credential by the hash of its secret, judges the limits (`judgeLimits`) and takes a concurrency slot.
   * A secret that is expired or whose credential is revoked is unknown. A call over a limit counts nowhere.
   * `altered`: somebody changed the credential or its secret outside Countersign, so it counts as revoked.
   */
  admit(request: {
    secretHash: string;
    slotId: string;
    leaseMs: number;
    signer: Signer;
    now: Date;
  }): Promise<
    | { readonly kind: 'unknown' }
    | { readonly kind: 'altered'; readonly credentialId: string }
    | { readonly kind: 'over'; readonly verdict: Extract<LimitVerdict, { kind: 'over' }> }
    | { readonly kind: 'admitted'; readonly caller: Caller; readonly rate: Rate }
  >;

  /**
   * Claims an Idempotency-Key for one request of one credential.
   * `won`: run it. `stored`: this is the answer. `bound`: an earlier run filed this approval, the answer is to be
   * made from it. A claim whose lease is over and that is bound to nothing, or to a `failed` approval that ran by
   * policy, is won anew with the next fence. Claims older than 24 hours are gone.
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
    /** `requestId` stays the same when the claim is won anew. */
    | { readonly kind: 'won'; readonly fence: number; readonly requestId: string }
    | { readonly kind: 'in_progress' }
    | { readonly kind: 'reused' }
    | { readonly kind: 'stored'; readonly sealedOutcome: string }
    | { readonly kind: 'bound'; readonly approvalId: string }
  >;

  /** Extends the leases of a call that is still running; those that are no longer held are left alone. */
  renew(held: Held, leaseMs: number): Promise<void>;

  /**
   * Ends a call: the slot comes back, the claim is completed (`sealedOutcome`) or released (null; a bound claim
   * stays bound unless its approval is `failed`), and one activity row is written.
   */
  finish(end: {
    caller: { readonly ownerId: string; readonly credentialId: string };
    slotId: string;
    claim: (ClaimRef & { readonly sealedOutcome: string | null }) | null;
    activity: Activity;
    now: Date;
  }): Promise<void>;
}

export interface ApprovalStorage {
  /**
   * Judges a write (`decideCall`, on facts read here) and files it in the same unit: `approved` by policy with a
   * lease, or `pending`. Binds the claim to the approval it makes. The credential and its mode are read anew.
   */
  file(
    filing: Filing,
  ): Promise<
    | { readonly kind: 'run'; readonly approval: Approval }
    | { readonly kind: 'ask'; readonly approval: Approval }
    | { readonly kind: 'existing'; readonly approval: Approval }
    | { readonly kind: 'refuse'; readonly error: ServiceError }
  >;

  /**
   * The owner's decision, with its event and its activity row.
   * @returns the approval as it now stands, whether this call decided it, and the sealed plan when it approved;
   *   undefined when the owner has no such approval
   */
  decide(decision: {
    ownerId: string;
    approvalId: string;
    decision: { readonly type: 'approve'; readonly digest: string } | { readonly type: 'reject' };
    leaseMs: number;
    signer: Signer;
    now: Date;
  }): Promise<
    { readonly approval: Approval; readonly won: boolean; readonly sealedPlan: string | null } | undefined
  >;

  /**
   * Withdraws a pending request of this credential; one whose time is over becomes `expired` instead, any other comes
   * back unchanged. Undefined: no such request of it.
   */
  cancel(request: {
    ownerId: string;
    credentialId: string;
    approvalId: string;
    now: Date;
  }): Promise<{ readonly approval: Approval; readonly won: boolean } | undefined>;

  /**
   * Records that the next byte cannot be taken back. False: the fence is lost, the time is over, or credential or
   * permission are off; the byte must not be sent. Durable (survives loss of power) before it resolves.
   * `now` becomes `startedAt`, which is the Date of what is sent.
   * Together with it, the messages that are about to be moved, copied or labelled are remembered for good, by their
   * marks (`relocationMark`), even when their account is removed.
   */
  start(request: {
    ownerId: string;
    approvalId: string;
    fence: number;
    relocated: readonly string[];
    signer: Signer;
    now: Date;
  }): Promise<boolean>;

  /**
   * Records how a run ended, with its event, its activity row and the addresses that are known from now on. A
   * settlement whose fence is lost changes nothing.
   * @returns the approval as it now stands
   */
  settle(settlement: Settlement): Promise<Approval>;

  /** The work after an executed action is done (a copy in Sent, \Answered). */
  followedUp(request: { ownerId: string; approvalId: string }): Promise<void>;

  /** It is not done: it is due again after `retryMs` on the store's clock. */
  followUpLater(request: { ownerId: string; approvalId: string; retryMs: number }): Promise<void>;

  /**
   * Takes over what lapsed leases left behind, oldest first: approvals to run or to check (with a new fence and
   * lease), and work after executed actions. What the machine ends instead (`interrupted`, `not_started_in_time`)
   * is ended here, with its event. `running`: approval ids that this process runs itself and that are left alone.
   */
  reclaim(request: {
    running: ReadonlySet<string>;
    leaseMs: number;
    limit: number;
    now: Date;
  }): Promise<{ readonly runs: readonly Reclaimed[]; readonly followUps: readonly Reclaimed[] }>;

  /** Ends pending requests whose time is over. @returns how many */
  expire(now: Date): Promise<number>;

  /**
   * Erases plans and gists of approvals that ended before `plansBefore` (their digests stay), activity and claims
   * older than theirs, checkpoints whose rows are erased except the newest of them, and counters of password tries that
   * were forgotten before theirs.
   */
  erase(request: {
    plansBefore: Date;
    activityBefore: Date;
    claimsBefore: Date;
    passwordTriesBefore: Date;
  }): Promise<void>;

  approval(ownerId: string, approvalId: string): Promise<Approval | undefined>;

  /** Newest first; those of one credential, or all of the owner's. `open` is pending and approved. */
  approvals(query: {
    ownerId: string;
    credentialId: string | undefined;
    state: 'open' | 'all';
    /** Only what comes behind this approval. */
    after: { readonly createdAtMs: number; readonly id: string } | undefined;
    limit: number;
  }): Promise<{ readonly approvals: readonly Approval[]; readonly more: boolean }>;

  /** The sealed plan; undefined when there is none (any more). */
  plan(ownerId: string, approvalId: string): Promise<string | undefined>;

  /**
   * The sealed gists of those of these approvals whose plan is not erased. Null: it was filed before gists were kept.
   */
  gists(ownerId: string, approvalIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;

  /** Which of these normalised addresses the account is known to have written to. */
  knownRecipients(
    ownerId: string,
    accountId: number,
    addresses: readonly string[],
  ): Promise<ReadonlySet<string>>;
  rememberRecipients(
    ownerId: string,
    accountId: number,
    addresses: readonly string[],
    now: Date,
  ): Promise<void>;
  /** The domains of all addresses that the account is known to have written to: what stands behind the last `@`. */
  knownDomains(ownerId: string, accountId: number): Promise<ReadonlySet<string>>;

  /** Which of these marks belong to messages that requests of the owner's keys moved, copied or labelled. */
  relocatedAmong(ownerId: string, marks: readonly string[]): Promise<ReadonlySet<string>>;

  /** Events, oldest first, behind `afterId` (an event's sequence number; 0 begins at the first). */
  events(query: { ownerId: string; afterId: number; limit: number }): Promise<readonly StoredEvent[]>;
  /** Newest first. */
  activity(query: { ownerId: string; limit: number }): Promise<readonly StoredActivity[]>;
}

export interface CredentialStorage {
  addCredential(request: {
    ownerId: string;
    credentialId: string;
    kind: 'pat';
    name: string;
    modes: Modes;
    secretHash: string;
    expiresAt: Date;
    signer: Signer;
    now: Date;
  }): Promise<Credential>;

  /** Adds a secret; the ones before it end after `overlapMs`, or at their own time if that is sooner. Undefined: no such live credential, or it is altered. */
  rotate(request: {
    ownerId: string;
    credentialId: string;
    secretHash: string;
    expiresAt: Date;
    overlapMs: number;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /** Switches the credential off and cancels what waits (`credential_off`). One that is altered is signed again, as revoked. */
  revoke(request: {
    ownerId: string;
    credentialId: string;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /** The same, for the credential with this secret, live or in its overlap. False: there is none. */
  revokeBySecret(request: { secretHash: string; signer: Signer; now: Date }): Promise<boolean>;

  /**
   * Sets the modes, raises the revision, and cancels what waits in groups that are now off (`permission_off`).
   * Undefined: no such live credential, or it is altered.
   */
  setModes(request: {
    ownerId: string;
    credentialId: string;
    modes: Modes;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /** All of the owner's, newest first, revoked ones too. */
  credentials(ownerId: string, signer: Signer): Promise<readonly Credential[]>;

  /** Owners whose keys were written by a version that did not sign them. */
  unsignedOwners(): Promise<readonly string[]>;

  /**
   * Signs the rows of the owner's keys that have no signature, and records that, with an activity row. Only once for
   * each owner. From then on, a row without a signature counts as altered.
   * @returns how many keys; undefined: the owner has the record already
   */
  signKeys(request: { ownerId: string; signer: Signer; now: Date }): Promise<number | undefined>;

  /** Undefined: the owner's keys are not signed yet. */
  keysRecord(ownerId: string): Promise<KeysRecord | undefined>;
}

/** Says since when the rows of an owner's keys are signed. */
export interface KeysRecord {
  readonly signedAt: Date;
  readonly signature: string;
}

export interface OwnerStorage {
  /** False: the ownerId or the email (case-insensitive) is taken. */
  addOwner(owner: {
    ownerId: string;
    email: string;
    timezone: string;
    plan: Plan;
    limits: LimitOverrides;
    passwordHash: string | null;
    /** The owner has no keys yet: all that come are signed. */
    keysRecord: KeysRecord;
    now: Date;
  }): Promise<boolean>;
  owner(ownerId: string): Promise<Owner | undefined>;
  /** All of them, the longest there first: for the operator, who looks after every mailbox. */
  owners(): Promise<readonly Owner[]>;
  ownerByEmail(
    email: string,
  ): Promise<{ readonly owner: Owner; readonly passwordHash: string | null } | undefined>;
  /** Also ends every session of the owner, and forgets its known devices. False: no such owner. */
  setPassword(ownerId: string, passwordHash: string): Promise<boolean>;
}

export interface SessionStorage {
  /**
   * Begins a session, and deletes those of the owner that are over.
   * @param request `passwordHash`: the one that the password was checked against
   * @returns false when the owner's hash is another by now: nothing was begun
   */
  addSession(request: {
    session: StoredSession;
    tokenHash: string;
    passwordHash: string;
    expiresAt: Date;
  }): Promise<boolean>;
  /** A session that is not over, with its owner. */
  session(
    tokenHash: string,
    now: Date,
  ): Promise<{ readonly owner: Owner; readonly session: StoredSession } | undefined>;
  /** Those that are not over, the last used first; at most 100. */
  sessions(ownerId: string, now: Date): Promise<readonly StoredSession[]>;
  /** Records that it was used. A session that has ended stays ended. */
  useSession(request: { ownerId: string; sessionId: string; now: Date }): Promise<void>;
  /**
   * Records that the person proved to be the owner, and the browser's new key; null leaves the key as it is.
   * False: the session has ended.
   */
  confirmSession(request: {
    ownerId: string;
    sessionId: string;
    proofKey: string | null;
    now: Date;
  }): Promise<boolean>;
  /** Uses up a nonce. False: this session used it before, or has ended. It is kept as long as the session. */
  takeProof(request: { ownerId: string; sessionId: string; nonce: string }): Promise<boolean>;
  /** False: the owner has no such session. */
  endSession(ownerId: string, sessionId: string): Promise<boolean>;
  /** Ends all of the owner's except this one. @returns how many */
  endOtherSessions(ownerId: string, sessionId: string): Promise<number>;
}

export interface PasswordStorage {
  /**
   * Judges one try at a password (`judgePasswordTry`) and counts it as failed, in one unit. It does the same work
   * whether or not somebody has the email.
   * @returns `check`: the password may be checked; `found` is undefined when nobody has the email, `isKnownDevice`
   *   tells whether `deviceHash` is one of the owner's devices
   */
  takePasswordTry(request: {
    /** In any case. */
    email: string;
    rows: TriesRows;
    deviceHash: string | null;
    now: Date;
  }): Promise<
    | { readonly kind: 'wait'; readonly waitMs: number }
    | {
        readonly kind: 'check';
        readonly counted: readonly TriesCounter[];
        readonly isKnownDevice: boolean;
        readonly found: { readonly owner: Owner; readonly passwordHash: string | null } | undefined;
      }
  >;

  /**
   * The try had the right password: gives it back (`giveTryBack`) to the counters that counted it, and makes the
   * device the owner's newest one. The owner keeps the newest `DEVICES_KEPT`.
   * @returns false, and changes nothing, when the password is no longer the one with this hash
   */
  passwordMatched(request: {
    ownerId: string;
    passwordHash: string;
    rows: TriesRows;
    counted: readonly TriesCounter[];
    deviceHash: string;
    now: Date;
  }): Promise<boolean>;
}

/**
 * The numbers of the rows that count strangers' tries. Core takes them from a fixed range, so that nobody can fill
 * the table. The rows of two emails or two addresses may be the same.
 */
export type TriesRows = Readonly<Record<Exclude<TriesCounter, 'device'>, number>>;

export interface AccountStorage {
  /** The first account of an owner is its active one. `seal` is given the new account's id. */
  addAccount(request: {
    ownerId: string;
    label: string;
    email: string;
    signature: string;
    seal: (accountId: number) => string;
    folderRoles: FolderRoles;
    now: Date;
  }): Promise<Account>;
  accounts(ownerId: string): Promise<readonly Account[]>;
  /**
   * Changes which folders have which roles, as `changedRoles` judges inside the write.
   * @returns the roles as they now stand; null: not decided yet; undefined: no such account
   */
  changeFolderRoles(request: {
    ownerId: string;
    accountId: number;
    change: FolderRolesChange;
  }): Promise<FolderRoles | null | undefined>;
  /** False: no such account. */
  activateAccount(ownerId: string, accountId: number): Promise<boolean>;
  /**
   * Deletes the account and its settings, cancels what waits for it (`account_removed`), and activates the oldest that
   * is left. A request of several accounts waits for it where the name of one of its targets begins with `targetsBegin`.
   */
  removeAccount(request: {
    ownerId: string;
    accountId: number;
    targetsBegin: string;
    now: Date;
  }): Promise<boolean>;
}

export interface Owner {
  readonly ownerId: string;
  readonly email: string;
  /** IANA name. */
  readonly timezone: string;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly activeAccountId: number | null;
}

export interface Credential {
  readonly ownerId: string;
  /** `key_` and 16 letters or digits; opaque. */
  readonly credentialId: string;
  readonly kind: 'pat';
  readonly name: string;
  readonly modes: Modes;
  /** Counts every change of the modes, from 1. */
  readonly revision: number;
  readonly createdAt: Date;
  /** When the newest secret ends. */
  readonly expiresAt: Date;
  /** When the secret before it ends; null unless a rotation's overlap is still on. */
  readonly overlapUntil: Date | null;
  readonly revokedAt: Date | null;
  /** Its rows were changed outside Countersign. It counts as revoked. */
  readonly isAltered: boolean;
}

/** Who calls: what `admit` found. */
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

/** The leases that a running call or execution holds. */
export interface Held {
  readonly ownerId: string;
  readonly slotId?: string;
  readonly claim?: ClaimRef & { readonly credentialId: string };
  readonly approval?: { readonly id: string; readonly fence: number };
  /** The approval whose follow-up this process does. */
  readonly followUp?: string;
}

export interface Filing {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly approvalId: string;
  readonly tool: string;
  readonly group: Group;
  readonly action: string | null;
  readonly accountId: number | null;
  /** SHA-256 of tool and resolved arguments, hex. */
  readonly requestHash: string;
  /** The same hash with the caller's words in a comparable form: one rejection holds for all that have it. */
  readonly similarHash: string;
  /** What the action would change, hashed (but for a message's account); the same message is the same target wherever it lies. */
  readonly targets: readonly string[];
  readonly digest: string;
  readonly sealedPlan: string;
  readonly sealedGist: string;
  readonly call: CallFiling;
  readonly claim: ClaimRef | null;
  readonly leaseMs: number;
  readonly signer: Signer;
  readonly now: Date;
}

export interface Settlement {
  readonly ownerId: string;
  readonly approvalId: string;
  readonly fence: number;
  readonly end:
    | { readonly type: 'succeed'; readonly result: Readonly<Record<string, unknown>> }
    | { readonly type: 'refuse'; readonly error: ApprovalError }
    | { readonly type: 'not_now'; readonly error: ApprovalError; readonly retryMs: number }
    | { readonly type: 'lose' };
  /** Addresses that an executed send makes known. */
  readonly recipients: readonly string[];
  /** There is work after success; it is leased to the caller for `leaseMs`. */
  readonly followUp: boolean;
  readonly leaseMs: number;
  readonly now: Date;
}

export interface Reclaimed {
  readonly approval: Approval;
  readonly sealedPlan: string | null;
}

/** `approval.decided` and its like, for the key that it belongs to. Source: API.md, Events. */
export interface StoredEvent {
  readonly sequence: number;
  /** `evt_` and 22 characters. */
  readonly id: string;
  readonly type: 'approval.decided';
  readonly credentialId: string;
  readonly createdAt: Date;
  readonly data: {
    readonly approval_id: string;
    readonly state: ApprovalState;
    readonly account_id: number | null;
  };
}
