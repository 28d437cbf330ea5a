import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutLineHyphens } from '../../../adapters/extract/line-hyphens.ts';

it.each([
  ['a word divided by a line end', 'the manipu-\nlation of text', 'the manipulation\nof text'],
  ['other kinds of hyphens', 'Ver\u00ad\nlag, trans\u2010\nfer\nend', 'Verlag,\ntransfer\nend'],
  [
    'a compound that also appears in one line',
    'Self-contained: a self-\ncontained text',
    'Self-contained: a self-contained\ntext',
  ],
  ['a name', 'Jean-\nPaul', 'Jean-\nPaul'],
  ['a number', 'page 12-\n14, A4-\nsize', 'page 12-\n14, A4-\nsize'],
  ['a dash', 'one - \ntwo -\nthree', 'one - \ntwo -\nthree'],
])('%s', (_name, text, joined) => {
  expect(withoutLineHyphens(text)).toBe(joined);
});

it('removes only hyphens', () => {
  const words = fc.array(fc.constantFrom('word', 'Name', '12', '-', '-\n', '\n', ' ', 'é', '\u00ad\n'));
  fc.assert(
    fc.property(words, (parts) => {
      const bare = (text: string) => text.replace(/[-\s\u00ad]/g, '');
      expect(bare(withoutLineHyphens(parts.join('')))).toBe(bare(parts.join('')));
    }),
  );
});
