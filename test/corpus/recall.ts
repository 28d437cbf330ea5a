/** How many words of an expected text were found, by type of file. */
export interface Recall {
  readonly type: string;
  files: number;
  expected: number;
  came: number;
}

/**
 * Runs of letters, marks and digits; in scripts without spaces, each character. Compatibility forms count as
 * one.
 */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

function wordsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.normalize('NFKC').match(WORD) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Counts repeated words as often as they occur. @returns the expected words that are missing */
export function addTo(recall: Recall, expected: string, text: string): string[] {
  const came = wordsOf(text);
  const missing: string[] = [];
  for (const [word, times] of wordsOf(expected)) {
    const found = Math.min(times, came.get(word) ?? 0);
    recall.expected += times;
    recall.came += found;
    for (let i = found; i < times; i++) missing.push(word);
  }
  recall.files += 1;
  return missing;
}

export function recallTable(recalls: readonly Recall[]): string {
  const rows = recalls.map(({ type, files, expected, came }) => [
    type,
    String(files),
    String(expected),
    (came / expected).toFixed(4),
  ]);
  const all = [['type', 'files', 'words', 'recall'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}
