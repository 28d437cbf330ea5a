import type { StatedPassage, StatedText, TextToRead } from '../provenance/stated-text.ts';
import { isAnswerSubject } from '../text/bare-subject.ts';
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

/**
 * The author's own words begin with the head of the message: its sender, and its subject. The subject of an answer counts as
 * quoted, because whoever began the conversation chose it.
 */
function split(text: string, head: string | null): Passage[] {
  if (head === null) return [{ text, quoting: null }];
  const [sender = '', ...subjectLines] = head.split('\n');
  const subject = subjectLines.join('\n');
  const [first, ...rest] = passagesOf(text);
  const own = first?.quoting === null ? [first.text] : [];
  const others = [...(first === undefined || first.quoting === null ? [] : [first]), ...rest];
  if (!isAnswerSubject(subject)) return [{ text: [head, ...own].join('\n'), quoting: null }, ...others];
  return [{ text: [sender, ...own].join('\n'), quoting: null }, { text: subject, quoting: '' }, ...others];
}
