import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';

/**
 * Signs the keys that an older version wrote. Await the returned function before anything checks a key. Only the first
 * call in a process does any work.
 */
export function createKeySigning({ storage, clock, log }: Ports, signer: Keyring): () => Promise<void> {
  let signed: Promise<void> | undefined;
  async function sign(): Promise<void> {
    let keys = 0;
    for (const ownerId of await storage.unsignedOwners()) {
      keys += (await storage.signKeys({ ownerId, signer, now: clock.now() })) ?? 0;
    }
    if (keys > 0) log.warn('keys without a signature were signed, as after an upgrade', { keys });
  }
  return () => {
    signed ??= sign().catch((error: unknown) => {
      // The next call tries again.
      signed = undefined;
      throw error;
    });
    return signed;
  };
}
