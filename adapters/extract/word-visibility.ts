import type { Buffer } from 'node:buffer';

/** Whether a person sees characters with these properties. */
export type Visibility = 'shown' | 'hidden' | 'deleted';

/** In half points. Smaller letters are only dots. */
const READABLE_SIZE = 5;

/** How a version of Word stores properties: a number, then its value. */
interface Version {
  /** The length of a property's number. */
  readonly numberBytes: 1 | 2;
  readonly deleted: number;
  readonly hidden: number;
  readonly size: number;
  /** @param first  the first byte of the value, which is the length of a long value */
  valueBytes(property: number, first: number): number;
}

/** The size of a property's value by the three highest bits of its number. For 6, the value starts with its length. */
const VALUE_BYTES_97 = [1, 1, 2, 4, 2, 2, 0, 3];

/** Word 97 and later (MS-DOC 2.6.1). */
const WORD_97: Version = {
  numberBytes: 2,
  deleted: 0x0800,
  hidden: 0x083c,
  size: 0x4a43,
  valueBytes(property, first) {
    const kind = property >>> 13;
    return kind === 6 ? 1 + first : (VALUE_BYTES_97[kind] ?? 1);
  },
};

/** The sizes of values of Word 6 and 95, unless it is one byte. */
const VALUE_BYTES_6: Readonly<Record<number, number>> = {
  ...{ 69: 2, 70: 4, 72: 2, 73: 3, 80: 2, 83: 0, 93: 2, 95: 3, 96: 2, 97: 2 },
  ...{ 99: 2, 101: 2, 107: 2, 109: 2, 110: 2 },
};
/** Properties of Word 6 and 95 whose value starts with its length. */
const LONG_6 = new Set([68, 74, 81, 82, 103, 105, 106, 108]);

/** Word 6 and 95. */
const WORD_6: Version = {
  numberBytes: 1,
  deleted: 65,
  hidden: 92,
  size: 99,
  valueBytes: (property, first) => (LONG_6.has(property) ? 1 + first : (VALUE_BYTES_6[property] ?? 1)),
};

/** Reads properties of Word 97 and later. */
export function visibilityIn97(properties: Buffer): Visibility {
  return visibilityIn(WORD_97, properties);
}

/** Reads properties of Word 6 and 95. */
export function visibilityInWord6(properties: Buffer): Visibility {
  return visibilityIn(WORD_6, properties);
}

function visibilityIn(version: Version, properties: Buffer): Visibility {
  const { numberBytes, deleted, hidden, size, valueBytes } = version;
  let at = 0;
  let visibility: Visibility = 'shown';
  while (at + numberBytes < properties.length) {
    const property = properties.readUIntLE(at, numberBytes);
    at += numberBytes;
    const value = properties.readUInt8(at);
    if (property === deleted && value === 1) return 'deleted';
    if (property === hidden && value === 1) visibility = 'hidden';
    if (property === size && value < READABLE_SIZE && properties[at + 1] === 0) visibility = 'hidden';
    at += valueBytes(property, value);
  }
  return visibility;
}
