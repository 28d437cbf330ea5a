import { type StatedValues, statedValues } from './stated-values.ts';
import { wordWindows } from './words.ts';

/** What a text says that can be found again in what an agent writes. */
export interface StatedText extends StatedValues {
  /** Its runs of ten words. */
  readonly windows: readonly string[];
}

/** A text to read. */
export interface TextToRead {
  readonly text: string;
  /** Further runs of words are left out. */
  readonly windowsMax: number;
}

export function statedText({ text, windowsMax }: TextToRead): StatedText {
  return { ...statedValues(text), windows: wordWindows(text, windowsMax) };
}
