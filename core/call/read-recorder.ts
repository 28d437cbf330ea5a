import { hash } from 'node:crypto';
import type { NewRead } from '../ports/read-storage.ts';
import type { Reader, ReadingFor } from '../ports/reader.ts';
import {
  type Hasher,
  hashedRead,
  hasherOf,
  type PassageHashes,
  passageHashes,
  passagesIn,
  readRecord,
  type ShownPassage,
  secretOf,
  toRead,
} from '../provenance/read-record.ts';
import type { StatedPassage } from '../provenance/stated-text.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { statedTexts } from './stated-texts.ts';

/** @param reading  without a signal, the passages are not read, and the record says that it lacks what they state */
export type RecordRead = (
  credentialId: string,
  shown: readonly ShownPassage[],
  reading: ReadingFor | Pick<ReadingFor, 'ownerId'>,
) => Promise<NewRead>;

const OWNERS_KEPT = 1000;
const TEXTS_KEPT = 4000;
/** A longer text is read each time, so that those kept take some 20 MB at most; rows of lists take 1 MB. */
const HASHES_MAX = 600;

/**
 * Makes the records of reads. Remembers the hashes of the texts it met last, because a list that is called again
 * shows the same rows. It remembers no text: a text is known by a digest under the secret of its owner.
 */
export function readRecorder(keyring: Keyring, reader: Reader): RecordRead {
  const owners = new Map<string, { readonly secret: string; readonly hasher: Hasher }>();
  const known = new Map<string, readonly KnownPassage[]>();

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

  function remember(digest: string, passages: readonly KnownPassage[]): void {
    const hashes = passages.reduce((sum, { values, windows }) => sum + values.length + windows.length, 0);
    if (hashes > HASHES_MAX) return;
    if (known.size >= TEXTS_KEPT) known.clear();
    known.set(digest, passages);
  }

  return async (credentialId, shown, reading) => {
    const { secret, hasher } = ofOwner(reading.ownerId);
    const digestOf = ({ text, head, author, isListed }: ShownPassage) => {
      const named = [isListed ? 'row' : 'all', JSON.stringify([author, head ?? null]), text].join('\n');
      return hash('sha256', `${secret}passage\n${named}`, 'base64url');
    };
    const digests = new Map(shown.map((text) => [text, digestOf(text)]));
    const others = shown.filter((text) => !known.has(digests.get(text) ?? ''));
    const read = 'signal' in reading ? await statedTexts(reader, others.map(toRead), reading) : undefined;
    const stated = new Map(others.map((text, index) => [text, read?.[index]]));
    const texts = Array.from(digests, ([text, digest]) => {
      const passages = passagesIn<KnownPassage | StatedPassage>(text, known.get(digest) ?? stated.get(text));
      return { digest, passages, hashed: [] as KnownPassage[] };
    });
    const facts = new Map(
      texts.flatMap(({ passages, hashed }) => passages.map(([source, said]) => [source, { said, hashed }])),
    );
    const hashedAll = hashedRead([...facts.keys()], hasher, (source, windowsMax) => {
      const { said, hashed } = facts.get(source) ?? { said: undefined, hashed: [] };
      if (said !== undefined && 'hasValues' in said)
        return { ...said, windows: said.windows.slice(0, windowsMax) };
      const made = passageHashes(source.author, said, windowsMax, hasher);
      const isWhole = said !== undefined && said.windows.length <= windowsMax;
      if (isWhole) hashed.push({ quoting: said.quoting, ...made });
      return made;
    });
    for (const { digest, passages, hashed } of texts)
      if (hashed.length === passages.length) remember(digest, hashed);
    return readRecord(keyring, { ownerId: reading.ownerId, credentialId }, hashedAll);
  };
}

/** A passage of a text that was read before. */
interface KnownPassage extends PassageHashes {
  readonly quoting: string | null;
}
