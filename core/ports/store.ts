import type { Approval } from '../approvals/approval.ts';
import type { Delivery } from '../events/delivery.ts';
import type { StoredEvent } from '../events/event-storage.ts';
import type { FolderRoles } from '../folders/roles.ts';
import type { LimitOverrides, Window } from '../gate/limits.ts';
import type { Plan } from '../gate/permissions.ts';
import type { Owner } from '../owners/owner-state.ts';
import type { RowChange } from '../state/change.ts';
import type { Commit, StateStore, Verdict } from '../state/store.ts';
import type { Account } from './account.ts';
import type { ServerHealth } from './account-health.ts';
import type { EditedPlan, Reclaimed } from './approval-storage.ts';
import type { CredentialRef, Held } from './call-storage.ts';
import type { Credential } from './credential-storage.ts';
import type { PendingGrant, StoredGrant } from './grant-storage.ts';
import type { Storage } from './storage.ts';
import type { Tracker, TrackerLink } from './tracker-storage.ts';
import type { InboxPosition, InboxReader, WaitingTracker } from './watch-storage.ts';
import type { AttemptLog, DeliveryRef, Endpoint } from './webhook-storage.ts';

/**
 * What core needs of a database. It contains no rules: core's verbs decide on the facts that it loads and list the
 * changes that it applies (`createStorage`). A store loads each kind of fact, applies each kind of change, and answers
 * plain look-ups.
 *
 * A call that cannot reach the database throws `ServiceError('temporarily_unavailable')`. It never returns an empty
 * result instead.
 */
export type Store = StoreLookups &
  Pick<StateStore, 'ownerUnit' | 'countersUnit' | 'execute' | 'otherWork' | 'look'> & {
    /**
     * Runs one atomic unit: locks the rows of `need`, loads its facts, and applies all changes that `judge` returns, or
     * none. Nobody else writes rows of the same owner in between.
     *
     * `judge` is pure. It may be called again if the transaction has to be repeated.
     * @param commit `durable`: survives a loss of power before it resolves. `relaxed`: complete or absent after a
     *   crash, but a loss of power may undo the newest units, and several may be committed together
     * @returns the answer of `judge`, once its changes are committed
     */
    unit<Kind extends FactKind, Answer>(
      commit: Commit,
      need: NeedOf<Kind>,
      judge: (facts: FactsOf<Kind>, storeNowMs: number) => Verdict<Answer, AnyChange>,
    ): Promise<Answer>;

    /** Applies changes of one owner that need no facts, as one atomic, relaxed unit. */
    apply(ownerId: string, changes: readonly AnyChange[]): Promise<void>;
  };

/** Look-ups change nothing and read one consistent state. `erase` keeps the rows of approvals. */
type StoreLookups = Pick<
  Storage,
  | 'healthy'
  | 'close'
  | 'erase'
  | 'approval'
  | 'approvals'
  | 'openApprovals'
  | 'plan'
  | 'askedPlan'
  | 'gists'
  | 'isRepeat'
  | 'knownRecipients'
  | 'knownDomains'
  | 'relocatedAmong'
  | 'accounts'
  | 'accountHealth'
  | 'accountsToCheck'
  | 'trackers'
  | 'tracker'
  | 'waitingTrackers'
  | 'inboxesToWatch'
  | 'summariesDue'
  | 'credentialUse'
  | 'endpoints'
  | 'ownersWithDeliveries'
  | 'deliveries'
> & {
  /** All credentials of the owner with all their secrets, newest first, including revoked ones; and the clock. */
  credentials(ownerId: string): Promise<{
    readonly credentials: readonly StoredCredential[];
    readonly secrets: readonly StoredSecret[];
    readonly storeNowMs: number;
  }>;
  /** The owner and credential of a secret, live or not. */
  credentialOfSecret(
    secretHash: string,
  ): Promise<{ readonly ownerId: string; readonly credentialId: string } | undefined>;
};

/** The same, of verbs whose changes may be of the older kind. */
export type Judged<Answer, Each = AnyChange> = Verdict<Answer, Each>;

/** A change of either kind. */
export type AnyChange = Change | RowChange;

/**
 * The kinds of facts. `need` selects them; `facts` is what the store finds. Each unit locks the owner of the rows
 * before it loads them.
 */
