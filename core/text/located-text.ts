import { plainText } from './plain-text.ts';
import type { Span } from './span.ts';

/** The plain form of a text that knows where each part of it stands in the original. */
export interface LocatedText {
  /** The same as `plainText` returns. */
  readonly plain: string;
  /** Finds the part of the original that a part of the plain form came from: whole words if a word changed its length. */
  original(plain: Span): Span;
}

/** A word of the original, with the white space before it. */
const WORD = /([\s\u0085]*)([^\s\u0085]*)/gu;

/** Its own plain form. */
const PLAIN = /^[!-~]+$/;

interface Word {
  readonly plainFrom: number;
  readonly plainTo: number;
  readonly from: number;
  readonly to: number;
}

export function locatedText(text: string): LocatedText {
  const words: Word[] = [];
  const parts: string[] = [];
  let length = 0;
  let gap = '';
  for (const { index, 1: space = '', 2: word = '' } of text.matchAll(WORD)) {
    gap += space;
    // The plain form of a single accent starts with a space.
    const [, before = '', plain = '', after = ''] = PLAIN.test(word)
      ? ['', '', word]
      : (/^(\s*)(.*?)(\s*)$/su.exec(plainText(word)) ?? []);
    gap += before;
    if (plain === '') continue;
    const between = plainText(gap);
    const plainFrom = length + between.length;
    length = plainFrom + plain.length;
    parts.push(between, plain);
    words.push({
      plainFrom,
      plainTo: length,
      from: index + space.length,
      to: index + space.length + word.length,
    });
    gap = after;
  }
  parts.push(plainText(gap));
  return {
    plain: parts.join(''),
    original(span) {
      const first = words.find(({ plainTo }) => plainTo > span.from);
      const last = words.findLast(({ plainFrom }) => plainFrom < span.to);
      if (first === undefined || last === undefined || first.from > last.from) return { from: 0, to: 0 };
      return { from: startIn(first, span.from), to: endIn(last, span.to) };
    },
  };
}

function isSameLength({ plainFrom, plainTo, from, to }: Word): boolean {
  return plainTo - plainFrom === to - from;
}

function startIn(word: Word, at: number): number {
  return isSameLength(word) ? word.from + Math.max(0, at - word.plainFrom) : word.from;
}

function endIn(word: Word, at: number): number {
  return isSameLength(word) ? Math.min(word.to, word.from + at - word.plainFrom) : word.to;
}
