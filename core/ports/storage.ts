import type { Approval, ApprovalError } from '../approvals/approval.ts';
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
import type { StoredEvent } from './stored-event.ts';
import type { TrackerStorage } from './tracker-storage.ts';
import type { WatchStorage } from './watch-storage.ts';
import type { WebhookStorage } from './webhook-storage.ts';

export type { Account } from './account.ts';
export { ACTIVITY_KINDS, type Activity, type StoredActivity } from './activity.ts';

/**
 * What core stores. Each verb is one atomic unit: it either completes or changes nothing. Everything that must change
 * together (state, events, counters, claims, activity) changes in one unit. Core's pure functions (`judgeLimits`,
 * `decideCall`, `transition`) decide inside the write, on what the write itself reads.
 *
 * Every row belongs to an owner, and every verb only covers the owner it names. The exceptions are the directory
 * (secret hash, owner email, session → owner) and the look-ups of due work.
 *
 * `now` is the service's clock; every date in the contract comes from it. Leases use the store's own clock.
 * A verb that cannot reach the store throws. It never returns an empty result instead.
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
    CheckpointStorage,
    WebhookStorage {
  /** Resolves if the store responds. */
  healthy(): Promise<void>;
  close(): Promise<void>;
}

export interface CallStorage {
  /**
   * Finds the credential by the hash of its secret, checks the limits (`judgeLimits`) and takes a concurrency slot.
   * A secret is unknown if it has expired or its credential is revoked. A call over a limit is not counted.
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
   * bound unless its approval is `failed`), and writes one activity row.
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
   * Decides about a write (`decideCall`, on facts read here) and files it in the same unit: `approved` by policy with
   * a lease, or `pending`. Binds the claim to the new approval. Reads the credential and its mode again.
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
   * Records the owner's decision, with its event and its activity row.
   * @returns the approval as it is now, whether this call decided it, and the sealed plan if it approved;
   *   undefined if the owner has no such approval
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
   * Cancels a pending request of this credential. An overdue one becomes `expired` instead; any other is returned
   * unchanged. Undefined: the credential has no such request.
   */
  cancel(request: {
    ownerId: string;
    credentialId: string;
    approvalId: string;
    now: Date;
  }): Promise<{ readonly approval: Approval; readonly won: boolean } | undefined>;

  /**
   * Records that the next byte cannot be taken back. False: do not send the byte, because the fence is lost, the
   * time is over, or credential or permission are off. Durable (survives loss of power) before it resolves.
   * `now` becomes `startedAt`, which is the Date of a sent message.
   * In the same unit, remembers the messages to be moved, copied or labelled by their marks (`relocationMark`),
   * permanently, even after their account is removed.
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
   * Records how a run ended, with its event, its activity row and the addresses that become known. A settlement
   * with a lost fence changes nothing.
   * @returns the approval as it is now
   */
  settle(settlement: Settlement): Promise<Approval>;

  /** Records that the work after an executed action is done (a copy in Sent, \Answered). */
  followedUp(request: { ownerId: string; approvalId: string }): Promise<void>;

  /** Records that it is not done. It is due again after `retryMs` on the store's clock. */
  followUpLater(request: { ownerId: string; approvalId: string; retryMs: number }): Promise<void>;

  /**
   * Takes over work whose lease has ended, oldest first: approvals to run or to check (with a new fence and lease),
   * and work after executed actions. Ends approvals that the state machine ends instead (`interrupted`,
   * `not_started_in_time`), with their event. `running`: approval ids that this process runs itself; skipped.
   */
  reclaim(request: {
    running: ReadonlySet<string>;
    leaseMs: number;
    limit: number;
    now: Date;
  }): Promise<{ readonly runs: readonly Reclaimed[]; readonly followUps: readonly Reclaimed[] }>;

  /** Ends overdue pending requests. @returns their number */
  expire(now: Date): Promise<number>;

  /**
   * Erases plans and gists of approvals that ended before `plansBefore` (their digests stay), older events with their
   * deliveries, activity and claims, checkpoints of erased rows except the newest one, and expired counters of password
   * tries, each by its own date.
   */
  erase(request: {
    plansBefore: Date;
    eventsBefore: Date;
    activityBefore: Date;
    claimsBefore: Date;
    passwordTriesBefore: Date;
  }): Promise<void>;

