import type { StatedPassage, StatedText, TextToRead } from '../provenance/stated-text.ts';
import { type Passage, passagesOf } from './quotation.ts';
import { linksIn, statedValues } from './stated-values.ts';
import { firstWords } from './words.ts';

/** What a text states, by the person who wrote it. */
export function statedPassages({ text, head, windowsMax, wantsLinks }: TextToRead): StatedPassage[] {
  return split(text, head).map(({ quoting, text: own }) => ({
    quoting,
    ...statedText(own, windowsMax),
    links: wantsLinks ? [...linksIn(own)] : [],
  }));
}

function statedText(text: string, windowsMax: number): Omit<StatedText, 'links'> {
  return { ...statedValues(text), words: firstWords(text, windowsMax) };
}

/** The author's own words begin with the head of the message. */
function split(text: string, head: string | null): Passage[] {
  if (head === null) return [{ text, quoting: null }];
  const [first, ...rest] = passagesOf(text);
  if (first?.quoting !== null)
    return [{ text: head, quoting: null }, ...(first === undefined ? [] : [first]), ...rest];
  return [{ text: `${head}\n${first.text}`, quoting: null }, ...rest];
}
