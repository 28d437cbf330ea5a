import { isRecord } from '../contract/result.ts';
import type { Outcome } from './outcome.ts';

/** No response is longer than its door may write. Source: API.md, Limits: 64 KB. */

const RESPONSE_BYTES = 64 * 1024;

/** The size of a response in bytes, as its door writes it. */
type SizeBytes = (outcome: Outcome) => number;

/**
 * The largest of the responses `at(1)` to `at(most)` that fits. A larger number must give a longer response.
 * @returns undefined if even the first does not fit
 */
export function largestFitting(
  most: number,
  at: (n: number) => Outcome,
  sizeBytes: SizeBytes,
): Outcome | undefined {
  const whole = at(most);
  if (sizeBytes(whole) <= RESPONSE_BYTES) return whole;
  let largest: Outcome | undefined;
  let fits = 0;
  let tooMuch = most;
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    const answer = at(middle);
    if (sizeBytes(answer) <= RESPONSE_BYTES) {
      fits = middle;
      largest = answer;
    } else tooMuch = middle;
  }
  return largest;
}

/** The places where a response has an outcome for each of several messages. */
const ITEMS = [
  ['result', 'items'],
  ['result', 'approval', 'result', 'items'],
  ['approval', 'result', 'items'],
] as const;

/** Returns the response with as many outcomes of single messages as fit. `items_total` reports how many there are. */
export function withFittingItems(outcome: Outcome, sizeBytes: SizeBytes): Outcome {
  for (const path of ITEMS) {
    const items = itemsAt(outcome, path);
    if (items === undefined || sizeBytes(outcome) <= RESPONSE_BYTES) continue;
    return largestFitting(items.length, (n) => withItems(outcome, path, n - 1), sizeBytes) ?? outcome;
  }
  return outcome;
}

function itemsAt(outcome: Outcome, path: readonly string[]): readonly unknown[] | undefined {
  let value: unknown = outcome;
  for (const step of path) {
    if (!isRecord(value)) return undefined;
    value = value[step];
  }
  return Array.isArray(value) ? value : undefined;
}

/** Keeps the first `n` items. `items_total` beside them reports how many there are. */
export function withItems<T extends object>(record: T, [step, ...rest]: readonly string[], n: number): T {
  const inner = isRecord(record) && step !== undefined ? record[step] : undefined;
  if (step === undefined || inner === undefined) return record;
  if (Array.isArray(inner)) return { ...record, [step]: inner.slice(0, n), [`${step}_total`]: inner.length };
  return isRecord(inner) ? { ...record, [step]: withItems(inner, rest, n) } : record;
}
