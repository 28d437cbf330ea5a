/** Longer than any language, script, region and variant in use. */
const CHARS_MAX = 35;

/**
 * Whether dates can be written in this language: a canonical BCP 47 tag without extensions, such as `de-DE`, that the
 * runtime knows.
 */
export function isDateLanguage(tag: string): boolean {
  if (tag.length > CHARS_MAX) return false;
  try {
    return new Intl.Locale(tag).baseName === tag && Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
