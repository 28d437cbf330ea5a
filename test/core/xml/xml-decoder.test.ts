import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { xmlDecoder } from '../../../core/xml/xml-decoder.ts';
import { anyGrapheme } from '../../any-character.ts';

describe('an XML document in bytes', () => {
  it('is the same text however it is cut into pieces', () => {
    const charset = fc.constantFrom(
      'utf-8',
      'utf-16le',
      'shift_jis',
      'gb18030',
      'big5',
      'koi8-r',
      'windows-1252',
    );
    const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(charset, fc.string({ unit: anyGrapheme, maxLength: 400 }), pieces, (name, text, sizes) => {
        const bytes = iconv.encode(`<?xml version="1.0"?>${text}`, name);
        const type = `text/xml; charset=${name}`;
        const whole = xmlDecoder(type);
        const expected = whole.write(bytes) + whole.end();
        const decoder = xmlDecoder(type);
        let [at, read] = [0, ''];
        for (let index = 0; at < bytes.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1;
          read += decoder.write(bytes.subarray(at, at + size));
          at += size;
        }
        expect(read + decoder.end()).toBe(expected);
        if (name.startsWith('utf')) expect(expected).toBe(`<?xml version="1.0"?>${text}`);
      }),
    );
  });

  it('is not UTF-16 because a declaration in UTF-8 says so', () => {
    const decoder = xmlDecoder();
    const text = '<?xml version="1.0" encoding="utf-16"?><a>é</a>';
    expect(decoder.write(Buffer.from(text)) + decoder.end()).toBe(text);
  });
});
