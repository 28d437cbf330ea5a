import { errorName, type Log } from '../ports/log.ts';
import type { Storage } from '../ports/storage.ts';
import { openSources, type ReadSources } from '../provenance/read-record.ts';
import type { StoredSources } from '../provenance/read-state.ts';
import type { Keyring } from '../secrets/keyring.ts';

/** The record of a read with its sources opened. */
type OpenedRead = Omit<StoredSources, 'sealed'> & ReadSources;

/** Opens the records of reads. Leaves out those that cannot be opened: their key may have been removed from the ring. */
export async function openedReads(
  { storage, log }: { readonly storage: Pick<Storage, 'readSources'>; readonly log: Log },
  keyring: Keyring,
  ownerId: string,
  readIds: readonly string[],
): Promise<readonly OpenedRead[]> {
  if (readIds.length === 0) return [];
  const stored = await storage.readSources(ownerId, readIds);
  return stored.flatMap(({ sealed, ...read }) => {
    try {
      return [{ ...read, ...openSources(keyring, ownerId, read.readId, sealed) }];
    } catch (error) {
      log.warn('a record of what was read could not be opened', errorName(error));
      return [];
    }
  });
}
