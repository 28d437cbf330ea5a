import { accountStorage } from '../accounts/account-storage.ts';
import { grantStorage } from '../accounts/grant-storage.ts';
import { accountHealthStorage } from '../accounts/health-storage.ts';
import { knownStorage } from '../accounts/known-storage.ts';
import { messageHandleStorage } from '../accounts/message-handle-storage.ts';
import { activityStorage } from '../activity/activity-storage.ts';
import { approvalStorage } from '../approvals/approval-storage.ts';
import { filingStorage } from '../approvals/filing-storage.ts';
import { runStorage } from '../approvals/run-storage.ts';
import { eventNumberStorage } from '../calendar/event-number-storage.ts';
import { deliveryStorage } from '../events/delivery-storage.ts';
import { endpointStorage } from '../events/endpoint-storage.ts';
import { eventStorage } from '../events/event-storage.ts';
import { callStorage } from '../keys/call-storage.ts';
import { credentialStorage } from '../keys/key-storage.ts';
import { signInStorage } from '../keys/sign-in-storage.ts';
import { noticeStorage } from '../notices/notice-storage.ts';
import { ownerStatements } from '../owners/owner-state.ts';
import { ownerStorage } from '../owners/owner-storage.ts';
import { passwordStorage } from '../owners/password-storage.ts';
import { secondStepStorage } from '../owners/second-step-storage.ts';
import { sessionStorage } from '../owners/session-storage.ts';
import type { Storage } from '../ports/storage.ts';
import { readStorage } from '../provenance/read-storage.ts';
import type { Random } from '../secrets/random.ts';
import { observeCommits } from '../state/committed-changes.ts';
import { all } from '../state/query.ts';
import type { StateStore } from '../state/store.ts';
import { trackerStorage } from '../trackers/tracker-storage.ts';
import { inboxStorage } from '../watching/inbox-storage.ts';
import { leaseStorage } from '../watching/lease-storage.ts';
import { TABLES_OF_OWNERS } from './all-tables.ts';

/**
 * Builds core's storage on a database without rules. Each verb names what it loads, the pure function that decides on it, and
 * whether the result must survive a power loss. A record is durable if somebody acts on it: an action's start and end, a
 * decision, a revoked key.
 * @param random  source of the ids of events and requests
 */
export function createStorage(database: StateStore, random: Random): Storage {
  const { store, onCommit } = observeCommits(database);
  return {
    ...accountHealthStorage(store),
    ...accountStorage(store, random),
    ...activityStorage(store),
    ...approvalStorage(store, random, onCommit),
    ...filingStorage(store),
    ...runStorage(store, random),
    ...callStorage(store, random),
    ...credentialStorage(store, random),
    ...eventNumberStorage(store),
    ...eventStorage(store, onCommit),
    ...grantStorage(store),
    ...inboxStorage(store, random),
    ...knownStorage(store),
    ...leaseStorage(store),
    ...messageHandleStorage(store),
    ...noticeStorage(store),
    ...ownerStorage(store, TABLES_OF_OWNERS),
    ...passwordStorage(store),
    ...readStorage(store),
    ...secondStepStorage(store),
    ...sessionStorage(store),
    ...signInStorage(store, random),
    ...trackerStorage(store),
    ...deliveryStorage(store),
    ...endpointStorage(store, random),
    erase: (before) => store.erase(before),
    async healthy() {
      await store.look({ any: all(ownerStatements.any_owner, {}) });
    },
    close: () => store.close(),
  };
}
