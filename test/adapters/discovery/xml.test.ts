import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml } from '../../../adapters/discovery/xml.ts';

describe('a small XML document', () => {
  it('is read with its attributes, children and text', () => {
    const root = readXml(
      '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- <a> --><a x="1" y=\'&lt;&#65;"\'>one<b/> &amp; <b z = "q" >two</b>' +
        '<![CDATA[<&three>]]> &unknown; &#x42;</a>\n<!-- end -->',
    );
    expect(root).toEqual({
      name: 'a',
      attributes: new Map([
        ['x', '1'],
        ['y', '<A"'],
      ]),
      text: 'one & <&three> &unknown; B',
      children: [
        { name: 'b', attributes: new Map(), text: '', children: [] },
        { name: 'b', attributes: new Map([['z', 'q']]), text: 'two', children: [] },
      ],
    });
  });

  it.each([
    ['nothing', ''],
    ['text alone', 'hello'],
    ['text beside', '<a/>hello'],
    ['two roots', '<a/><b/>'],
    ['an element that does not end', '<a><b></b>'],
    ['elements that cross', '<a><b></a></b>'],
    ['an end alone', '</a>'],
    ['an attribute without quotes', '<a x=1/>'],
    ['a comment that does not end', '<a/><!-- '],
    ['a lone bracket', '<a>1 < 2</a>'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an HTML page', '<!doctype html><html><body><p>Not found</body></html>'],
  ])('is refused: %s', (_name, document) => {
    expect(() => readXml(document)).toThrow('the XML is broken');
  });

  it('is refused if it is nested too deep', () => {
    expect(() => readXml(`${'<a>'.repeat(33)}${'</a>'.repeat(33)}`)).toThrow('nested too deep');
    expect(readXml(`${'<a>'.repeat(32)}${'</a>'.repeat(32)}`).name).toBe('a');
  });

  it('is read or refused in linear time, whatever it contains', () => {
    const piece = fc.constantFrom(
      '<a',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '>',
      '/>',
      '</a>',
      ' x="1"',
      ' ',
      '&',
      '<?',
    );
    const hostile = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 60 });
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 50 }), (pieces, times) => {
        try {
          readXml(pieces.join('').repeat(times));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(String(error)).toMatch(/the XML is (broken|nested too deep)/);
        }
      }),
    );
  });
});
