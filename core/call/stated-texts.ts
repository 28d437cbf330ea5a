import type { Reader, ReadingFor } from '../ports/reader.ts';
import type { StatedPassage, TextToRead } from '../provenance/stated-text.ts';

/** What each text states. @returns undefined if the reader could not read them */
export async function statedTexts(
  reader: Reader,
  texts: readonly TextToRead[],
  options: ReadingFor,
): Promise<readonly (readonly StatedPassage[])[] | undefined> {
  if (texts.length === 0) return [];
  const reading = await reader.read('stated', texts, options);
  return reading.kind === 'read' ? reading.value : undefined;
}
