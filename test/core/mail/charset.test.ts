import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../core/mail/charset.ts';
import { decodedWords } from '../../../core/mail/header-words.ts';

const OF_ONE_BYTE = [
  'iso-8859-2',
  'windows-1251',
  'koi8-r',
  'windows-1253',
  'windows-1255',
  'x-mac-cyrillic',
];
const ASIAN = [
  'gb2312',
  'gbk',
  'big5',
  'euc-jp',
  'shift_jis',
  'euc-kr',
  'iso-2022-jp',
  'tis-620',
  'x-euc-jp',
];

describe('text in UTF-8 under the name of another charset', () => {
  it.each([
    ...OF_ONE_BYTE.map((charset) => [charset, 'Dzień dobry, opłata za wrzesień']),
    ...ASIAN.map((charset) => [charset, '你好，发票']),
    ['iso-2022-jp', 'こんにちは'],
  ])('%s: %s', (charset, text) => {
    expect(decodeText(Buffer.from(text), charset)).toBe(text);
  });

  it('in a word of a header', () => {
    expect(decodedWords('=?iso-8859-2?B?RHppZcWEIGRvYnJ5?=')).toBe('Dzień dobry');
  });
});

describe('text in the charset of its name', () => {
  it.each([
    ['gb2312', '谢谢'],
    ['gb2312', '小山'],
    ['windows-874', 'รถ'],
    ['windows-1251', 'РІВНЕ'],
    ['koi8-r', 'привет'],
    ['iso-8859-2', 'Ĺ'],
    ['windows-1252', '“'],
  ])('%s: %s, though its bytes may be UTF-8 too', (charset, text) => {
    expect(decodeText(iconv.encode(text, charset), charset)).toBe(text);
  });

  it('of three East Asian letters or more, hardly ever passes for UTF-8', () => {
    const hanzi = fc.array(fc.integer({ min: 0, max: 72 * 94 - 1 }), { minLength: 3, maxLength: 8 });
    const letters = hanzi.map((numbers) =>
      Buffer.from(numbers.flatMap((n) => [0xb0 + Math.floor(n / 94), 0xa1 + (n % 94)])),
    );
    const taken = fc
      .sample(letters, { numRuns: 2000, seed: 1 })
      .filter((bytes) => decodeText(bytes, 'gb2312') !== iconv.decode(bytes, 'gb18030'));
    expect(taken.length).toBeLessThan(3);
  });
});
