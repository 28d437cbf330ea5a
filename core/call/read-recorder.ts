import { hash } from 'node:crypto';
import type { NewRead } from '../ports/read-storage.ts';
import type { Reader, ReadingFor } from '../ports/reader.ts';
import {
  type Hasher,
  hashedRead,
  hasherOf,
  type PassageHashes,
  passageHashes,
  readRecord,
  type ShownPassage,
  secretOf,
  toRead,
} from '../provenance/read-record.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { statedTexts } from './stated-texts.ts';

/** @param reading  without a signal, the passages are not read, and the record says that it lacks what they state */
export type RecordRead = (
  credentialId: string,
  shown: readonly ShownPassage[],
  reading: ReadingFor | Pick<ReadingFor, 'ownerId'>,
) => Promise<NewRead>;

const OWNERS_KEPT = 1000;
const PASSAGES_KEPT = 4000;
/** A longer passage is read each time, so that those kept take some 20 MB at most; rows of lists take 1 MB. */
const HASHES_MAX = 600;

/**
 * Makes the records of reads. Remembers the hashes of the passages it met last, because a list that is called again
 * shows the same rows. It remembers no text: a passage is known by a digest under the secret of its owner.
 */
export function readRecorder(keyring: Keyring, reader: Reader): RecordRead {
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

  function remember(digest: string, made: PassageHashes): void {
    if (made.values.length + made.windows.length > HASHES_MAX) return;
    if (known.size >= PASSAGES_KEPT) known.clear();
    known.set(digest, made);
  }

  return async (credentialId, shown, reading) => {
    const { secret, hasher } = ofOwner(reading.ownerId);
    const digestOf = ({ text, author, isListed }: ShownPassage) => {
      const named = [isListed ? 'row' : 'all', JSON.stringify(author), text].join('\n');
      return hash('sha256', `${secret}passage\n${named}`, 'base64url');
    };
    const digests = new Map(shown.map((passage) => [passage, digestOf(passage)]));
    const remembered = new Map(Array.from(digests, ([passage, digest]) => [passage, known.get(digest)]));
    const others = shown.filter((passage) => remembered.get(passage) === undefined);
    const read = 'signal' in reading ? await statedTexts(reader, others.map(toRead), reading) : undefined;
    const stated = new Map(others.map((passage, index) => [passage, read?.[index]]));
    const hashed = hashedRead(shown, hasher, (passage, windowsMax) => {
      const before = remembered.get(passage);
      if (before !== undefined) return { ...before, windows: before.windows.slice(0, windowsMax) };
      const text = stated.get(passage);
      const made = passageHashes(passage.author, text, windowsMax, hasher);
      const isWhole = text !== undefined && text.windows.length <= windowsMax;
      if (isWhole) remember(digests.get(passage) ?? '', made);
      return made;
    });
    return readRecord(keyring, { ownerId: reading.ownerId, credentialId }, hashed);
  };
}
