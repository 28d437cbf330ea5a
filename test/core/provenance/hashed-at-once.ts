import {
  type Hasher,
  hashedRead,
  passageHashes,
  type ShownPassage,
  toRead,
} from '../../../core/provenance/read-record.ts';
import { statedText } from '../../../core/provenance/stated-text.ts';

/** What a call showed, read and hashed in this process, and nothing of it remembered. */
export function hashedAtOnce(shown: readonly ShownPassage[], hasher: Hasher) {
  return hashedRead(shown, hasher, (passage, windowsMax) =>
    passageHashes(passage.author, statedText(toRead(passage)), windowsMax, hasher),
  );
}
