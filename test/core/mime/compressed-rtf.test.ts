import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decompressedRtf } from '../../../core/mime/compressed-rtf.ts';
import { compressedRtf } from './encoders.ts';

const MOST = 100_000;
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('compressed RTF', () => {
  it.each([
    [
      'MS-OXRTFCP 4.1.1',
      '2d0000002b0000004c5a4675f1c5c7a7 03000a0072637067 313235423 20af3206865 6c090020627705 b06c647d0a800fa0',
      '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n',
    ],
    [
      'MS-OXRTFCP 4.2.1, which reads what it writes',
      '1a0000001c0000004c5a4675e2d44b51 410004205758595a0d6e7d010eb0',
      '{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}',
    ],
    [
      'not compressed',
      '120000000e0000004d454c4100000000 7b5c727466312068656c6c6f7d00ffff',
      '{\\rtf1 hello}\0',
    ],
  ])('is read as the examples of the specification say: %s', (_, bytes, text) => {
    expect(decompressedRtf(hex(bytes), MOST)?.toString('latin1')).toBe(text);
  });

  it('comes back whole, whatever it contains', () => {
    const word = fc.constantFrom('\\par ', '{\\f0\\fnil ', 'abcabcabc', 'x', ' Times New Roman', '\r\n');
    fc.assert(
      fc.property(
        fc.array(fc.oneof(word, fc.string({ unit: 'binary-ascii' })), { maxLength: 800 }),
        (words) => {
          const rtf = words.join('');
          expect(decompressedRtf(compressedRtf(rtf), MOST)?.toString('latin1')).toBe(rtf);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('gives no more bytes than asked for, and no more than its own bytes can hold', () => {
    expect(decompressedRtf(compressedRtf('a'.repeat(5000)), 100)?.length).toBe(100);
    const lie = compressedRtf('{\\rtf1 a}');
    lie.writeUInt32LE(0xffffffff, 4);
    expect(decompressedRtf(lie, 0xffffffff)?.toString('latin1')).toBe('{\\rtf1 a}');
  });

  it('that is something else is not read', () => {
    expect(decompressedRtf(Buffer.alloc(15), MOST)).toBeUndefined();
    expect(decompressedRtf(Buffer.alloc(100), MOST)).toBeUndefined();
  });
});
