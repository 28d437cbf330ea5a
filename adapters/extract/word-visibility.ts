import type { Buffer } from 'node:buffer';

/** Whether a person sees characters with these properties. */
export type Visibility = 'shown' | 'hidden' | 'deleted';

/** In half points. Smaller letters are only dots. */
const READABLE_SIZE = 5;

/** Properties of characters (MS-DOC 2.6.1). */
const DELETED = 0x0800;
const HIDDEN = 0x083c;
const SIZE = 0x4a43;
/** The size of a property's value by the three highest bits of its number. For 6, the value starts with its length. */
const VALUE_BYTES = [1, 1, 2, 4, 2, 2, 0, 3];

/** Reads properties of Word 97 and later. */
export function visibilityIn97(properties: Buffer): Visibility {
  let at = 0;
  let visibility: Visibility = 'shown';
  while (at + 3 <= properties.length) {
    const property = properties.readUInt16LE(at);
    const value = properties.readUInt8(at + 2);
    if (property === DELETED && value === 1) return 'deleted';
    if (property === HIDDEN && value === 1) visibility = 'hidden';
    if (property === SIZE && value < READABLE_SIZE && properties[at + 3] === 0) visibility = 'hidden';
    const kind = property >>> 13;
    at += 2 + (kind === 6 ? 1 + value : (VALUE_BYTES[kind] ?? 1));
  }
  return visibility;
}

/** Properties of Word 6 and 95, with one byte for the number. */
const DELETED_6 = 65;
const HIDDEN_6 = 92;
const SIZE_6 = 99;
/** The sizes of their values, unless it is one byte. */
const VALUE_BYTES_6: Readonly<Record<number, number>> = {
  ...{ 69: 2, 70: 4, 72: 2, 73: 3, 80: 2, 83: 0, 93: 2, 95: 3, 96: 2, 97: 2 },
  ...{ 99: 2, 101: 2, 107: 2, 109: 2, 110: 2 },
};
/** Properties whose value starts with its length. */
const LONG_6 = new Set([68, 74, 81, 82, 103, 105, 106, 108]);

/** Reads properties of Word 6 and 95. */
export function visibilityInWord6(properties: Buffer): Visibility {
  let at = 0;
  let visibility: Visibility = 'shown';
  while (at + 2 <= properties.length) {
    const property = properties.readUInt8(at);
    const value = properties.readUInt8(at + 1);
    if (property === DELETED_6 && value === 1) return 'deleted';
    if (property === HIDDEN_6 && value === 1) visibility = 'hidden';
    if (property === SIZE_6 && value < READABLE_SIZE && properties[at + 2] === 0) visibility = 'hidden';
    at += 1 + (LONG_6.has(property) ? 1 + value : (VALUE_BYTES_6[property] ?? 1));
  }
  return visibility;
}
