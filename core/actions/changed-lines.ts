import { diffLines } from 'diff';

/** Beyond so many changed lines, finding the shortest difference takes too long: time grows with their square. */
const CHANGED_LINES = 1000;

/**
 * The lines that a change takes out of an iCalendar document (`-`) and puts into it (`+`), in their order and without
 * folds. If there are too many of them: all lines of both.
 */
export function changedLines(before: string, after: string): string {
  const [old, now] = [before, after].map(unfolded);
  if (old === undefined || now === undefined) return '';
  const parts = diffLines(old, now, { maxEditLength: CHANGED_LINES });
  const changed = parts?.filter(({ added, removed }) => added || removed) ?? [
    { value: old, added: false },
    { value: now, added: true },
  ];
  return changed
    .flatMap(({ value, added }) => linesOf(value).map((line) => `${added ? '+' : '-'}${line}`))
    .join('\n');
}

function unfolded(ics: string): string {
  return ics.replace(/\r?\n[ \t]/g, '').replaceAll('\r\n', '\n');
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
