import { afterEach, beforeEach, describe } from 'vitest';
import type { Storage } from '../../core/ports/storage.ts';
import { accountPromises } from './storage/accounts.ts';
import { approvalPromises } from './storage/approvals.ts';
import { callPromises } from './storage/calls.ts';
import { checkpointPromises } from './storage/checkpoints.ts';
import { claimPromises } from './storage/claims.ts';
import { credentialPromises } from './storage/credentials.ts';
import { eventNumberPromises } from './storage/event-numbers.ts';
import { filingPromises } from './storage/filing.ts';
import { isolationPromises } from './storage/isolation.ts';
import { lastingPromises } from './storage/lasting.ts';
import { listPromises } from './storage/lists.ts';
import { modelPromises } from './storage/model.ts';
import { ownerPromises } from './storage/owners.ts';
import { passwordPromises } from './storage/passwords.ts';
import { racePromises } from './storage/races.ts';
import { recoveryPromises } from './storage/recovery.ts';
import { sessionPromises } from './storage/sessions.ts';
import { trackerPromises } from './storage/trackers.ts';
import { watchPromises } from './storage/watching.ts';

/** A store for one test, empty. */
export interface StorageUnderTest {
  readonly storage: Storage;
  /** What the racer of `storageContract` is told, so that it opens this same store. */
  readonly location: string;
  /** From now on the store's own clock shows `ms` more: so much time goes by at once. */
  passTime(ms: number): Promise<void>;
  /** One more connection to the same store, as another process would have. */
  second(): Promise<Storage>;
  /** Closes every connection, and opens the store again. */
  reopen(): Promise<Storage>;
  close(): Promise<void>;
}

/** What a suite of promises is given: the store of the test that runs. */
export type Store = () => StorageUnderTest;

/**
 * What every adapter of the Storage port must do.
 * @param open  gives a store of its own to each test
 * @param racer  path of a script, as Node runs it, that calls `race` with a way to open a store by its location
 */
export function storageContract(name: string, open: () => Promise<StorageUnderTest>, racer: string): void {
  describe(`${name}: the contract of storage`, () => {
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
    recoveryPromises(store);
    listPromises(store);
    credentialPromises(store);
    checkpointPromises(store);
    ownerPromises(store);
    passwordPromises(store);
    sessionPromises(store);
    accountPromises(store);
    eventNumberPromises(store);
    isolationPromises(store);
    modelPromises(store);
    trackerPromises(store);
    watchPromises(store);
    racePromises(store, racer);
  });
}
