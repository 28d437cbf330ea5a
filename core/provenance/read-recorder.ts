import { hash } from 'node:crypto';
import type { Keyring } from '../secrets/keyring.ts';
import {
  type Hasher,
  type HashPassage,
  hashedRead,
  hasherOf,
  type PassageHashes,
  passageHashes,
  readRecord,
  type ShownPassage,
  secretOf,
} from './read-record.ts';

export type RecordRead = (
  key: { readonly ownerId: string; readonly credentialId: string },
  shown: readonly ShownPassage[],
) => ReturnType<typeof readRecord>;

const OWNERS_KEPT = 1000;
const PASSAGES_KEPT = 4000;
/** A longer passage is hashed each time, so that those kept take some 20 MB at most; rows of lists take 1 MB. */
const HASHES_MAX = 600;

/**
 * Makes the records of reads. Remembers the hashes of the passages it met last, because a list that is called again
 * shows the same rows. It remembers no text: a passage is known by a digest under the secret of its owner.
 */
export function readRecorder(keyring: Keyring): RecordRead {
  const owners = new Map<string, { readonly secret: string; readonly hasher: Hasher }>();
  const known = new Map<string, PassageHashes>();

  function ofOwner(ownerId: string) {
    const found = owners.get(ownerId);
    if (found !== undefined) return found;
    const mac = keyring.mac('provenance', ownerId);
    if (mac === undefined) throw new Error('the keyring has a writing key');
    const secret = secretOf(mac);
    const made = { secret, hasher: hasherOf(secret) };
    if (owners.size >= OWNERS_KEPT) owners.clear();
    owners.set(ownerId, made);
    return made;
  }

  return (key, shown) => {
    const { secret, hasher } = ofOwner(key.ownerId);
    const hashesOf: HashPassage = (passage, most) => {
      const { text, author, isListed } = passage;
      const named = [isListed ? 'row' : most, JSON.stringify(author), text].join('\n');
      const digest = hash('sha256', `${secret}passage\n${named}`, 'base64url');
      const found = known.get(digest);
      if (found !== undefined) return found;
      const made = passageHashes(passage, most, hasher);
      if (made.values.length + made.windows.length > HASHES_MAX) return made;
      if (known.size >= PASSAGES_KEPT) known.clear();
      known.set(digest, made);
      return made;
    };
    return readRecord(keyring, key, hashedRead(shown, hasher, hashesOf));
  };
}