export interface FactKinds {
  /** Undefined: there is no such credential. */
  caller: { readonly need: CredentialRef; readonly facts: CallerFacts | undefined };
  claim: { readonly need: ClaimKey; readonly facts: ClaimFacts };
  held: { readonly need: Held; readonly facts: HeldFacts };
  filing: { readonly need: FilingNeed; readonly facts: FilingFacts };
  /** Undefined: the owner has no such approval. `withPlan`: also loads its sealed plan. */
  approval: {
    readonly need: { readonly ownerId: string; readonly approvalId: string; readonly withPlan: boolean };
    readonly facts: ApprovalFacts | undefined;
  };
  /**
   * Leases and follow-ups of all owners that have ended by the store's clock, except those of approvals in `running`;
   * at most `limit` of each. The oldest of every owner comes before the second of any owner. Locked owners may be left
   * out.
   */
  due: {
    readonly need: { readonly running: ReadonlySet<string>; readonly limit: number };
    readonly facts: { readonly lapsed: readonly Reclaimed[]; readonly followUps: readonly Reclaimed[] };
  };
  /** Pending approvals of all owners with `expiresAt` up to `now`. Locked owners may be left out. */
  overdue: { readonly need: { readonly now: Date }; readonly facts: readonly Approval[] };
  /** Undefined: the owner has no such credential. */
  credential: {
    readonly need: { readonly ownerId: string; readonly credentialId: string };
    readonly facts: CredentialFacts | undefined;
  };
  /** Undefined: there is no such owner. */
  accounts: { readonly need: { readonly ownerId: string }; readonly facts: AccountsFacts | undefined };
  /** Undefined: there is no such account. */
  health: {
    readonly need: { readonly ownerId: string; readonly accountId: number };
    readonly facts:
      | { readonly revision: number; readonly nextCheckAt: Date; readonly servers: readonly ServerHealth[] }
      | undefined;
  };
  /** Oldest first. Undefined: there is no such owner. */
  pendingGrants: {
    readonly need: { readonly ownerId: string };
    readonly facts: readonly PendingGrant[] | undefined;
  };
  /** `requestId`: the tracker that this request created before. */
  newTracker: {
    readonly need: { readonly ownerId: string; readonly requestId: string };
    readonly facts: { readonly existing: Tracker | undefined; readonly lastTrackerId: number };
  };
  /** Trackers by id, their links by target, and the number of the newest link. */
  trackers: {
    readonly need: {
      readonly ownerId: string;
      readonly trackerIds: readonly number[];
      readonly targets: readonly string[];
    };
    readonly facts: TrackersFacts;
  };
  /** A tracker, one of its links, and the number of the newest link of another message; 0: none. */
  trackerLink: {
    readonly need: { readonly ownerId: string; readonly trackerId: number; readonly linkId: number };
    readonly facts: {
      readonly stored: StoredTracker | undefined;
      readonly link: TrackerLink | undefined;
      readonly otherMessageLinkId: number;
    };
  };
  /** Like `trackers`, with the inbox of an account and the position of one of its readers. */
  inbox: {
    readonly need: FactKinds['trackers']['need'] & {
      readonly accountId: number;
      readonly reader: InboxReader;
      readonly identities: readonly string[];
    };
    readonly facts: TrackersFacts & {
      /** Of its newest lease. Undefined: it was never leased, or the account was removed. */
      readonly fence: number | undefined;
      /** Undefined: the reader has ended. */
      readonly position: InboxPosition | undefined;
      /** Those of `identities` that a request moved into the inbox. */
      readonly movedIn: readonly string[];
    };
  };
  /** Also what waits for mail, and the inboxes of the owner's accounts. Undefined: there is no such owner. */
  watching: {
    readonly need: { readonly ownerId: string };
    readonly facts: WatchingFacts | undefined;
  };
  /** The owner's endpoints with their keys, and the key `credentialId`. Undefined: there is no such owner. */
  endpoints: {
    readonly need: { readonly ownerId: string; readonly credentialId: string | null };
    readonly facts: EndpointsFacts | undefined;
  };
  /** Also one delivery. */
  delivery: {
    readonly need: DeliveryRef;
    readonly facts: (EndpointsFacts & { readonly delivery: StoredDelivery | undefined }) | undefined;
  };
  /**
   * Also the deliveries `refs`, at most `limit` events after the position of the endpoint that is furthest behind, and
   * `perEndpoint` due deliveries of each endpoint.
   */
  webhooks: {
    readonly need: {
      readonly ownerId: string;
      readonly refs: readonly Omit<DeliveryRef, 'ownerId'>[];
      readonly limit: number;
      readonly perEndpoint: number;
    };
    readonly facts:
      | (EndpointsFacts & {
          /** The connected accounts. */
          readonly accountIds: readonly number[];
          /** Those of `refs` that exist. */
          readonly deliveries: readonly StoredDelivery[];
          /** Oldest first. */
          readonly news: readonly StoredEvent[];
          /** Waiting deliveries that are due and not leased by the store's clock, the longest due first. */
          readonly due: readonly (StoredDelivery & { readonly event: StoredEvent })[];
        })
      | undefined;
  };
}

