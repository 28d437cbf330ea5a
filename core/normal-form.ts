/** Marks and the letters that become marks, more in a row than any language has. */
const MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/**
 * Unicode normalisation in linear time: `String.normalize` sorts the marks of a letter by moving each one past the
 * others, so a long run of them costs its square. Marks beyond thirty in a row are left out.
 * Source: Unicode Standard Annex 15, Stream-Safe Text Format.
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.replace(MARKS, '$1').normalize(form);
}
