import { Buffer } from 'node:buffer';

/**
 * Reads what an S/MIME file holds (RFC 5652): the message that was signed, or the fact that it is encrypted. Signatures
 * are not checked. Pure: one pass over the bytes without recursion, every length is checked against what is there.
 */
export type CmsContent =
  | { readonly kind: 'signed'; readonly content: Buffer }
  | { readonly kind: 'encrypted' };

const OBJECT_ID = 0x06;
const OCTETS = 0x04;
const CONSTRUCTED_OCTETS = 0x24;

/** DER of the types of content. */
const SIGNED_DATA = '2a864886f70d010702';
const ENCRYPTED = new Set([
  // Enveloped, encrypted and authenticated-enveloped data (RFC 5652, 5083).
  '2a864886f70d010703',
  '2a864886f70d010706',
  '2a864886f70d0109100117',
]);

/** @returns undefined if it is neither, or signs nothing that is in it */
export function readCms(bytes: Buffer): CmsContent | undefined {
  const info = inside(bytes, 0);
  const type = info && element(bytes, info.start);
  if (type?.tag !== OBJECT_ID) return undefined;
  const id = bytes.toString('hex', type.start, type.end);
  if (ENCRYPTED.has(id)) return { kind: 'encrypted' };
  if (id !== SIGNED_DATA) return undefined;
  // [0] SEQUENCE { version, algorithms, SEQUENCE { type, [0] the content } … }
  const signedData = inside(bytes, inside(bytes, type.end)?.start);
  const algorithms = after(bytes, signedData?.start);
  const content = inside(bytes, after(bytes, algorithms));
  const octets = inside(bytes, after(bytes, content?.start));
  const signed = octets && octetsAt(bytes, octets.start);
  return signed && { kind: 'signed', content: signed };
}

interface Element {
  readonly tag: number;
  readonly start: number;
  /** Where its content ends. Infinite for an indefinite length, which an end mark ends. */
  readonly end: number;
}

const END_MARK = 0;
const INDEFINITE = Number.POSITIVE_INFINITY;

/** Undefined if there is none at this place. */
function element(bytes: Buffer, at: number | undefined): Element | undefined {
  if (at === undefined) return undefined;
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined) return undefined;
  if (first === 0x80) return { tag, start: at + 2, end: INDEFINITE };
  const start = at + 2 + (first > 0x80 ? first & 0x7f : 0);
  if (first < 0x80) return { tag, start, end: start + first };
  if (first > 0x84 || start > bytes.length) return undefined;
  return { tag, start, end: start + bytes.readUIntBE(at + 2, first & 0x7f) };
}

/** An element that contains others. */
function inside(bytes: Buffer, at: number | undefined): Element | undefined {
  const found = element(bytes, at);
  return found !== undefined && (found.tag & 0x20) !== 0 ? found : undefined;
}

/** Returns the place behind an element. */
function after(bytes: Buffer, at: number | undefined): number | undefined {
  let open = 0;
  let next = at;
  do {
    const one = element(bytes, next);
    if (one === undefined) return undefined;
    next = one.end === INDEFINITE ? one.start : one.end;
    if (one.end === INDEFINITE) open++;
    else if (one.tag === END_MARK) open--;
  } while (open > 0);
  return next;
}

/** The octets of a string, which may be in pieces, as far as they are there. */
function octetsAt(bytes: Buffer, at: number): Buffer | undefined {
  const whole = element(bytes, at);
  if (whole?.tag === OCTETS) return bytes.subarray(whole.start, whole.end);
  if (whole?.tag !== CONSTRUCTED_OCTETS) return undefined;
  const pieces: Buffer[] = [];
  let open = whole.end === INDEFINITE ? 1 : 0;
  for (let next = whole.start; next < whole.end; ) {
    const one = element(bytes, next);
    if (one === undefined) break;
    next = one.tag === OCTETS ? one.end : one.start;
    if (one.tag === OCTETS) pieces.push(bytes.subarray(one.start, one.end));
    else if (one.tag === CONSTRUCTED_OCTETS) open += one.end === INDEFINITE ? 1 : 0;
    else if (one.tag !== END_MARK || --open === 0) break;
  }
  return Buffer.concat(pieces);
}
