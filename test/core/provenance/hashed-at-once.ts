import {
  type Hasher,
  hashedRead,
  passageHashes,
  passagesIn,
  type ShownPassage,
  toRead,
} from '../../../core/provenance/read-record.ts';
import { statedPassages } from '../../../core/stated/stated-text.ts';

/** What a call showed, read and hashed in this process, and nothing of it remembered. */
export function hashedAtOnce(shown: readonly ShownPassage[], hasher: Hasher) {
  const stated = new Map(shown.flatMap((one) => passagesIn(one, statedPassages(toRead(one)))));
  return hashedRead([...stated.keys()], hasher, (passage, windowsMax) =>
    passageHashes(passage.author, stated.get(passage), windowsMax, hasher),
  );
}