export type FactKind = keyof FactKinds;
export type FactsOf<Kind extends FactKind> = FactKinds[Kind]['facts'];
export type NeedOf<Kind extends FactKind> = { readonly kind: Kind } & FactKinds[Kind]['need'];
export type Need = { readonly [Kind in FactKind]: NeedOf<Kind> }[FactKind];

export interface CallerFacts {
  readonly owner: Owner;
  readonly credential: StoredCredential;
  /** Null: the credential was found by its id. */
  readonly secret: StoredSecret | null;
  readonly accounts: readonly Account[];
  readonly usage: StoredUsage;
}

/** The usage of a credential and of its owner. */
export interface StoredUsage {
  /** Calls of the credential since the start of the minute window. */
  readonly minute: Window | undefined;
  /** Calls of the owner since the start of the window's day. */
  readonly day: Window | undefined;
  readonly slots: readonly { readonly slotId: string; readonly leaseUntilMs: number }[];
}

/** A credential as stored: `overlapUntil` stays after the overlap has ended. */
export interface StoredCredential extends Omit<Credential, 'isAltered'> {
  readonly signature: string;
}

export interface StoredSecret {
  readonly ownerId: string;
  readonly credentialId: string;
  /** SHA-256, hex. */
  readonly secretHash: string;
  readonly expiresAt: Date;
  /** Of a refresh token that was used: the tokens that replaced it, sealed for this row. Null: it was not used. */
  readonly sealedTokens: string | null;
  readonly signature: string;
}

/** The permissions of a credential, and the plan of its owner. */
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

/** A used Idempotency-Key. */
export interface StoredClaim {
  /** Never decreases, so a released claim keeps its row. */
  readonly fence: number;
  /** Stays the same as long as the key belongs to the same request. */
  readonly requestId: string;
  /** SHA-256 of tool and arguments, hex. */
  readonly fingerprint: string;
  /** The key is free again: its request changed nothing. */
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
  readonly hasOwner: boolean;
  readonly claim: StoredClaim | undefined;
  /** The approval that the claim is bound to. */
  readonly approval: Approval | undefined;
}

export interface HeldFacts {
  readonly slot: { readonly credentialId: string; readonly leaseUntilMs: number } | undefined;
  readonly claim: StoredClaim | undefined;
  /** The one that is asked for, or else that of the follow-up. */
  readonly approval: Approval | undefined;
  readonly hasFollowUp: boolean;
}

/**
 * "Same" means the same `requestHash`, "similar" the same `similarHash`. Instants are the service's. Limits count on
 * the store's clock, back from its current time.
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
  /** The time span of `daySends` and `shortSends`. */
  readonly daySendsMs: number;
  readonly shortSendsMs: number;
  /** `filed` counts from the last whole multiple of this: midnight UTC. */
  readonly dayMs: number;
}

export interface FilingFacts {
  readonly claim: StoredClaim | undefined;
  /** Undefined: the credential does not exist. */
  readonly standing: Standing | undefined;
  /** The same request of the same credential, pending and before its `expiresAt`. */
  readonly samePending: Approval | undefined;
  /** The newest same request of the same credential, approved, or `outcome_unknown` since `unfinishedSinceMs`. */
  readonly sameUnfinished: Approval | undefined;
  /** When the same or a similar request of the owner was last rejected, if after `rejectedSinceMs`. */
  readonly rejectedAt: Date | undefined;
  /** A pending request of the same credential for one of the targets. */
  readonly targetPending: Approval | undefined;
  /** Whether the same request of the owner was executed after `executedSinceMs`. */
  readonly isExecuted: boolean;
  /** Whether another credential has the same request unfinished. */
  readonly isUnfinishedElsewhere: boolean;
  /** Sends of the credential that ran by policy and did not fail. */
  readonly daySends: number;
  readonly shortSends: number;
  /** Requests of the credential that were filed as pending on the store's day. */
  readonly filed: number;
  /** Pending requests before their `expiresAt`. */
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
  /** The credential's approved approvals that have not started. */
  readonly unstarted: readonly Approval[];
}

