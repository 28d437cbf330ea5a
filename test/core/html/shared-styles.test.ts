import fc from 'fast-check';
import { expect, it } from 'vitest';
import { htmlReader } from '../../../core/html/html-text.ts';

/** Texts that end a value, and texts that only seem to. */
const SEPARATORS = [
  ';',
  ':',
  '"',
  "'",
  '\\',
  '\\"',
  '!',
  '!important',
  '(',
  ')',
  '{',
  '}',
  ',',
  ' ',
  '/*',
  '*/',
  '\0',
  '1:',
];
const DECLARATIONS = ['visibility:hidden', 'display:none', 'opacity:0', 'color:#fff', 'font-size:0'];
const PROPERTIES = [
  'content:',
  'font-family:',
  'filter:',
  'background-image:url(',
  'clip-path:',
  'visibility:',
  'color:',
];

const style = fc
  .array(fc.constantFrom(...SEPARATORS, ...DECLARATIONS, ...PROPERTIES, 'x', 'red'), { maxLength: 7 })
  .map((pieces) => pieces.join(''));
/** What hides each by its class, with the most important declarations last. */
const SHEET = `<style>${DECLARATIONS.map((one, at) => `.c${at}{${one}!important}`).join('')}</style>`;
const paragraph = fc.record({
  style,
  hiddenBy: fc.option(fc.nat(DECLARATIONS.length - 1)),
  continued: fc.option(fc.constantFrom(...DECLARATIONS)),
});

type Seen = 'hidden' | 'marked' | 'shown';

function seenOf(html: string, word: string): Seen {
  const text = htmlReader().read(`<!doctype html>${SHEET}${html}`);
  if (!text.includes(word)) return 'hidden';
  const marked = text.match(/\[possibly hidden: [^[\]]*\]/g) ?? [];
  return marked.some((one) => one.includes(word)) ? 'marked' : 'shown';
}

function element({ style, hiddenBy }: { style: string; hiddenBy: number | null }, word: string): string {
  const written = style.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<p${hiddenBy === null ? '' : ` class=c${hiddenBy}`} style="${written}">${word}</p>`;
}

it('an element is seen the same beside others as alone, whatever their values look like', () => {
  fc.assert(
    fc.property(fc.array(paragraph, { minLength: 1, maxLength: 4 }), (given) => {
      // Beside each stands one whose value goes on with what the class of the other sets.
      const all = given.flatMap(({ style, hiddenBy, continued }) => [
        { style: `${style};${continued ?? DECLARATIONS[hiddenBy ?? 0]}`, hiddenBy: null },
        { style, hiddenBy },
      ]);
      const elements = all.map((one, at) => ({ html: element(one, `word${at}.`), word: `word${at}.` }));
      const together = elements.map(({ html }) => html).join('');
      for (const { html, word } of elements) {
        const alone = seenOf(html, word);
        expect([html, seenOf(together, word)]).toEqual([html, alone]);
      }
    }),
    { numRuns: 1000 },
  );
});
