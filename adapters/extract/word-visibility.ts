import type { Buffer } from 'node:buffer';

/** Whether a person sees characters with these properties. */
export type Visibility = 'shown' | 'hidden' | 'deleted';

/** Numbers of properties. Source: MS-DOC 2.6.1. */
const DELETED = 0x0800;
const HIDDEN = 0x083c;
const SIZE = 0x4a43;

/** In half points. Smaller letters are only dots. */
const READABLE_SIZE = 5;

/** The size of a property's value by the three highest bits of its number. For 6, the value starts with its length. */
const VALUE_BYTES = [1, 1, 2, 4, 2, 2, 0, 3];
const HAS_LENGTH = 6;

/** @param properties  each a number of two bytes, then its value */
export function visibilityIn(properties: Buffer): Visibility {
  let at = 0;
  let visibility: Visibility = 'shown';
  while (at + 2 < properties.length) {
    const property = properties.readUInt16LE(at);
    at += 2;
    const value = properties.readUInt8(at);
    if (property === DELETED && value === 1) return 'deleted';
    if (property === HIDDEN && value === 1) visibility = 'hidden';
    if (property === SIZE && value < READABLE_SIZE && properties[at + 1] === 0) visibility = 'hidden';
    const kind = property >>> 13;
    at += kind === HAS_LENGTH ? 1 + value : (VALUE_BYTES[kind] ?? 1);
  }
  return visibility;
}
