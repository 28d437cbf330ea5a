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
