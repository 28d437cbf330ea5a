const known = new Map<string, Intl.DateTimeFormat>();
/** One takes about 50 KB. Owners choose language and zone. */
const FORMATS_KEPT = 100;

/** A formatter of dates. It takes 0.3 ms to make, so those in use are kept. */
export function dateFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([language, options]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const format = new Intl.DateTimeFormat(language, options);
  if (known.size >= FORMATS_KEPT) known.clear();
  known.set(key, format);
  return format;
}
