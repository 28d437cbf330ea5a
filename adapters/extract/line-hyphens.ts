/**
 * Joins words divided by a line end. The hyphen stays only if the text contains the word with its hyphen in one line.
 * Names, numbers and addresses stay unchanged, because only lower-case letters after the hyphen count.
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
/** The rest of the second line stays on its own line. */
const DIVIDED =
  /(?<![\p{L}\p{N}-])(\p{L}{2,40})[-\u00ad\u2010]\n(\p{Ll}{2,40})(?![\p{L}\p{N}-])(\S{0,20})[ \n]?/gu;
