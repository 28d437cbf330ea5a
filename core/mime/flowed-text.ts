/**
 * Joins the paragraphs of format=flowed text, RFC 3676: a line that ends in a space continues in the next line of the
 * same quote depth.
 * @param text lines end in LF
 * @param delSp the space that ends such a line is not part of the text
 */
export function unflowed(text: string, delSp: boolean): string {
  const paragraphs: string[] = [];
  let openDepth: number | undefined;
  for (const line of text.split('\n')) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0;
    const content = line.slice(depth).replace(/^ /, '');
    const isSignature = content === '-- ';
    const flows = content.endsWith(' ') && !isSignature;
    const kept = flows && delSp ? content.slice(0, -1) : content;
    const last = paragraphs.length - 1;
    if (openDepth === depth && !isSignature) paragraphs[last] += kept;
    else paragraphs.push(depth === 0 ? kept : `${'>'.repeat(depth)} ${kept}`);
    openDepth = flows ? depth : undefined;
  }
  return paragraphs.join('\n');
}
