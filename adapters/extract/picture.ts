import { Buffer } from 'node:buffer';
import type { Picture } from '../../core/ports/attachment-text.ts';

/**
 * Reads the format of a picture from its header, and its width and height in pixels if they are found.
 * Unpacks nothing, and follows no header for more than MAX_STEPS.
 */
export function pictureOf(source: Uint8Array): Picture {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const format = FORMATS.find(({ begins }) => begins.test(bytes.toString('latin1', 0, 16)));
  if (format === undefined) return {};
  const { name, sizeOf } = format;
  try {
    const size = sizeOf(bytes);
    return size === undefined || size.width === 0 || size.height === 0
      ? { format: name }
      : { format: name, ...size };
  } catch (error) {
    // The file ends within its header.
    if (error instanceof RangeError) return { format: name };
    throw error;
  }
}

export function isPicture(bytes: Uint8Array): boolean {
  return pictureOf(bytes).format !== undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Parts of a JPEG, or entries of a TIFF directory. */
const MAX_STEPS = 1000;

const FORMATS: readonly {
  readonly name: string;
  /** The first bytes, as Latin-1. */
  readonly begins: RegExp;
  readonly sizeOf: (bytes: Buffer) => Size | undefined;
}[] = [
  {
    name: 'PNG',
    begins: /^\x89PNG\r\n/,
    sizeOf: (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  },
  { name: 'JPEG', begins: /^\xff\xd8\xff/, sizeOf: jpegSize },
  {
    name: 'GIF',
    begins: /^GIF8[79]a/,
    sizeOf: (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  },
  { name: 'WebP', begins: /^RIFF.{4}WEBP/s, sizeOf: webpSize },
  { name: 'BMP', begins: /^BM.{4}\0{4}/s, sizeOf: bmpSize },
  { name: 'TIFF', begins: /^(?:II\*\0|MM\0\*)/, sizeOf: tiffSize },
];

/**
 * Source: ITU T.81, B.2.2: the frame header contains the size; every part before it contains its own length.
 */
function jpegSize(bytes: Buffer): Size | undefined {
  let at = 2;
  for (let step = 0; step < MAX_STEPS; step++) {
    while (bytes.readUInt8(at) === 0xff) at++;
    const marker = bytes.readUInt8(at);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 4), width: bytes.readUInt16BE(at + 6) };
    // The picture itself starts.
    if (marker === 0xda) return undefined;
    at += 1 + bytes.readUInt16BE(at + 1);
  }
  return undefined;
}

/** Source: RFC 9649, 2.5 to 2.7. */
function webpSize(bytes: Buffer): Size | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** A negative height means rows from top to bottom. The oldest headers use two bytes. */
function bmpSize(bytes: Buffer): Size {
  if (bytes.readUInt32LE(14) === 12) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) };
  return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) };
}

/** Source: TIFF 6.0, section 2. The first picture of the file. */
function tiffSize(bytes: Buffer): Size | undefined {
  const isLittle = bytes[0] === 0x49;
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const directory = long(4);
  const values = new Map<number, number>();
  for (let entry = 0; entry < Math.min(short(directory), MAX_STEPS); entry++) {
    const at = directory + 2 + 12 * entry;
    const isShort = short(at + 2) === 3;
    values.set(short(at), isShort ? short(at + 8) : long(at + 8));
  }
  const [width, height] = [values.get(256), values.get(257)];
  return width === undefined || height === undefined ? undefined : { width, height };
}
