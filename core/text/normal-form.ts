/** Combining marks: longer runs than any language uses. */
const MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/**
 * Unicode normalisation in linear time. `String.normalize` sorts the marks of a letter by moving each past the others,
 * which is quadratic in a long run, so marks beyond thirty in a row are dropped.
 * Source: Unicode Standard Annex 15, Stream-Safe Text Format.
 */
export function normalForm(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  if (isAscii(text)) return text;
  return text.replace(MARKS, '$1').normalize(form);
}

/** Such a text is in every normal form already. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}
