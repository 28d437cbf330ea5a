import { diffLines } from 'diff';
import { unfolded } from './content-lines.ts';

/** Beyond so many changed lines, finding the shortest difference takes too long: time grows with their square. */
const CHANGED_LINES = 1000;

/**
 * The lines that a change takes out of an iCalendar document (`-`) and puts into it (`+`), in their order and without
 * folds. If there are too many of them: all lines of both.
 */
export function changedLines(before: string, after: string): string {
  const old = wholeLines(before);
  const now = wholeLines(after);
  const parts = diffLines(old, now, { maxEditLength: CHANGED_LINES });
  const changed = parts?.filter(({ added, removed }) => added || removed) ?? [
    { value: old, added: false },
    { value: now, added: true },
  ];
  return changed
    .flatMap(({ value, added }) => linesOf(value).map((line) => `${added ? '+' : '-'}${line}`))
    .join('\n');
}

function wholeLines(ics: string): string {
  return unfolded(ics).replaceAll('\r\n', '\n');
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
