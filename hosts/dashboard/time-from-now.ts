const UNITS = [
  { unit: 'day', seconds: 86_400, from: 2 * 86_400 },
  { unit: 'hour', seconds: 3600, from: 3600 },
  { unit: 'minute', seconds: 60, from: 60 },
] as const;

/** `5 minutes ago`, `in 23 hours`. The page's script calls it again as time passes. */
export function timeFromNow(seconds: number): string {
  const away = Math.abs(seconds);
  for (const { unit, seconds: one, from } of UNITS) {
    if (away < from) continue;
    const count = Math.round(away / one);
    const words = `${count} ${unit}${count === 1 ? '' : 's'}`;
    return seconds < 0 ? `${words} ago` : `in ${words}`;
  }
  return seconds > 0 ? 'in less than a minute' : 'just now';
}
