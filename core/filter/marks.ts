import type { Mark } from '../safety/finding.ts';
import type { WrittenText } from '../safety/safety-facts.ts';
import { locatedText } from '../text/located-text.ts';
import { plainText } from '../text/plain-text.ts';
import type { Span } from '../text/span.ts';

/** More evidence of one kind is not marked. */
const MARKS_MAX = 20;

const GAP = '\n\n';

/**
 * Looks for evidence in everything that is sent, in plain letters. Evidence can start in the subject and end in the text.
 * @param find  gets the result of `plainText`, and finds parts of it
 * @returns undefined if there is none
 */
export function plainMarks(
  { subject, body, passedOn, passedOnAt }: WrittenText,
  find: (plain: string) => Iterable<Span>,
): Mark[] | undefined {
  const whole = [subject, body, passedOn].join(GAP);
  const spans = firstOf(find(plainText(whole)));
  if (spans.length === 0) return undefined;
  const located = locatedText(whole);
  const bodyAt = subject.length + GAP.length;
  const passedOnStart = bodyAt + body.length + GAP.length;
  const parts = [
    { in: 'subject', start: 0, chars: subject.length, at: 0 },
    { in: 'text', start: bodyAt, chars: body.length, at: 0 },
    { in: 'text', start: passedOnStart, chars: passedOn.length, at: passedOnAt },
  ] as const;
  return spans.flatMap((span) => {
    const { from, to } = located.original(span);
    return parts.flatMap(({ in: where, start, chars, at }) => {
      const [first, end] = [Math.max(from, start), Math.min(to, start + chars)];
      return first < end ? [{ in: where, from: first - start + at, to: end - start + at }] : [];
    });
  });
}

/** Looks for evidence in the agent's words exactly as written. */
export function exactMarks({ subject, body }: WrittenText, find: (text: string) => Iterable<Span>): Mark[] {
  const marksIn = (where: Mark['in'], text: string) =>
    firstOf(find(text)).map(({ from, to }) => ({ in: where, from, to }));
  return [...marksIn('subject', subject), ...marksIn('text', body)];
}

function firstOf<T>(all: Iterable<T>): T[] {
  const first: T[] = [];
  for (const one of all) {
    first.push(one);
    if (first.length === MARKS_MAX) break;
  }
  return first;
}
