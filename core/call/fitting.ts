import { ITEM_PATHS, itemsAt, withItems } from './items.ts';
import type { Outcome } from './outcome.ts';

/** No response is longer than its door may write. */

export const RESPONSE_BYTES = 64 * 1024;

/** The size of a response in bytes, as its door writes it. */
type SizeBytes = (outcome: Outcome) => number;

/** A response of this size is not worth another try. */
const FULL_BYTES = 0.98 * RESPONSE_BYTES;

/**
 * Of the responses `at(1)` to `at(most)`, the whole one if it fits; otherwise one that fills the room, or the largest that
 * fits. A larger number must give a longer response. Few are made: each marks its whole text anew.
 * @returns undefined if even the first does not fit
 */
export function largestFitting(
  most: number,
  at: (n: number) => Outcome,
  sizeBytes: SizeBytes,
): Outcome | undefined {
  const tried = (n: number) => {
    const answer = at(n);
    return { n, answer, bytes: sizeBytes(answer) };
  };
  let tooMuch = tried(most);
  if (tooMuch.bytes <= RESPONSE_BYTES) return tooMuch.answer;
  let fits = tried(1);
  if (fits.bytes > RESPONSE_BYTES) return undefined;
  for (let tries = 0; tooMuch.n - fits.n > 1 && fits.bytes < FULL_BYTES; tries += 1) {
    // Where the room ends if all steps take equally many bytes. Every third try takes the middle, in case they do not.
    const full = ((FULL_BYTES + RESPONSE_BYTES) / 2 - fits.bytes) / (tooMuch.bytes - fits.bytes);
    const share = tries % 3 === 2 ? 0.5 : full;
    const n = fits.n + Math.round(share * (tooMuch.n - fits.n));
    const next = tried(Math.min(Math.max(n, fits.n + 1), tooMuch.n - 1));
    if (next.bytes <= RESPONSE_BYTES) fits = next;
    else tooMuch = next;
  }
  return fits.answer;
}

/** Returns the response with as many outcomes of single messages as fit. `items_total` reports how many there are. */
export function withFittingItems(outcome: Outcome, sizeBytes: SizeBytes): Outcome {
  for (const path of ITEM_PATHS) {
    const items = itemsAt(outcome, path);
    if (items === undefined || sizeBytes(outcome) <= RESPONSE_BYTES) continue;
    return largestFitting(items.length, (n) => withItems(outcome, path, n - 1), sizeBytes) ?? outcome;
  }
  return outcome;
}
