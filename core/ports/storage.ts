import type { AccountStorage } from '../accounts/account-storage.ts';
import type { GrantStorage } from '../accounts/grant-storage.ts';
import type { AccountHealthStorage } from '../accounts/health-storage.ts';
import type { KnownStorage } from '../accounts/known-storage.ts';
import type { MessageHandleStorage } from '../accounts/message-handle-storage.ts';
import type { ActivityStorage } from '../activity/activity-storage.ts';
import type { ApprovalStorage } from '../approvals/approval-storage.ts';
import type { FilingStorage } from '../approvals/filing-storage.ts';
import type { RunStorage } from '../approvals/run-storage.ts';
import type { EventNumberStorage } from '../calendar/event-number-storage.ts';
import type { DeliveryStorage } from '../events/delivery-storage.ts';
import type { EndpointStorage } from '../events/endpoint-storage.ts';
import type { EventStorage } from '../events/event-storage.ts';
import type { CallStorage } from '../keys/call-storage.ts';
import type { CredentialStorage } from '../keys/key-storage.ts';
import type { SignInStorage } from '../keys/sign-in-storage.ts';
import type { NoticeStorage } from '../notices/notice-storage.ts';
import type { OwnerStorage } from '../owners/owner-storage.ts';
import type { PasswordStorage } from '../owners/password-storage.ts';
import type { SecondStepStorage } from '../owners/second-step-storage.ts';
import type { SessionStorage } from '../owners/session-storage.ts';
import type { ReadStorage } from '../provenance/read-storage.ts';
import type { EraseBefore } from '../state/erase-before.ts';
import type { TrackerStorage } from '../trackers/tracker-storage.ts';
import type { InboxStorage } from '../watching/inbox-storage.ts';
import type { LeaseStorage } from '../watching/lease-storage.ts';

/**
 * What core stores. Each verb is one atomic unit: it either completes or changes nothing. Everything that must change
 * together (state, events, counters, claims, activity) changes in one unit. Core's pure functions (`judgeLimits`,
 * `decideCall`, `transition`) decide inside the write, on what the write itself reads.
 *
 * Every row belongs to an owner, and every verb only covers the owner it names. The exceptions are the directory
 * (secret hash, owner email, session → owner), the link of the first run, and the look-ups of due work.
 *
 * `now` is the service's clock; every date in the contract comes from it. Leases use the store's own clock.
 * A verb that cannot reach the store throws. It never returns an empty result instead.
 */
export interface Storage
  extends CallStorage,
    ApprovalStorage,
    FilingStorage,
    RunStorage,
    CredentialStorage,
    SignInStorage,
    OwnerStorage,
    PasswordStorage,
    SecondStepStorage,
    SessionStorage,
    AccountStorage,
    AccountHealthStorage,
    MessageHandleStorage,
    GrantStorage,
    TrackerStorage,
    EventNumberStorage,
    InboxStorage,
    LeaseStorage,
    KnownStorage,
    ActivityStorage,
    EventStorage,
    NoticeStorage,
    ReadStorage,
    DeliveryStorage,
    EndpointStorage {
  /**
   * Erases what is older, each by its own date, at most 250 rows of each kind per call.
   * @returns whether more may be left to erase
   */
  erase(before: EraseBefore): Promise<boolean>;
  /** Resolves if the store responds. */
  healthy(): Promise<void>;
  close(): Promise<void>;
}
