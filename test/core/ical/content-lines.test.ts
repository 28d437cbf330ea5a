import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapedText,
  line,
  linesNamed,
  objectText,
  parameterOf,
  parseObject,
  withLines,
  withParameter,
} from '../../../core/ical/content-lines.ts';
import { anyCharacter } from '../../any-character.ts';

const OBJECT = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'X-ODD;X-A="semi;colon:and,comma";X-B=plain,"quo:ted":value:with;all\\,of it',
  'begin:vevent',
  'UID:one',
  'DESCRIPTION:folded he',
  ' re and the',
  '\tre',
  'no colon in this line',
  'SUMMARY:Title',
  'BEGIN:VALARM',
  'TRIGGER:-PT10M',
  'END:VALARM',
  'end:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

describe('an object that is read and rewritten', () => {
  it('is unchanged, byte for byte, except for the case of BEGIN and END lines', () => {
    const expected = OBJECT.replace('begin:vevent', 'BEGIN:VEVENT').replace('end:VEVENT', 'END:VEVENT');
    expect(objectText(parseObject(OBJECT))).toBe(expected);
    expect(objectText(parseObject(`\ufeff${OBJECT.replaceAll('\r\n', '\n')}\n\n`))).toBe(expected);
  });

  it('keeps any lines', () => {
    const anyLine = fc
      .string({ unit: anyCharacter, minLength: 1, maxLength: 120 })
      .filter((text) => !/[\r\n]|^[ \t]|^(begin|end)[:;]|\p{Surrogate}/iu.test(text));
    fc.assert(
      fc.property(fc.array(anyLine), (lines) => {
        const text = ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n');
        expect(objectText(parseObject(text))).toBe(text);
      }),
    );
  });

  it.each([
    'BEGIN:VCARD\r\nEND:VCARD\r\n',
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR\r\n',
    'BEGIN:VCALENDAR\r\n',
    'VERSION:2.0\r\n',
    '',
    'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
  ])('is refused if it is not exactly one calendar: %j', (text) => {
    expect(() => parseObject(text)).toThrow(Error);
  });
});

describe('a new line', () => {
  it('reads back unchanged, at any length, in lines of at most 75 bytes', () => {
    const value = fc
      .string({ unit: anyCharacter, maxLength: 400 })
      .filter((text) => !/\p{Cc}|\p{Surrogate}/u.test(text));
    fc.assert(
      fc.property(value, (text) => {
        const made = line('SUMMARY', escapedText(text), [['X-KIND', '"a:b;c"']]);
        const written = objectText(withLines(parseObject(OBJECT), ['SUMMARY'], [made]));
        const longest = Math.max(...written.split('\r\n').map((one) => Buffer.byteLength(one)));
        expect(longest).toBeLessThanOrEqual(75);
        const [read] = linesNamed(parseObject(written), 'SUMMARY');
        expect(read).toMatchObject({ parameters: made.parameters, value: made.value });
      }),
    );
  });

  it.each(['\n', '\r', '\u0000', '\u007f', '\ud800'])('cannot contain %j', (character) => {
    expect(() => line('UID', `a${character}b`)).toThrow(TypeError);
    expect(() => line('UID', 'a', [['X', character]])).toThrow(TypeError);
  });

  it('escapes special characters of a text', () => {
    expect(escapedText('a\\b;c,d\ne\r\nf')).toBe('a\\\\b\\;c\\,d\\ne\\nf');
  });

  it('replaces those of its name, before the inner components', () => {
    const [event] = parseObject(OBJECT).items.filter((item) => 'items' in item);
    if (event === undefined || !('items' in event)) throw new Error('there is no event');
    const changed = withLines(event, ['SUMMARY'], [line('SUMMARY', 'New')]);
    expect(linesNamed(changed, 'SUMMARY').map(({ value }) => value)).toEqual(['New']);
    expect(changed.items.findIndex((item) => 'items' in item)).toBe(changed.items.length - 1);
  });

  it('can have parameters set and removed', () => {
    const [odd] = linesNamed(parseObject(OBJECT), 'X-ODD');
    if (odd === undefined) throw new Error('the line is not there');
    expect(odd.value).toBe('value:with;all\\,of it');
    expect(parameterOf(odd, 'X-A')).toBe('"semi;colon:and,comma"');
    expect(parameterOf(withParameter(odd, 'X-A', 'b'), 'X-A')).toBe('b');
    expect(withParameter(odd, 'X-A', undefined).parameters).toEqual([['X-B', 'plain,"quo:ted"']]);
  });
});
