/** The text, or its beginning with an ellipsis: at most `chars` code points. Looks at no more than it needs. */
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

/** One more than a name may have that a caller asks for a folder by: what was cut is no such name. */
const FOLDER_CHARS = 256;

/** A folder's name as results show it: whole, unless it is longer than any that could be asked for. */
export function folderName(path: string): string {
  return shortened(path, FOLDER_CHARS);
}
