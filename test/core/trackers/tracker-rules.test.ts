import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keywordIndex, phrasesOf, wordsOf } from '../../../core/trackers/tracker-rules.ts';
import { anyCharacter } from '../../any-character.ts';

function matches(keywords: string, ...texts: string[]): boolean {
  return keywordIndex([{ trackerId: 1, keywords }]).matches(texts).length === 1;
}

describe('a keyword', () => {
  it.each([
    ['a word', 'atlas', 'The Atlas launch'],
    ['in capitals', 'ATLAS', 'about atlas.'],
    ['one of several', 'nothing, atlas', 'atlas'],
    ['several words in order', 'atlas launch', 'the Atlas  launch party'],
    ['with other marks between its words', 'atlas-launch', 'Atlas launch'],
    ['across a line', 'atlas launch', 'Atlas\nlaunch'],
    ['in an address', 'atlas.example', 'Maya <maya@atlas.example>'],
    ['a number', '4711', 'Order #4711!'],
    ['composed otherwise', 'caf\u00e9', 'Cafe\u0301 Central'],
    ['with a sharp s', 'STRASSE', 'Hauptstraße? Straße!'],
    ['with a capital sharp s', 'Straße', 'HAUPTSTRAẞE, STRAẞE'],
    ['a Greek word at its end', 'ΟΔΟΣ', 'η οδος'],
    ['a Greek word before a dot', 'ΟΔΟΣ', 'ΟΔΟΣ.GR'],
    ['a Turkish capital', 'istanbul', 'İSTANBUL'],
    ['in full-width letters', 'atlas', 'ＡＴＬＡＳ'],
    ['with a soft hyphen in the text', 'newsletter', 'news\u00adletter'],
    ['of a script without blanks', '会議', '明日の会議は十時です'],
    ['of Thai', 'ประชุม', 'วันนี้มีประชุมสำคัญ'],
    ['behind empty ones', ' , ,, atlas ,', 'atlas'],
    ['of a single letter and a number', 'a 4', 'the A4 or an A 4'],
  ])('%s is found', (_name, keywords, text) => {
    expect(matches(keywords, text)).toBe(true);
  });

  it.each([
    ['a part of a word', 'atlas', 'atlases atlast myatlas'],
    ['words in another order', 'atlas launch', 'launch atlas'],
    ['words with another between them', 'atlas launch', 'atlas big launch'],
    ['nothing', '', 'anything at all'],
    ['only commas and blanks', ' , ,,\t', 'anything, at all'],
    ['only punctuation', '***, --', '*** -- ...'],
    ['one letter', 'a', 'a b a'],
    ['one sign of a language', '会', '会議'],
    ['one letter with its accent', 'e\u0301', 'e\u0301 é'],
    ['another case of nothing', 'atlas', ''],
  ])('%s is not', (_name, keywords, text) => {
    expect(matches(keywords, text)).toBe(false);
  });

  it('does not reach from one text into the next', () => {
    expect(matches('atlas launch', 'atlas', 'launch')).toBe(false);
    expect(matches('atlas launch', 'nothing', 'atlas launch')).toBe(true);
  });
});

describe('one message', () => {
  it('may belong to many trackers, each named once and in order', () => {
    const trackers = [7, 3, 5, 1].map((trackerId) => ({
      trackerId,
      keywords: 'atlas, launch, atlas launch',
    }));
    const index = keywordIndex([...trackers, { trackerId: 2, keywords: 'other' }]);
    expect(index.matches(['Atlas launch atlas', 'launch'])).toEqual([1, 3, 5, 7]);
    expect(index.matches(['none of it'])).toEqual([]);
  });
});

/** Words of letters that fold in several ways, and of a script without blanks. */
const word = fc
  .array(fc.constantFrom('a', 'B', 'é', 'ß', 'ẞ', 'İ', 'ς', '7', 'я', '会'), { minLength: 1, maxLength: 4 })
  .map((letters) => letters.join(''));
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));

/** The rule as specified, without an index. */
function matchesPlainly(keywords: string, texts: readonly string[]): boolean {
  return keywords.split(/[,，、]/).some((keyword) => {
    const wanted = wordsOf(keyword);
    if (wanted.join('').replace(/\p{M}/gu, '').length < 2) return false;
    return texts.some((one) => {
      const words = wordsOf(one);
      return words.some((_, at) => wanted.every((each, n) => words[at + n] === each));
    });
  });
}

describe('the index', () => {
  const trackers = fc.array(
    fc.array(phrase, { maxLength: 3 }).map((phrases) => phrases.join(',')),
    { maxLength: 6 },
  );

  it('finds the same trackers as the rule, for any words', () => {
    fc.assert(
      fc.property(trackers, fc.array(text, { maxLength: 3 }), (keywords, texts) => {
        const index = keywordIndex(keywords.map((one, at) => ({ trackerId: at + 1, keywords: one })));
        const expected = keywords.flatMap((one, at) => (matchesPlainly(one, texts) ? [at + 1] : []));
        expect(index.matches(texts)).toEqual(expected);
      }),
    );
  });

  it('finds a keyword anywhere, in any case', () => {
    fc.assert(
      fc.property(phrase, text, text, fc.boolean(), (keyword, before, after, upper) => {
        fc.pre(phrasesOf(keyword).length > 0);
        const said = upper ? keyword.toUpperCase() : keyword.toLowerCase();
        expect(matches(keyword, `${before} ${said}, ${after}`)).toBe(true);
      }),
    );
  });

  it('matches nothing for keywords that have no two letters or digits', () => {
    const empty = fc.array(fc.constantFrom('a', '', ' ', ',', '.', '*', '\u200b', '会', '\u0301'), {
      maxLength: 1,
    });
    fc.assert(
      fc.property(
        fc.array(
          empty.map((parts) => parts.join('')),
          { maxLength: 5 },
        ),
        fc.string(),
        (keywords, any) => {
          expect(matches(keywords.join(','), any, 'a 会 a')).toBe(false);
        },
      ),
    );
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (keywords, any) => {
        expect(matches(keywords, any)).toBe(matchesPlainly(keywords, [any]));
      }),
    );
  });
});
