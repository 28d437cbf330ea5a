/** Returns the text, or its beginning with an ellipsis: at most `chars` code points. Reads no more than it needs. */
export function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const points = Array.from(text.slice(0, 2 * chars + 2));
  return points.length <= chars
    ? text
    : `${points
        .slice(0, chars - 1)
        .join('')
        .trimEnd()}…`;
}

/** One more than the longest folder name that a call may contain, so a cut name can never be one. */
const FOLDER_CHARS = 256;

/** A folder's name in results. Uncut, unless it is longer than any name that a call may contain. */
export function folderName(path: string): string {
  return shortened(path, FOLDER_CHARS);
}
