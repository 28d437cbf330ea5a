import { describe, expect, it } from 'vitest';
import { htmlReader } from '../../../core/html/html-text.ts';
import { type Expected, TRICK_WORD, TRICKS } from './hiding-tricks.ts';

function visibilityOf(text: string): Expected {
  if (!text.includes(TRICK_WORD)) return 'hidden';
  const marked = text.match(/\[possibly hidden: [^[\]]*\]/g) ?? [];
  return marked.some((one) => one.includes(TRICK_WORD)) ? 'marked' : 'shown';
}

describe('a trick that hides text is seen through, and honest HTML stays', () => {
  it.each(TRICKS)('$expected: $name', ({ html, expected }) => {
    expect(visibilityOf(htmlReader().read(`<!doctype html><p>Before.</p>${html}`))).toBe(expected);
  });
});
