import type { Approval } from '../approvals/approval.ts';
import type { EventKey } from '../calendar/event.ts';
import type { FolderRoles } from '../folders/roles.ts';
import type { LimitOverrides, Window } from '../gate/limits.ts';
import type { FailedTries, TriesCounter } from '../gate/password-tries.ts';
import type { Plan } from '../gate/permissions.ts';
import type { StoredSession } from '../gate/session.ts';
import type { Account } from './account.ts';
import type { Checkpoint, NumberedActivity } from './checkpoint-storage.ts';
import type {
  Credential,
  Held,
  KeysRecord,
  Owner,
  Reclaimed,
  Storage,
  StoredActivity,
  StoredEvent,
  TriesRows,
} from './storage.ts';
import type { Tracker, TrackerLink } from './tracker-storage.ts';
import type { InboxPosition } from './watch-storage.ts';

/**
 * A database, as core needs it. It holds no rule: core's verbs judge the facts that it loads and list the changes that
 * it applies (`createStorage`). A store knows how to load each kind of fact, how to apply each kind of change, and how
 * to answer plain look-ups.
 *
 * A call that cannot reach the database throws `ServiceError('temporarily_unavailable')`, and never answers as if
 * nothing were there.
 */
export type Store = StoreLookups & {
  /**
   * One atomic unit: locks what `need` names, loads its facts, and applies the changes that `judge` answers, or
   * nothing at all. Nobody else writes rows of the same owner in between.
   *
   * `judge` is pure. It may be called again when the transaction has to be repeated.
   * @param commit `durable`: survives a loss of power before it resolves. `relaxed`: whole after a crash, but a loss
   *   of power may undo the newest units, and several may be committed together
   * @returns the answer of `judge`, once its changes are committed
   */
  unit<Kind extends FactKind, Answer>(
    commit: Commit,
    need: NeedOf<Kind>,
    judge: (facts: FactsOf<Kind>, storeNowMs: number) => Judged<Answer>,
  ): Promise<Answer>;

  /** Applies changes of one owner that need no facts, as one atomic, relaxed unit. */
  apply(ownerId: string, changes: readonly Change[]): Promise<void>;
};

/** Look-ups change nothing, and each sees one moment. `addOwner` is durable; `erase` keeps the rows of approvals. */
type StoreLookups = Pick<
  Storage,
  | 'healthy'
  | 'close'
  | 'addOwner'
  | 'erase'
  | 'approval'
  | 'approvals'
  | 'plan'
  | 'gists'
  | 'knownRecipients'
  | 'knownDomains'
  | 'relocatedAmong'
  | 'events'
  | 'activity'
  | 'owner'
  | 'owners'
  | 'ownerByEmail'
  | 'session'
  | 'sessions'
  | 'accounts'
  | 'trackers'
  | 'tracker'
  | 'event'
  | 'waitingTrackers'
  | 'summariesDue'
  | 'unsignedOwners'
  | 'keysRecord'
  | 'ownersWithoutCheckpoint'
  | 'checkpoints'
  | 'numberedActivity'
> & {
  /** All of the owner's, newest first, revoked ones too, with all their secrets; and the store's clock. */
  credentials(ownerId: string): Promise<{
    readonly credentials: readonly StoredCredential[];
    readonly secrets: readonly StoredSecret[];
    readonly storeNowMs: number;
  }>;
  /** Whose secret this is, live or not. */
  credentialOfSecret(
    secretHash: string,
  ): Promise<{ readonly ownerId: string; readonly credentialId: string } | undefined>;
  /** The inboxes of all owners who have an active tracker with keywords, and where the watching of each stands. */
  watchedInboxes(): ReturnType<Storage['inboxesToWatch']>;
};

export type Commit = 'durable' | 'relaxed';

/** What a verb answers, and what is to be written for it, in this order. */
export interface Judged<Answer> {
  readonly answer: Answer;
  readonly changes: readonly Change[];
}

/**
 * The kinds of facts. `need` says which; `facts` is what the store finds. Each unit locks the owner whose rows it
 * names, before it loads them.
 */
