/**
 * Joins words that the end of a line divides. The hyphen stays only in a word that the text also has in one line with it.
 * Names, numbers and addresses are left as they are: behind the hyphen stand small letters.
 */
export function withoutLineHyphens(text: string): string {
  const compounds = new Set<string>();
  for (const [word] of text.matchAll(COMPOUND)) compounds.add(word.toLowerCase());
  return text.replace(DIVIDED, (_, begin: string, end: string, behind: string) => {
    const compound = `${begin}-${end}`;
    return compounds.has(compound.toLowerCase()) ? `${compound}${behind}\n` : `${begin}${end}${behind}\n`;
  });
}

const COMPOUND = /(?<![\p{L}\p{N}-])\p{L}{1,40}-\p{L}{1,40}(?![\p{L}\p{N}-])/gu;
/** What is left of the second line stays on a line of its own. */
const DIVIDED =
  /(?<![\p{L}\p{N}-])(\p{L}{2,40})[-\u00ad\u2010]\n(\p{Ll}{2,40})(?![\p{L}\p{N}-])(\S{0,20})[ \n]?/gu;
