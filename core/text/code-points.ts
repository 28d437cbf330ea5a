/** Lengths and offsets in the contract count code points. */

export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns `count` code points, starting at code point `from`. */
export function sliceCodePoints(text: string, from: number, count: number): string {
  let start = 0;
  for (let skipped = 0; skipped < from && start < text.length; skipped++) start += widthAt(text, start);
  let end = start;
  for (let taken = 0; taken < count && end < text.length; taken++) end += widthAt(text, end);
  return text.slice(start, end);
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
