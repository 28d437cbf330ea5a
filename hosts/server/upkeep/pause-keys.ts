import type { Storage } from '../../../core/ports/storage.ts';
import type { Keyring } from '../../../core/secrets/keyring.ts';
import { systemClock } from '../../embedded/system-clock.ts';
import { everyOwner } from '../owners/every-owner.ts';

/**
 * Pauses the keys and sign-ins of every owner in a restored database. A program may repeat a call from after the backup,
 * and a key that was revoked since is back. Closes the storage.
 * @returns how many it paused
 */
export async function pauseKeys(storage: Storage, signer: Keyring): Promise<number> {
  try {
    const now = systemClock.now();
    let paused = 0;
    for await (const { ownerId } of everyOwner((page) => storage.owners(page))) {
      for (const { credentialId, pausedAt } of await storage.credentials(ownerId, signer)) {
        if (pausedAt !== null) continue;
        // An ended or altered one no longer works anyway.
        if ((await storage.pause({ ownerId, credentialId, signer, now })) !== undefined) paused += 1;
      }
    }
    return paused;
  } finally {
    await storage.close();
  }
}
