import type { IndexedText, IndexQuery } from '../ports/mail-index.ts';
import { letterForm } from '../text/letter-form.ts';

export type Match = 'yes' | 'no' | 'unknown';

/** Returns a check of texts: whether they match the words and the sender of a query. */
export function textMatcher({
  words,
  from,
}: Pick<IndexQuery, 'words' | 'from'>): (text: IndexedText) => Match {
  const wanted = words.map(letterForm);
  const wantedSender = from === undefined ? undefined : letterForm(from);
  return ({ sender, head, body, isWhole }) => {
    if (wantedSender !== undefined && !letterForm(sender).includes(wantedSender)) return 'no';
    if (wanted.length === 0) return 'yes';
    const text = letterForm(`${head}\n${body}`);
    if (wanted.every((word) => text.includes(word))) return 'yes';
    return isWhole ? 'no' : 'unknown';
  };
}