export interface FactKinds {
  /** The credential with this secret. Undefined: there is none. */
  caller: { readonly need: { readonly secretHash: string }; readonly facts: CallerFacts | undefined };
  claim: { readonly need: ClaimKey; readonly facts: ClaimFacts };
  held: { readonly need: Held; readonly facts: HeldFacts };
  filing: { readonly need: FilingNeed; readonly facts: FilingFacts };
  /** Undefined: the owner has no such approval. `withPlan`: its sealed plan is loaded as well. */
  approval: {
    readonly need: { readonly ownerId: string; readonly approvalId: string; readonly withPlan: boolean };
    readonly facts: ApprovalFacts | undefined;
  };
  /**
   * Leases and follow-ups that are over by the store's clock, of all owners, oldest first, without those of approvals
   * in `running`; at most `limit` of each. Owners who are busy elsewhere may be left out.
   */
  due: {
    readonly need: { readonly running: ReadonlySet<string>; readonly limit: number };
    readonly facts: { readonly lapsed: readonly Reclaimed[]; readonly followUps: readonly Reclaimed[] };
  };
  /** Pending approvals with `expiresAt` up to `now`, of all owners. Owners who are busy elsewhere may be left out. */
  overdue: { readonly need: { readonly now: Date }; readonly facts: readonly Approval[] };
  /** Undefined: the owner has no such credential. */
  credential: {
    readonly need: { readonly ownerId: string; readonly credentialId: string };
    readonly facts: CredentialFacts | undefined;
  };
  /** The newest checkpoint, and the oldest rows behind it, at most `limit`. */
  activity: {
    readonly need: { readonly ownerId: string; readonly limit: number };
    readonly facts: ActivityFacts;
  };
  /** Every key of the owner. Undefined: there is no such owner. */
  keys: { readonly need: { readonly ownerId: string }; readonly facts: KeysFacts | undefined };
  /** Undefined: there is no such owner. */
  accounts: { readonly need: { readonly ownerId: string }; readonly facts: AccountsFacts | undefined };
  /** Undefined: there is no such owner. */
  sessions: { readonly need: { readonly ownerId: string }; readonly facts: SessionsFacts | undefined };
  proof: {
    readonly need: { readonly ownerId: string; readonly sessionId: string; readonly nonce: string };
    readonly facts: { readonly hasSession: boolean; readonly isUsed: boolean };
  };
  /** Tries at the password of the owner with this email or this id. Locks the counters too. */
  tries: {
    readonly need: {
      readonly who: { readonly email: string } | { readonly ownerId: string };
      readonly rows: TriesRows;
      readonly deviceHash: string | null;
    };
    readonly facts: TriesFacts;
  };
  /** `requestId`: the tracker that this request created before. */
  newTracker: {
    readonly need: { readonly ownerId: string; readonly requestId: string };
    readonly facts: { readonly existing: Tracker | undefined; readonly lastTrackerId: number };
  };
  /** Trackers by id, links of theirs by target, and the newest link's number. */
  trackers: {
    readonly need: {
      readonly ownerId: string;
      readonly trackerIds: readonly number[];
      readonly targets: readonly string[];
    };
    readonly facts: TrackersFacts;
  };
  eventNumbers: {
    readonly need: {
      readonly ownerId: string;
      readonly accountId: number;
      readonly events: readonly EventKey[];
    };
    readonly facts: { readonly known: readonly NumberedKey[]; readonly lastEventId: number };
  };
  /** Like `trackers`, with the account's inbox. */
  inbox: {
    readonly need: FactKinds['trackers']['need'] & { readonly accountId: number };
    readonly facts: TrackersFacts & {
      readonly hasAccount: boolean;
      readonly position: InboxPosition | undefined;
    };
  };
  /** Watched inboxes of owners without an active tracker that has keywords. */
  unwatched: {
    readonly need: Readonly<Record<never, never>>;
    readonly facts: readonly { readonly ownerId: string; readonly accountId: number }[];
  };
}

export type FactKind = keyof FactKinds;
export type FactsOf<Kind extends FactKind> = FactKinds[Kind]['facts'];
export type NeedOf<Kind extends FactKind> = { readonly kind: Kind } & FactKinds[Kind]['need'];
export type Need = { readonly [Kind in FactKind]: NeedOf<Kind> }[FactKind];

