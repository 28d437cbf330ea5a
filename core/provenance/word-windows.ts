/** A shorter run is in every letter. */
export const WINDOW_WORDS = 10;

/** Every run of ten words. @param words  as `StatedText` has them */
export function windowsOf(words: string): string[] {
  const starts = words === '' ? [] : [0];
  for (let at = words.indexOf(' '); at !== -1; at = words.indexOf(' ', at + 1)) starts.push(at + 1);
  const ends = [...starts.slice(WINDOW_WORDS), words.length + 1];
  return starts.length < WINDOW_WORDS ? [] : ends.map((end, index) => words.slice(starts[index], end - 1));
}
