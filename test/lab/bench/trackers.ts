import { keywordIndex } from '../../../core/trackers/tracker-rules.ts';
import { medianMs } from './rounds.ts';
import type { Row } from './table.ts';

const TRACKERS = 1000;
/** The most that a tracker takes. */
const KEYWORDS_CHARS = 500;
const WORDS = 20_000;
const MESSAGE_WORDS = 1000;
const ROUNDS = 50;
const FEW_ROUNDS = 5;

/** Finds which of many trackers a message belongs to, against one regular expression per tracker. */
export async function trackers(): Promise<Row[]> {
  const all = Array.from({ length: TRACKERS }, (_, n) => ({
    trackerId: n + 1,
    keywords: wordsFrom(n * 61, KEYWORDS_CHARS / 8)
      .join(',')
      .slice(0, KEYWORDS_CHARS),
  }));
  const message = ['Ada Lovelace <ada@example.org>', 'Subject', wordsFrom(7, MESSAGE_WORDS).join(' ')];
  const index = keywordIndex(all);
  const expressions = all.map(
    ({ keywords }) =>
      new RegExp(`(?<![\\p{L}\\p{N}])(?:${keywords.replaceAll(',', '|')})(?![\\p{L}\\p{N}])`, 'iu'),
  );
  const plainly = () => expressions.filter((one) => message.some((text) => one.test(text))).length;
  const found = index.matches(message).length;
  if (found === 0 || found !== plainly()) throw new Error('the two ways find different trackers');
  const ours = await medianMs(ROUNDS, async () => index.matches(message));
  const reference = await medianMs(FEW_ROUNDS, async () => plainly());
  return [
    {
      name: `one message of ${MESSAGE_WORDS} words against ${TRACKERS} trackers; reference: a regex each`,
      unit: 'ms',
      ours,
      reference,
      ratio: ours / reference,
    },
    { name: '  alone', unit: 'ms', ours, bound: { most: 5 } },
    {
      name: '  the index, once for an owner',
      unit: 'ms',
      ours: await medianMs(FEW_ROUNDS, async () => keywordIndex(all)),
    },
  ];
}

/** Words of seven letters, the same in every run. */
function wordsFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    let rest = ((first + n * 7919) % WORDS) + WORDS;
    let word = '';
    for (let letter = 0; letter < 7; letter++) {
      word += String.fromCharCode(97 + (rest % 26));
      rest = Math.floor(rest / 26) + (letter + 1) * 131 + (rest % 97);
    }
    return word;
  });
}
