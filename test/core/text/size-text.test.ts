import { expect, it } from 'vitest';
import { sizeText } from '../../../core/text/size-text.ts';

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 KB'],
  [84_300, '84 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [1_240_000, '1.2 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
