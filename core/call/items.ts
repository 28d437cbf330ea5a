import * as z from 'zod';
import { isRecord, type Result } from '../contract/result.ts';
import type { Outcome } from './outcome.ts';

/** The outcomes of single messages in the answer to a change of several. */

/** The places where a response has them. */
export const ITEM_PATHS = [
  ['result', 'items'],
  ['result', 'approval', 'result', 'items'],
  ['approval', 'result', 'items'],
] as const;

export function itemsAt(outcome: Outcome, path: readonly string[]): readonly unknown[] | undefined {
  let value: unknown = outcome;
  for (const step of path) {
    if (!isRecord(value)) return undefined;
    value = value[step];
  }
  return Array.isArray(value) ? value : undefined;
}

/** Keeps the first `n` items. `items_total` beside them reports how many there are. */
export function withItems<T extends object>(record: T, path: readonly string[], n: number): T {
  return changeItems(record, path, (items) => ({ items: items.slice(0, n), items_total: items.length }));
}

/** An argument: which of them the caller wants. */
export const itemsWanted = z.enum(['all', 'failed']).optional().meta({
  description: 'failed: result.items has only what was not done, beside result.counts. Default all.',
});

const wantsFailed = z.looseObject({ items: z.literal('failed') });
const undone = z.looseObject({ done: z.literal(false), code: z.string() });

/** Returns the response with the items that the call wants. The counts are of all of them. Twice is the same as once. */
export function withWantedItems(outcome: Outcome, args: unknown): Outcome {
  if (!wantsFailed.safeParse(args).success) return outcome;
  let answer = outcome;
  for (const path of ITEM_PATHS) answer = changeItems(answer, path, failedItems);
  return answer;
}

function failedItems(items: readonly unknown[], { counts }: Result): Result {
  if (counts !== undefined) return {};
  const failed = items.filter((item) => undone.safeParse(item).success);
  const unknown = failed.filter((item) => undone.safeParse(item).data?.code === 'outcome_unknown').length;
  return {
    items: failed,
    counts: {
      asked: items.length,
      done: items.length - failed.length,
      failed: failed.length - unknown,
      unknown,
    },
  };
}

/** Returns the record with what `change` makes of the items at the path, in the place of their holder's fields. */
function changeItems<T extends object>(
  record: T,
  [step, ...rest]: readonly string[],
  change: (items: readonly unknown[], holder: Result) => Result,
): T {
  if (!isRecord(record) || step === undefined) return record;
  const inner = record[step];
  if (Array.isArray(inner)) return { ...record, ...change(inner, record) };
  return isRecord(inner) ? { ...record, [step]: changeItems(inner, rest, change) } : record;
}