  approval(ownerId: string, approvalId: string): Promise<Approval | undefined>;

  /** Approvals of one credential, or of the owner, newest first. `open`: pending and approved. */
  approvals(query: {
    ownerId: string;
    credentialId: string | undefined;
    state: 'open' | 'all';
    /** Only approvals after this one. */
    after: { readonly createdAtMs: number; readonly id: string } | undefined;
    limit: number;
  }): Promise<{ readonly approvals: readonly Approval[]; readonly more: boolean }>;

  /** The sealed plan. Undefined if there is none, or if it was erased. */
  plan(ownerId: string, approvalId: string): Promise<string | undefined>;

  /**
   * The sealed gists of these approvals, without those whose plan was erased. Null: filed before gists were stored.
   */
  gists(ownerId: string, approvalIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;

  /** Filters the normalised addresses to those that the account is known to have written to. */
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
  /** The domains of all addresses that the account is known to have written to: the text after the last `@`. */
  knownDomains(ownerId: string, accountId: number): Promise<ReadonlySet<string>>;

  /** Filters the marks to those of messages that requests of the owner's keys moved, copied or labelled. */
  relocatedAmong(ownerId: string, marks: readonly string[]): Promise<ReadonlySet<string>>;

  /** Events after `afterId` (an event's sequence number; 0: from the first), oldest first. */
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

  /**
   * Adds a secret. Earlier ones end after `overlapMs`, or sooner at their own time. Undefined: no live credential, or
   * an altered one.
   */
  rotate(request: {
    ownerId: string;
    credentialId: string;
    secretHash: string;
    expiresAt: Date;
    overlapMs: number;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /**
   * Revokes the credential and cancels its pending requests (`credential_off`). An altered credential is signed again,
   * as revoked.
   */
  revoke(request: {
    ownerId: string;
    credentialId: string;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /** The same for the credential with this secret, live or in its overlap. False: there is none. */
  revokeBySecret(request: { secretHash: string; signer: Signer; now: Date }): Promise<boolean>;

  /**
   * Sets the modes, raises the revision, and cancels pending requests in groups that are now off (`permission_off`).
   * Undefined: no such live credential, or it is altered.
   */
  setModes(request: {
    ownerId: string;
    credentialId: string;
    modes: Modes;
    signer: Signer;
    now: Date;
  }): Promise<Credential | undefined>;

  /** All credentials of the owner, newest first, including revoked ones. */
  credentials(ownerId: string, signer: Signer): Promise<readonly Credential[]>;

  /** Owners with keys that an older version wrote without signing them. */
  unsignedOwners(): Promise<readonly string[]>;

  /**
   * Signs the rows of the owner's keys that have no signature, and records this with an activity row. Runs only once
   * per owner. After that, a row without a signature counts as altered.
   * @returns the number of keys; undefined if the owner already has the record
   */
  signKeys(request: { ownerId: string; signer: Signer; now: Date }): Promise<number | undefined>;

  /** Undefined: the owner's keys are not signed yet. */
  keysRecord(ownerId: string): Promise<KeysRecord | undefined>;
}

/** Records when the rows of an owner's keys were signed. */
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
    /** The owner has no keys yet, so every later key is signed. */
    keysRecord: KeysRecord;
    now: Date;
  }): Promise<boolean>;
  owner(ownerId: string): Promise<Owner | undefined>;
  /** All owners, oldest first. For the operator. */
  owners(): Promise<readonly Owner[]>;
  ownerByEmail(
    email: string,
  ): Promise<{ readonly owner: Owner; readonly passwordHash: string | null } | undefined>;
  /** Also ends every session of the owner and forgets the owner's known devices. False: no such owner. */
  setPassword(ownerId: string, passwordHash: string): Promise<boolean>;
}

export interface SessionStorage {
  /**
   * Starts a session and deletes the owner's expired ones.
   * @param request `passwordHash`: the hash that the password was checked against
   * @returns false if the owner's hash has changed since: no session was started
   */
  addSession(request: {
    session: StoredSession;
    tokenHash: string;
    passwordHash: string;
    expiresAt: Date;
  }): Promise<boolean>;
  /** An active session, with its owner. */
  session(
    tokenHash: string,
    now: Date,
  ): Promise<{ readonly owner: Owner; readonly session: StoredSession } | undefined>;
  /** Active sessions, most recently used first; at most 100. */
  sessions(ownerId: string, now: Date): Promise<readonly StoredSession[]>;
  /** Records that the session was used. A session that has ended stays ended. */
  useSession(request: { ownerId: string; sessionId: string; now: Date }): Promise<void>;
  /**
   * Records that the user proved to be the owner, and the browser's new key. Null keeps the old key.
   * False: the session has ended.
   */
  confirmSession(request: {
    ownerId: string;
    sessionId: string;
    proofKey: string | null;
    now: Date;
  }): Promise<boolean>;
  /** Uses up a nonce. False: this session has used it before, or has ended. Nonces are kept as long as the session. */
  takeProof(request: { ownerId: string; sessionId: string; nonce: string }): Promise<boolean>;
  /** False: the owner has no such session. */
  endSession(ownerId: string, sessionId: string): Promise<boolean>;
  /** Ends all sessions of the owner except this one. @returns their number */
  endOtherSessions(ownerId: string, sessionId: string): Promise<number>;
}

export interface PasswordStorage {
  /**
   * Decides about one try at a password (`judgePasswordTry`) and counts it as failed, in one unit. Does the same
   * work whether or not an owner has the email.
   * @returns `check`: the password may be checked; `found` is undefined if no owner has the email, `isKnownDevice`
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
   * Takes back one counted failure of a try whose password was correct (`giveTryBack`), and makes the device the
   * owner's newest one. The owner keeps the newest `DEVICES_KEPT`.
   * @returns false, with no change, if the password hash has changed since
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
 * The numbers of the rows that count tries from unknown devices. They come from a fixed range, so that nobody can fill
 * the table. Two emails or two addresses may share a row.
 */
export type TriesRows = Readonly<Record<Exclude<TriesCounter, 'device'>, number>>;

export interface AccountStorage {
  /** The first account of an owner becomes the active one. `seal` receives the new account's id. */
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
   * Changes the roles of folders. `changedRoles` decides inside the write.
   * @returns the roles as they are now; null: not decided yet; undefined: no such account
   */
  changeFolderRoles(request: {
    ownerId: string;
    accountId: number;
    change: FolderRolesChange;
  }): Promise<FolderRoles | null | undefined>;
  /** False: no such account. */
  activateAccount(ownerId: string, accountId: number): Promise<boolean>;
  /**
   * Deletes the account and its settings, cancels its pending requests (`account_removed`), and activates the oldest
   * remaining account. A request of several accounts belongs to it if one of its target names starts with
   * `targetsBegin`.
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
  /** Opaque: `key_` and 16 letters or digits. */
  readonly credentialId: string;
  readonly kind: 'pat';
  readonly name: string;
  readonly modes: Modes;
  /** Counts every change of the modes, from 1. */
  readonly revision: number;
  readonly createdAt: Date;
  /** When the newest secret ends. */
  readonly expiresAt: Date;
  /** When the previous secret ends. Null unless a rotation's overlap is still running. */
  readonly overlapUntil: Date | null;
  readonly revokedAt: Date | null;
  /** Whether its rows were changed outside Countersign. Then it counts as revoked. */
  readonly isAltered: boolean;
}

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
  /** The same hash with the caller's words in comparable form. A rejection applies to all requests with this hash. */
  readonly similarHash: string;
  /**
   * What the action would change, hashed (except a message's account). A message is the same target in every folder.
   */
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
  /** Addresses that become known through an executed send. */
  readonly recipients: readonly string[];
  /** There is work after success. It is leased to the caller for `leaseMs`. */
  readonly followUp: boolean;
  readonly leaseMs: number;
  readonly now: Date;
}

export interface Reclaimed {
  readonly approval: Approval;
  readonly sealedPlan: string | null;
}
