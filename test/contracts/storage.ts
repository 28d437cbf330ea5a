import { afterEach, beforeEach, describe } from 'vitest';
import type { Storage } from '../../core/ports/storage.ts';
import { accountHealthPromises } from './storage/account-health.ts';
import { accountPromises } from './storage/accounts.ts';
import { activityPromises } from './storage/activity.ts';
import { approvalPromises } from './storage/approvals.ts';
import { callPromises } from './storage/calls.ts';
import { checkpointPromises } from './storage/checkpoints.ts';
import { claimPromises } from './storage/claims.ts';
import { credentialPromises } from './storage/credentials.ts';
import { eventNumberPromises } from './storage/event-numbers.ts';
import { eventStreamPromises } from './storage/event-streams.ts';
import { filingPromises } from './storage/filing.ts';
import { grantPromises } from './storage/grants.ts';
import { isolationPromises } from './storage/isolation.ts';
import { knownDomainPromises } from './storage/known-domains.ts';
import { lastingPromises } from './storage/lasting.ts';
import { listPromises } from './storage/lists.ts';
import { messageHandlePromises } from './storage/message-handles.ts';
import { modelPromises } from './storage/model.ts';
import { noticePromises } from './storage/notices.ts';
import { ownerPromises } from './storage/owners.ts';
import { passwordPromises } from './storage/passwords.ts';
import { racePromises } from './storage/races.ts';
import { readPromises } from './storage/reads.ts';
import { recoveryPromises } from './storage/recovery.ts';
import { removalPromises } from './storage/removal.ts';
import { secondStepPromises } from './storage/second-steps.ts';
import { sessionPromises } from './storage/sessions.ts';
import { setupPromises } from './storage/setup.ts';
import { signInPromises } from './storage/sign-ins.ts';
import { trackerPromises } from './storage/trackers.ts';
import { watchPromises } from './storage/watching.ts';
import { webhookPromises } from './storage/webhooks.ts';

/** An empty store for one test. */
export interface StorageUnderTest {
  readonly storage: Storage;
  /** What the racer of `storageContract` needs to open this same store. */
  readonly location: string;
  /** Moves the store's own clock forward by `ms`, at once. */
  passTime(ms: number): Promise<void>;
  /** Opens one more connection to the same store, as another process would. */
  second(): Promise<Storage>;
  /** Closes every connection and opens the store again. */
  reopen(): Promise<Storage>;
  close(): Promise<void>;
}

/** What each group of promises receives: the store of the current test. */
export type Store = () => StorageUnderTest;

/**
 * The contract of the Storage port.
 * @param open  opens a separate store for each test
 * @param racer  path of a script, as Node runs it, that calls `race` with a function that opens a store by
 * its location
 */
export function storageContract(name: string, open: () => Promise<StorageUnderTest>, racer: string): void {
  describe(`${name}: storage contract`, () => {
    let opened: StorageUnderTest;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const store: Store = () => opened;

    lastingPromises(store);
    callPromises(store);
    claimPromises(store);
    filingPromises(store);
    approvalPromises(store);
    readPromises(store);
    recoveryPromises(store);
    activityPromises(store);
    listPromises(store);
    knownDomainPromises(store);
    credentialPromises(store);
    signInPromises(store);
    checkpointPromises(store);
    ownerPromises(store);
    removalPromises(store);
    passwordPromises(store);
    secondStepPromises(store);
    sessionPromises(store);
    setupPromises(store);
    accountPromises(store);
    accountHealthPromises(store);
    grantPromises(store);
    eventNumberPromises(store);
    messageHandlePromises(store);
    isolationPromises(store);
    modelPromises(store);
    trackerPromises(store);
    watchPromises(store);
    eventStreamPromises(store);
    webhookPromises(store);
    noticePromises(store);
    racePromises(store, racer);
  });
}
