import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pictureOf } from '../../../adapters/extract/picture.ts';

const hex = (...parts: string[]) => Buffer.from(parts.join('').replaceAll(' ', ''), 'hex');

const PICTURES = [
  ['PNG', hex('89504e470d0a1a0a 0000000d 49484452 00000140 000000f0')],
  // A skipped part, then the frame.
  ['JPEG', hex('ffd8 ffe0 0004 aaaa ffff c2 0011 08 00f0 0140')],
  ['GIF', hex('474946383961 4001 f000')],
  ['WebP', hex('52494646 00000000 57454250 56503820 00000000 000000 9d012a 4001 f000')],
  ['WebP', hex('52494646 00000000 57454250 5650384c 00000000 2f', '3fc13b00')],
  ['WebP', hex('52494646 00000000 57454250 56503858 0a000000 00000000 3f0100 ef0000')],
  ['BMP', hex('424d 00000000 00000000 00000000 28000000 40010000 10ffffff')],
  ['BMP', hex('424d 00000000 00000000 00000000 0c000000 4001 f000')],
  ['TIFF', hex('49492a00 08000000 0200 0001 0300 01000000 40010000 0101 0400 01000000 f0000000')],
  ['TIFF', hex('4d4d002a 00000008 0002 0100 0003 00000001 01400000 0101 0004 00000001 000000f0')],
] as const;

it.each(PICTURES)('%s: the header names the size', (format, bytes) => {
  expect(pictureOf(bytes)).toEqual({ format, width: 320, height: 240 });
});

it('has no size if the header ends early or contains none', () => {
  for (const [format, bytes] of PICTURES) {
    expect(pictureOf(bytes.subarray(0, bytes.length - 1))).toEqual({ format });
  }
  expect(pictureOf(hex('474946383961 0000 f000'))).toEqual({ format: 'GIF' });
  expect(pictureOf(hex('ffd8 ffda 0002'))).toEqual({ format: 'JPEG' });
});

it('has no format if the bytes are not a picture', () => {
  expect(pictureOf(Buffer.from('BM is how this text begins'))).toEqual({});
});

it('returns an answer for any bytes', () => {
  const head = fc.constantFrom(...PICTURES.map(([, bytes]) => bytes.subarray(0, 12)));
  fc.assert(
    fc.property(head, fc.uint8Array({ maxLength: 4000 }), (begin, rest) => {
      const { format, width, height } = pictureOf(Buffer.concat([begin, rest]));
      expect(format).toBeDefined();
      for (const size of [width, height]) if (size !== undefined) expect(size).toBeGreaterThan(0);
    }),
    { numRuns: 2000 },
  );
});