export interface CallerFacts {
  readonly owner: Owner;
  readonly credential: StoredCredential;
  readonly secret: StoredSecret;
  readonly accounts: readonly Account[];
  readonly usage: StoredUsage;
}

/** What a credential and its owner have used. */
export interface StoredUsage {
  /** Calls of the credential since the minute window began. */
  readonly minute: Window | undefined;
  /** Calls of the owner since the day that the window names began. */
  readonly day: Window | undefined;
  readonly slots: readonly { readonly slotId: string; readonly leaseUntilMs: number }[];
}

/** A credential as it is kept: `overlapUntil` stays when the overlap is over. */
export interface StoredCredential extends Omit<Credential, 'isAltered'> {
  /** Null: the row was written by a version that did not sign it, or by somebody else. */
  readonly signature: string | null;
}

export interface StoredSecret {
  readonly ownerId: string;
  readonly credentialId: string;
  /** SHA-256, hex. */
  readonly secretHash: string;
  readonly expiresAt: Date;
  readonly signature: string | null;
}

export interface ActivityFacts {
  readonly last: Checkpoint | undefined;
  readonly rows: readonly NumberedActivity[];
}

export interface KeysFacts {
  readonly record: KeysRecord | undefined;
  readonly credentials: readonly StoredCredential[];
  readonly secrets: readonly StoredSecret[];
}

/** What a credential may do, with what its owner's plan allows. */
export interface Standing {
  readonly credential: StoredCredential;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
}

export interface ClaimKey {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly key: string;
}

/** An Idempotency-Key that was used. */
export interface StoredClaim {
  /** Only ever rises, so a released claim keeps its row. */
  readonly fence: number;
  /** Stays the same for as long as the key stands for the same request. */
  readonly requestId: string;
  /** SHA-256 of tool and arguments, hex. */
  readonly fingerprint: string;
  /** The key is free again: what held it changed nothing. */
  readonly released: boolean;
  /** By the store's clock. */
  readonly leaseUntil: Date;
  readonly sealedOutcome: string | null;
  /** The approval that the request filed. */
  readonly approvalId: string | null;
  /** By the service's clock. */
  readonly createdAt: Date;
}

export interface ClaimFacts {
  readonly claim: StoredClaim | undefined;
  /** The approval that the claim is bound to. */
  readonly approval: Approval | undefined;
}

export interface HeldFacts {
  readonly slot: { readonly credentialId: string; readonly leaseUntilMs: number } | undefined;
  readonly claim: StoredClaim | undefined;
  readonly approval: Approval | undefined;
  readonly hasFollowUp: boolean;
}

/**
 * "Same" is the same `requestHash`, "similar" the same `similarHash`. Instants are the service's. What limits count is
 * counted on the store's clock, back from its now.
 */
export interface FilingNeed {
  readonly ownerId: string;
  readonly credentialId: string;
  readonly requestHash: string;
  readonly similarHash: string;
  readonly targets: readonly string[];
  /** The Idempotency-Key of the request. */
  readonly key: string | null;
  readonly nowMs: number;
  readonly unfinishedSinceMs: number;
  readonly rejectedSinceMs: number;
  readonly executedSinceMs: number;
  /** How far back `daySends` and `shortSends` go. */
  readonly daySendsMs: number;
  readonly shortSendsMs: number;
  /** `filed` goes back to the last whole multiple of it: midnight UTC. */
  readonly dayMs: number;
}

export interface FilingFacts {
  readonly claim: StoredClaim | undefined;
  /** Undefined: there is no such credential. */
  readonly standing: Standing | undefined;
  /** The same request of the same credential, pending and not past its `expiresAt`. */
  readonly samePending: Approval | undefined;
  /** The newest same request of the same credential, approved, or `outcome_unknown` since `unfinishedSinceMs`. */
  readonly sameUnfinished: Approval | undefined;
  /** When a same or similar request of the owner was last rejected, if since `rejectedSinceMs`. */
  readonly rejectedAt: Date | undefined;
  /** A pending request of the same credential for one of the targets. */
  readonly targetPending: Approval | undefined;
  /** Whether a same request of the owner was executed since `executedSinceMs`. */
  readonly isExecuted: boolean;
  /** Whether another credential has the same request unfinished. */
  readonly isUnfinishedElsewhere: boolean;
  /** Sends of the credential that ran by policy and did not fail. */
  readonly daySends: number;
  readonly shortSends: number;
  /** Requests of the credential filed as pending on the store's day. */
  readonly filed: number;
  /** Pending requests that are not past their `expiresAt`. */
  readonly waitingOfKey: number;
  readonly waitingOfOwner: number;
}

