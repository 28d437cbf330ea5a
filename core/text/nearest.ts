/** Longer names are not compared: the time is quadratic in their length. */
const COMPARED_CHARS = 40;

/**
 * Finds the name that `given` probably means: one that begins or ends with it, or the other way round, or else the one
 * with the fewest letters to change, at most a third. Case and separators do not count. Undefined if none is near.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const wanted = bare(given);
  if (given.length > COMPARED_CHARS || wanted === '') return undefined;
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(wanted, bare(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const [nearest] = ranked;
  return nearest !== undefined && nearest.distance * 3 <= wanted.length ? nearest.name : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Zero for a beginning or an end of at least two letters. */
function distanceOf(a: string, b: string): number {
  const [part, whole] = a.length < b.length ? [a, b] : [b, a];
  if (part.length > 1 && (whole.startsWith(part) || whole.endsWith(part))) return 0;
  return edits(a, b);
}

/** Letters to add, drop or change (Levenshtein). */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
