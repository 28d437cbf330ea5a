import { hash } from 'node:crypto';
import { boundedCache } from '../memory/bounded-cache.ts';
import { ownCopy } from '../memory/own-copy.ts';
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
import type { NewRead } from '../provenance/read-state.ts';
import type { StatedPassage } from '../provenance/stated-text.ts';
import { windowsOf } from '../provenance/word-windows.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { statedTexts } from './stated-texts.ts';

/** @param reading  without a signal, the passages are not read, and the record says that it lacks what they state */
export type RecordRead = (
  credentialId: string,
  shown: readonly ShownPassage[],
  reading: ReadingFor | Pick<ReadingFor, 'ownerId'>,
) => Promise<NewRead>;

const OWNERS_BYTES = 1024 * 1024;
/** Of the secret and the hasher of an owner. */
const OWNER_BYTES = 500;
/** Some 4000 texts; rows of lists take a tenth of that. */
const TEXTS_BYTES = 20 * 1024 * 1024;
/** Of the lists of a passage, and of a number in them. */
const LISTS_BYTES = 300;
const NUMBER_BYTES = 16;
/** Some 1000 lists of 20 rows. */
const RECORDS_BYTES = 8 * 1024 * 1024;

/**
 * Creates the records of reads. Keeps the hashes of the newest texts in memory, because a list that is called again
 * shows the same rows, and the sealed records of the newest lists. Keeps no text: each is known by a digest under the secret of
 * its owner.
 */
export function readRecorder(keyring: Keyring, reader: Reader): RecordRead {
  const owners = boundedCache<{ readonly secret: string; readonly hasher: Hasher }>(
    OWNERS_BYTES,
    () => OWNER_BYTES,
  );
  const known = boundedCache(TEXTS_BYTES, bytesOf);
  const lists = boundedCache(RECORDS_BYTES, bytesOfRecord);

  function ofOwner(ownerId: string) {
    const found = owners.get(ownerId);
    if (found !== undefined) return found;
    const mac = keyring.mac('provenance', ownerId);
    if (mac === undefined) throw new Error('the keyring has a writing key');
    const secret = secretOf(mac);
    const made = { secret, hasher: hasherOf(secret) };
    owners.set(ownerId, made);
    return made;
  }

  return async (credentialId, shown, reading) => {
    const { secret, hasher } = ofOwner(reading.ownerId);
    const isList = shown.length > 0 && shown.every(({ isListed }) => isListed);
    const list = isList ? digestOfList(secret, credentialId, shown) : undefined;
    const before = list === undefined ? undefined : lists.get(list);
    if (before !== undefined) return before;
    const digestOf = ({ text, head, author, isListed }: ShownPassage) => {
      // A head has two lines.
      const kind = isListed ? 'row' : head === undefined ? 'all' : 'two';
      const named = [kind, JSON.stringify(author), ...(head === undefined ? [] : [head]), text];
      return hash('sha256', `${secret}passage\n${named.join('\n')}`, 'base64url');
    };
    const digests = new Map(shown.map((text) => [text, digestOf(text)]));
    // This comes before any wait, because some of them may be dropped meanwhile.
    const remembered = new Map(Array.from(digests, ([text, digest]) => [text, known.get(digest)]));
    const others = shown.filter((text) => (remembered.get(text) ?? text.said) === undefined);
    const read = 'signal' in reading ? await statedTexts(reader, others.map(toRead), reading) : undefined;
    const stated = new Map(others.map((text, index) => [text, read?.[index]]));
    const texts = Array.from(digests, ([text, digest]) => {
      const said = remembered.get(text) ?? text.said ?? stated.get(text);
      const passages = passagesIn<KnownPassage | StatedPassage>(text, said);
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
      const isWhole = said !== undefined && windowsOf(said.words).length <= windowsMax;
      if (isWhole) {
        const quoting = said.quoting && ownCopy(said.quoting);
        hashed.push({ ...made, quoting, ...(said.isSignature && { isSignature: true }) });
      }
      return made;
    });
    for (const { digest, passages, hashed } of texts)
      if (hashed.length === passages.length) known.set(digest, hashed);
    const record = readRecord(keyring, { ownerId: reading.ownerId, credentialId }, hashedAll);
    // One that lacks what could not be read is made anew next time.
    const isWhole = texts.every(({ passages }) => passages.every(([, said]) => said !== undefined));
    if (list !== undefined && isWhole) lists.set(list, record);
    return record;
  };
}

function digestOfList(secret: string, credentialId: string, shown: readonly ShownPassage[]): string {
  return hash('sha256', `${secret}list\n${JSON.stringify([credentialId, shown])}`, 'base64url');
}

function bytesOfRecord({ readId, hashes, phrases, sealed }: NewRead): number {
  return 2 * (readId.length + hashes.length + phrases.length + sealed.length);
}

/** A passage of a text that was read before. */
interface KnownPassage extends PassageHashes, Pick<StatedPassage, 'quoting' | 'isSignature'> {}

function bytesOf(passages: readonly KnownPassage[]): number {
  return passages.reduce(
    (bytes, { quoting, values, accounts, windows }) =>
      bytes +
      LISTS_BYTES +
      2 * (quoting?.length ?? 0) +
      NUMBER_BYTES * (values.length + accounts.length + windows.length),
    0,
  );
}
