import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { Signer } from '../secrets/keyring.ts';

/** Rows of one unit, which keeps the owner's calls waiting for some milliseconds. */
const ROWS_AT_ONCE = 200;
/** Of one owner in one round. */
const UNITS_MAX = 20;

/** Covers new activity with checkpoints. An owner whose rows cannot be read does not keep others from it. */
export async function coverActivity({ storage, clock, log }: Ports, signer: Signer): Promise<void> {
  for (const ownerId of await storage.ownersWithoutCheckpoint()) {
    try {
      for (let unit = 0; unit < UNITS_MAX; unit++) {
        const request = { ownerId, limit: ROWS_AT_ONCE, signer, now: clock.now() };
        if ((await storage.addCheckpoints(request)) < ROWS_AT_ONCE) break;
      }
    } catch (error) {
      log.error('activity could not be covered by a checkpoint', errorName(error));
    }
  }
}