export interface ApprovalFacts {
  readonly approval: Approval;
  /** Of the approval's credential. */
  readonly standing: Standing;
  readonly sealedPlan: string | null;
}

export interface CredentialFacts {
  readonly credential: StoredCredential;
  readonly secrets: readonly StoredSecret[];
  /** The owner's pending approvals. */
  readonly pending: readonly Approval[];
}

export interface AccountsFacts {
  readonly activeAccountId: number | null;
  /** An id that was given once is never given again. */
  readonly lastAccountId: number;
  /** Oldest first. */
  readonly accounts: readonly Account[];
  /** The owner's pending approvals, with the names of their targets. */
  readonly pending: readonly { readonly approval: Approval; readonly targets: readonly string[] }[];
}

export interface SessionsFacts {
  readonly passwordHash: string | null;
  readonly sessions: readonly { readonly session: StoredSession; readonly expiresAt: Date }[];
}

export interface TriesFacts {
  /** Undefined: nobody has the email. */
  readonly found: { readonly owner: Owner; readonly passwordHash: string | null } | undefined;
  readonly tries: Readonly<Record<Exclude<TriesCounter, 'device'>, FailedTries | undefined>>;
  /** The owner's devices, the newest sign-in first. */
  readonly devices: readonly StoredDevice[];
}

export interface StoredDevice extends FailedTries {
  readonly deviceHash: string;
  readonly lastSignInMs: number;
}

export interface TrackersFacts {
  readonly trackers: readonly StoredTracker[];
  readonly links: readonly {
    readonly trackerId: number;
    readonly target: string;
    readonly link: TrackerLink;
  }[];
  readonly lastLinkId: number;
}

export interface StoredTracker {
  readonly tracker: Tracker;
  /** The newest link of a message; 0: none. */
  readonly lastMessageLinkId: number;
  /** The newest link that the summary knows; 0: none. */
  readonly summarisedLinkId: number;
}

export interface NumberedKey {
  readonly eventId: number;
  readonly event: EventKey;
}

