import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OBJECT_CHARS_MAX } from '../../../core/ical/object-bounds.ts';
import type { XmlElement } from '../../../core/reading/xml-shapes.ts';
import { BadXml, xmlParts } from '../../../core/xml/xml-parts.ts';

/** Reads a document with the root `a` and names without a prefix, in pieces of this length. */
function partsOf(document: string, pieceChars = document.length + 1): XmlElement[] {
  const parts: XmlElement[] = [];
  const reader = xmlParts('a', undefined, (part) => parts.push(part));
  for (let at = 0; at < document.length; at += pieceChars) {
    reader.write(document.slice(at, at + pieceChars));
  }
  reader.end();
  return parts;
}

describe('an XML document', () => {
  const document =
    '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- <b> --><a xmlns:n="urn:n"><b x="1" y=\'&lt;&#65;"\'>one<c/> &amp; ' +
    '<c z = "q" n:z="r">two</c><![CDATA[<&three>]]> &#x42;</b>\n<n:d/></a>\n<!-- end -->';
  const read = [
    {
      name: 'b',
      attributes: { x: '1', y: '<A"' },
      text: 'one & <&three> B',
      children: [
        { name: 'c', attributes: {}, text: '', children: [] },
        { name: 'c', attributes: { z: 'q' }, text: 'two', children: [] },
      ],
    },
    { name: 'd', attributes: {}, text: '', children: [] },
  ];

  it.each([1, 7, 1000])('is read with its attributes, children and text in pieces of %i', (chars) => {
    expect(partsOf(document, chars)).toEqual(read);
  });

  it('names elements by namespace if prefixes are given', () => {
    const names: string[] = [];
    const reader = xmlParts('d:a', { 'urn:d': 'd' }, ({ name }) => names.push(name));
    reader.write('<a xmlns="urn:d" xmlns:x="urn:x"><b/><x:b/></a>');
    reader.end();
    expect(names).toEqual(['d:b', 'other:b']);
  });

  it.each([
    ['nothing', '', 'empty'],
    ['text alone', 'hello', 'broken'],
    ['text beside', '<a/>hello', 'broken'],
    ['two roots', '<a/><a/>', 'broken'],
    ['another root', '<b/>', 'a different document'],
    ['an element that does not end', '<a><b></b>', 'broken'],
    ['elements that cross', '<a><b></a></b>', 'broken'],
    ['an end alone', '</a>', 'broken'],
    ['an attribute without quotes', '<a x=1/>', 'broken'],
    ['a comment that does not end', '<a/><!-- ', 'broken'],
    ['a lone bracket', '<a>1 < 2</a>', 'broken'],
    ['an unknown entity', '<a>&unknown;</a>', 'broken'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'a document type'],
    ['an HTML page', '<!doctype html><html><body><p>Not found</body></html>', 'broken'],
  ])('is refused: %s', (_name, text, reason) => {
    expect(() => partsOf(text)).toThrow(BadXml);
    expect(() => partsOf(text)).toThrow(reason);
  });

  it('is refused if it is nested too deep', () => {
    const nested = (depth: number) => `<a>${'<b>'.repeat(depth - 1)}${'</b>'.repeat(depth - 1)}</a>`;
    expect(() => partsOf(nested(17))).toThrow('nested too deep');
    expect(partsOf(nested(16))).toHaveLength(1);
  });

  it('is refused if one part of it, or one element, has too many elements and attributes', () => {
    const element = (attributes: number) =>
      `<b ${Array.from({ length: attributes }, (_, index) => `a${index}=""`).join(' ')}/>`;
    expect(() => partsOf(`<a>${element(65)}</a>`)).toThrow('too many attributes');
    expect(() => partsOf(`<a><p>${element(64).repeat(160)}</p></a>`)).toThrow('too many');
    expect(() => partsOf(`<a><p>${element(0).repeat(10_001)}</p></a>`)).toThrow('too many elements');
    expect(partsOf(`<a>${`<p>${element(64).repeat(150)}</p>`.repeat(3)}</a>`)).toHaveLength(3);
  });

  it('loses the end of a part that is longer than any calendar object that is read', () => {
    const part = (times: number) => `<p><b>${'x'.repeat(times)}</b><c>y</c></p>`;
    const most = 5 * 1024 * 1024;
    const [first, second] = partsOf(`<a>${part(most + 1)}${part(1)}</a>`);
    expect(first?.children.map(({ text }) => text.length)).toEqual([most, 0]);
    expect(second?.children.map(({ text }) => text.length)).toEqual([1, 1]);
    expect(most).toBeGreaterThan(OBJECT_CHARS_MAX);
  });

  it('is refused if the attributes of a part are too long', () => {
    const part = (chars: number) => `<p><b c="${'x'.repeat(chars)}"/></p>`;
    expect(partsOf(`<a>${part(1024 * 1024).repeat(2)}</a>`)).toHaveLength(2);
    expect(() => partsOf(`<a>${part(1024 * 1024 + 1)}</a>`)).toThrow('too long attributes');
  });

  it('is read or refused, whatever it contains', () => {
    const piece = fc.constantFrom(
      ...[
        '<a',
        '<b>',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '>',
        '/>',
        '</a>',
        '</b>',
        ' x="1"',
        ' ',
        '&',
        '<?',
      ],
    );
    const hostile = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 60 });
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 50 }), (pieces, times) => {
        try {
          partsOf(`<a>${pieces.join('').repeat(times)}`);
        } catch (error) {
          expect(error).toBeInstanceOf(BadXml);
        }
      }),
    );
  });
});
