import type { Storage } from '../../../core/ports/storage.ts';
import type { InboxPosition, InboxReader } from '../../../core/watching/inbox-state.ts';
import type { InboxStep } from '../../../core/watching/inbox-storage.ts';
import type { LeasedInbox } from '../../../core/watching/lease-storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import { LEASE_MS, NOON, SIGNER } from './scene.ts';

/** Watched inboxes as the promises of storage need them. */

export function addAccount(storage: Storage, ownerId: string, email = 'work@example.org') {
  const account = { ownerId, label: 'work', email, signature: '', now: NOON };
  const seal = (accountId: number) => `settings of ${accountId}`;
  return storage.addAccount({ ...account, seal, folderRoles: USUAL_ROLES });
}

export function leased(
  storage: Storage,
  ownerId: string,
  changes: Partial<Parameters<Storage['leaseInboxes']>[0]> = {},
): Promise<readonly LeasedInbox[]> {
  const request = { all: false, held: new Map(), leaseMs: LEASE_MS, signer: SIGNER, now: NOON };
  return storage.leaseInboxes({ ownerId, ...request, ...changes });
}

export const AT_START: InboxPosition = {
  uidValidity: null,
  uid: 0,
  sinceS: NOON.getTime() / 1000,
  recent: [],
  sift: null,
};
export const FIRST: InboxPosition = {
  uidValidity: '18446744073709551615',
  uid: 4_294_967_295,
  sinceS: 1_900_000_000,
  recent: [
    ['identity 1', 1_900_000_001],
    ['identity 2', 1_900_000_002],
  ],
  sift: { uid: 4_294_967_295, sinceS: 1_800_000_000 },
};

/** Moves a reader of account 1 from the start. Without `fence`, leases the inbox first. */
export async function advance(
  storage: Storage,
  ownerId: string,
  reader: InboxReader,
  step: Partial<Omit<InboxStep, 'ownerId' | 'reader'>> = {},
): Promise<boolean> {
  const fence = step.fence ?? (await leased(storage, ownerId))[0]?.fence;
  if (fence === undefined) throw new Error('the inbox is not leased');
  const nothing = { from: AT_START, to: FIRST, received: [], links: [], now: NOON };
  return storage.advanceInbox({ ownerId, accountId: 1, reader, ...nothing, ...step, fence });
}