/** What may be written. Each names the rows of one owner. */
export type Change =
  /** Puts the counts in place of those that are there, and takes a slot for the call. */
  | {
      readonly type: 'count_call';
      readonly ownerId: string;
      readonly credentialId: string;
      readonly minute: Window;
      readonly day: Window;
      readonly slotId: string;
      readonly leaseUntilMs: number;
    }
  /** Moves the end of a slot's lease. */
  | {
      readonly type: 'keep_slot';
      readonly ownerId: string;
      readonly credentialId: string;
      readonly slotId: string;
      readonly leaseUntilMs: number;
    }
  /** Nothing happens where there is none. */
  | {
      readonly type: 'give_slot';
      readonly ownerId: string;
      readonly credentialId: string;
      readonly slotId: string;
    }
  /** In place of the claim that is there. */
  | { readonly type: 'save_claim'; readonly of: ClaimKey; readonly claim: StoredClaim }
  | { readonly type: 'add_approval'; readonly approval: Approval; readonly filed: FiledFacts }
  | { readonly type: 'save_approval'; readonly approval: Approval }
  /** The approval no longer waits: no request collides with its targets. */
  | { readonly type: 'free_targets'; readonly ownerId: string; readonly approvalId: string }
  /** It gets the owner's next sequence number. */
  | { readonly type: 'append_event'; readonly ownerId: string; readonly event: Omit<StoredEvent, 'sequence'> }
  /** Behind the owner's other rows, and behind those that its checkpoints cover. */
  | { readonly type: 'append_activity'; readonly ownerId: string; readonly activity: StoredActivity }
  /** Adds the follow-up of an approval, or moves the instant at which it is due by the store's clock. */
  | {
      readonly type: 'keep_follow_up';
      readonly ownerId: string;
      readonly approvalId: string;
      readonly dueAtMs: number;
    }
  | { readonly type: 'end_follow_up'; readonly ownerId: string; readonly approvalId: string }
  /** Those that are known stay as they are. */
  | {
      readonly type: 'remember_recipients';
      readonly ownerId: string;
      readonly accountId: number;
      readonly addresses: readonly string[];
      readonly now: Date;
    }
  /** Kept when the account is removed. */
  | { readonly type: 'remember_relocated'; readonly ownerId: string; readonly marks: readonly string[] }
  | { readonly type: 'add_credential'; readonly credential: StoredCredential }
  | { readonly type: 'save_credential'; readonly credential: StoredCredential }
  | { readonly type: 'add_secret'; readonly secret: StoredSecret }
  /** Its end and its signature. */
  | { readonly type: 'save_secret'; readonly secret: StoredSecret }
  /** Adds it, or puts it in place of the one with its number. */
  | { readonly type: 'save_checkpoint'; readonly checkpoint: Checkpoint }
  | { readonly type: 'save_keys_record'; readonly ownerId: string; readonly record: KeysRecord }
  | { readonly type: 'add_account'; readonly account: Omit<Account, 'isPrimary'>; readonly now: Date }
  /** With its settings, its known recipients and the place where its inbox is watched. */
  | { readonly type: 'remove_account'; readonly ownerId: string; readonly accountId: number }
  | { readonly type: 'activate_account'; readonly ownerId: string; readonly accountId: number | null }
  | {
      readonly type: 'save_folder_roles';
      readonly ownerId: string;
      readonly accountId: number;
      readonly roles: FolderRoles;
    }
  | { readonly type: 'save_password'; readonly ownerId: string; readonly passwordHash: string }
  | {
      readonly type: 'add_session';
      readonly session: StoredSession;
      readonly tokenHash: string;
      readonly expiresAt: Date;
    }
  /** Its use, its proof and its key. */
  | { readonly type: 'save_session'; readonly session: StoredSession }
  /** With its nonces. */
  | { readonly type: 'end_session'; readonly ownerId: string; readonly sessionId: string }
  /** Kept as long as its session. */
  | {
      readonly type: 'use_nonce';
      readonly ownerId: string;
      readonly sessionId: string;
      readonly nonce: string;
    }
  /** A counter that no owner has. Null: it is forgotten. */
  | {
      readonly type: 'save_tries';
      readonly row: number;
      readonly tries: (FailedTries & { readonly forgottenMs: number }) | null;
    }
  /** Adds the device, or notes its newest sign-in and its tries. */
  | { readonly type: 'add_device'; readonly ownerId: string; readonly device: StoredDevice }
  /** Nothing happens where it is forgotten. */
  | { readonly type: 'save_device'; readonly ownerId: string; readonly device: StoredDevice }
  | { readonly type: 'forget_device'; readonly ownerId: string; readonly deviceHash: string }
  | { readonly type: 'forget_devices'; readonly ownerId: string }
  | { readonly type: 'add_tracker'; readonly tracker: Tracker; readonly requestId: string }
  /** Its status, its summary and what it has gathered. */
  | { readonly type: 'save_tracker'; readonly stored: StoredTracker }
  | {
      readonly type: 'add_link';
      readonly ownerId: string;
      readonly trackerId: number;
      readonly target: string;
      readonly link: TrackerLink;
    }
  | {
      readonly type: 'add_event_number';
      readonly ownerId: string;
      readonly accountId: number;
      readonly numbered: NumberedKey;
    }
  | {
      readonly type: 'save_position';
      readonly ownerId: string;
      readonly accountId: number;
      readonly position: InboxPosition;
    }
  | { readonly type: 'forget_position'; readonly ownerId: string; readonly accountId: number };

/** What `filing` looks for, kept with an approval. */
interface FiledFacts {
  readonly sealedPlan: string;
  readonly sealedGist: string;
  readonly requestHash: string;
  readonly similarHash: string;
  /** Counts against the send limit when it ran by policy. */
  readonly sends: boolean;
  /** When, on the store's clock. */
  readonly filedAtMs: number;
  /** Kept until `free_targets`; none when the approval does not wait. */
  readonly targets: readonly string[];
}
