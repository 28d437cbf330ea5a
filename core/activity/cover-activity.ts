import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import type { Signer } from '../secrets/keyring.ts';

/** Rows per unit. The owner's calls wait a few milliseconds for one unit. */
const ROWS_AT_ONCE = 200;
/** Per owner and round. */
const UNITS_MAX = 20;

/** Covers new activity with checkpoints. Unreadable rows of one owner do not stop the others. */
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