export interface AccountsFacts {
  readonly activeAccountId: number | null;
  /** An id is never used twice. */
  readonly lastAccountId: number;
  /** Oldest first. */
  readonly accounts: readonly Account[];
  /** The owner's pending approvals, with the names of their targets. */
  readonly pending: readonly { readonly approval: Approval; readonly targets: readonly string[] }[];
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

export interface EndpointsFacts {
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  /** An id is never used twice. */
  readonly lastEndpointId: number;
  /** The number of the owner's newest event. 0: there is none. */
  readonly lastSequence: number;
  /** Oldest first. */
  readonly endpoints: readonly StoredEndpoint[];
  readonly credentials: readonly StoredCredential[];
}

export interface WatchingFacts extends EndpointsFacts {
  /** Oldest first. */
  readonly accounts: readonly Account[];
  /** The active ones with keywords. */
  readonly trackers: readonly WaitingTracker[];
  readonly leases: readonly {
    readonly accountId: number;
    readonly fence: number;
    readonly leaseUntilMs: number;
  }[];
  readonly readers: readonly (StoredReader & { readonly accountId: number; readonly reader: InboxReader })[];
}

export interface StoredReader {
  /** Null: it has ended. */
  readonly position: InboxPosition | null;
  /** By the service's clock. */
  readonly endedMs: number | null;
}

export interface StoredEndpoint {
  readonly endpoint: Endpoint;
  /** The newest event that a delivery was filed for, or that does not concern the endpoint. */
  readonly position: number;
}

export interface StoredDelivery {
  readonly endpointId: number;
  /** The sequence number of the event. */
  readonly sequence: number;
  readonly delivery: Delivery;
  /** Oldest first. */
  readonly log: readonly AttemptLog[];
}

export interface StoredTracker {
  readonly tracker: Tracker;
  /** The newest link of a message; 0: none. */
  readonly lastMessageLinkId: number;
  /** The newest link that the summary includes; 0: none. */
  readonly summarisedLinkId: number;
}

/** The possible changes. Each concerns rows of one owner. */
export type Change =
  /** Replaces the counts, takes a slot for the call, and notes that the key was used. */
  | {
      readonly type: 'count_call';
      readonly ownerId: string;
      readonly credentialId: string;
      readonly at: Date;
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
  /** Does nothing if there is none. */
  | {
      readonly type: 'give_slot';
      readonly ownerId: string;
      readonly credentialId: string;
      readonly slotId: string;
    }
  /** Replaces the existing claim. */
  | { readonly type: 'save_claim'; readonly of: ClaimKey; readonly claim: StoredClaim }
  | { readonly type: 'add_approval'; readonly approval: Approval; readonly filed: FiledFacts }
  | { readonly type: 'save_approval'; readonly approval: Approval }
  /** Replaces the plan and the gist of an approval that has them. */
  | {
      readonly type: 'replace_plan';
      readonly ownerId: string;
      readonly approvalId: string;
      readonly plan: Pick<EditedPlan, 'sealedPlan' | 'sealedGist' | 'sealedAsked'>;
    }
  /** The approval is no longer pending, so its targets collide with no request. */
  | { readonly type: 'free_targets'; readonly ownerId: string; readonly approvalId: string }
  /** Adds the follow-up of an approval, or changes when it is due by the store's clock. */
  | {
      readonly type: 'keep_follow_up';
      readonly ownerId: string;
      readonly approvalId: string;
      readonly dueAtMs: number;
    }
  | { readonly type: 'end_follow_up'; readonly ownerId: string; readonly approvalId: string }
  /**
   * Adds addresses, counted as often as they are listed. Known ones count one more if `isSend`, else nothing changes.
   * Does nothing if the owner is removed.
   */
  | {
      readonly type: 'remember_recipients';
      readonly ownerId: string;
      readonly accountId: number;
      readonly addresses: readonly string[];
      /** The owner wrote to them just now. */
      readonly isSend: boolean;
      readonly now: Date;
    }
  /** Kept after the account is removed. */
  | { readonly type: 'remember_relocated'; readonly ownerId: string; readonly marks: readonly string[] }
  | { readonly type: 'add_credential'; readonly credential: StoredCredential }
  | { readonly type: 'save_credential'; readonly credential: StoredCredential }
  | { readonly type: 'add_secret'; readonly secret: StoredSecret }
  /** Saves its end and its signature. */
  | { readonly type: 'save_secret'; readonly secret: StoredSecret }
  | {
      readonly type: 'remove_secret';
      readonly ownerId: string;
      readonly credentialId: string;
      readonly secretHash: string;
    }
  | { readonly type: 'add_account'; readonly account: Omit<Account, 'isPrimary'>; readonly now: Date }
  /** Saves its label, display name, signature, settings and revision. */
  | { readonly type: 'save_account'; readonly account: Omit<Account, 'isPrimary'> }
  /** Adds it, or replaces it. `isNew`: its state is one that no notice covers yet. */
  | {
      readonly type: 'save_server';
      readonly ownerId: string;
      readonly server: ServerHealth;
      readonly isNew: boolean;
    }
  | { readonly type: 'plan_check'; readonly ownerId: string; readonly accountId: number; readonly at: Date }
  /** Removes all servers of the account. */
  | { readonly type: 'forget_health'; readonly ownerId: string; readonly accountId: number }
  /** Also removes its settings, its health, its known recipients, and all rows of its inbox. */
  | {
      readonly type: 'save_grant';
      readonly ownerId: string;
      readonly accountId: number;
      readonly grant: StoredGrant;
    }
  | { readonly type: 'add_pending_grant'; readonly ownerId: string; readonly pending: PendingGrant }
  | { readonly type: 'remove_pending_grant'; readonly ownerId: string; readonly stateHash: string }
  /** Also removes its settings, its known recipients, and all rows of its inbox. */
  | { readonly type: 'remove_account'; readonly ownerId: string; readonly accountId: number }
  | { readonly type: 'activate_account'; readonly ownerId: string; readonly accountId: number | null }
  | {
      readonly type: 'save_folder_roles';
      readonly ownerId: string;
      readonly accountId: number;
      readonly roles: FolderRoles;
    }
  | { readonly type: 'add_tracker'; readonly tracker: Tracker; readonly requestId: string }
  /** Saves its fields, its status, its summary and the numbers of its newest links. */
  | { readonly type: 'save_tracker'; readonly stored: StoredTracker }
  | {
      readonly type: 'add_link';
      readonly ownerId: string;
      readonly trackerId: number;
      readonly target: string;
      readonly link: TrackerLink;
    }
  | {
      readonly type: 'remove_link';
      readonly ownerId: string;
      readonly linkId: number;
    }
  /** Adds the lease of an inbox, or replaces it. */
  | {
      readonly type: 'save_inbox_lease';
      readonly ownerId: string;
      readonly accountId: number;
      readonly fence: number;
      readonly leaseUntilMs: number;
    }
  /** Adds the reader of an inbox, or replaces it. */
  | ({
      readonly type: 'save_reader';
      readonly ownerId: string;
      readonly accountId: number;
      readonly reader: InboxReader;
    } & StoredReader)
  /** Kept until the message is found in the inbox, or `erase`. */
  | {
      readonly type: 'remember_moved_in';
      readonly ownerId: string;
      readonly accountId: number;
      readonly identity: string;
      readonly now: Date;
    }
  | {
      readonly type: 'forget_moved_in';
      readonly ownerId: string;
      readonly accountId: number;
      readonly identity: string;
    }
  | { readonly type: 'add_endpoint'; readonly stored: StoredEndpoint }
  /** Saves its secrets and its health. */
  | { readonly type: 'save_endpoint'; readonly endpoint: Endpoint }
  | {
      readonly type: 'move_endpoint';
      readonly ownerId: string;
      readonly endpointId: number;
      readonly position: number;
    }
  /** Also removes its deliveries. */
  | { readonly type: 'remove_endpoint'; readonly ownerId: string; readonly endpointId: number }
  /** Adds each delivery, or replaces it. All of them are different. */
  | {
      readonly type: 'save_deliveries';
      readonly ownerId: string;
      readonly deliveries: readonly StoredDelivery[];
    };

/** The fields that `filing` searches, stored with an approval. */
export interface FiledFacts {
  readonly sealedPlan: string;
  readonly sealedGist: string;
  readonly requestHash: string;
  readonly similarHash: string;
  /** Counts against the send limit if it ran by policy. */
  readonly sends: boolean;
  /** The time of filing on the store's clock. */
  readonly filedAtMs: number;
  /** Kept until `free_targets`. Empty if the approval is not pending. */
  readonly targets: readonly string[];
}
