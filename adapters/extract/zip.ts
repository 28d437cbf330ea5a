import { Buffer } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { Inflate } from 'fflate';
import { NoText } from './no-text.ts';

/**
 * Reads the files of a ZIP archive by its central directory (APPNOTE.TXT 4.3). Counts the bytes as it unpacks
 * them.
 */
export interface ZipArchive {
  has(name: string): boolean;
  /** Lower case, in the order of the directory. */
  names(): readonly string[];
  /**
   * Yields the file in pieces, or nothing if there is none. Names are case-insensitive.
   * @throws NoText `too_large` once everything read together exceeds the limit, `broken`, `encrypted`
   */
  read(name: string): Generator<Uint8Array>;
}

const MAX_FILES = 10_000;
const MAX_UNZIPPED_BYTES = 100 * 1024 * 1024;
/** Deflate expands one byte to at most 1032, so a piece never exceeds 17 MB. */
const PIECE_BYTES = 16 * 1024;
const AT_ONCE_BYTES = 16 * 1024 * 1024;

const END_OF_DIRECTORY = Buffer.from('PK\x05\x06', 'latin1');
const END_OF_DIRECTORY_BYTES = 22;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_ENTRY_BYTES = 46;
const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;

const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly encrypted: boolean;
  readonly method: number;
  readonly packedBytes: number;
  readonly headerAt: number;
}

/** @throws NoText `broken`, `too_large` */
export function openZip(source: Uint8Array): ZipArchive {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const entries = readDirectory(bytes);
  let left = MAX_UNZIPPED_BYTES;
  return {
    has: (name) => entries.has(keyOf(name)),
    names: () => [...entries.keys()],
    *read(name) {
      const entry = entries.get(keyOf(name));
      if (entry === undefined) return;
      for (const piece of unpacked(bytes, entry)) {
        left -= piece.length;
        if (left < 0) throw new NoText('too_large');
        yield piece;
      }
    },
  };
}

/** Part names of office files are case-insensitive. Some programs write backslashes or a leading slash. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}

function readDirectory(bytes: Buffer): Map<string, Entry> {
  const end = bytes.lastIndexOf(END_OF_DIRECTORY);
  if (end === -1 || end + END_OF_DIRECTORY_BYTES > bytes.length) throw new NoText('broken');
  const count = bytes.readUInt16LE(end + 10);
  if (count > MAX_FILES) throw new NoText('too_large');
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    if (at + DIRECTORY_ENTRY_BYTES > end || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY)
      throw new NoText('broken');
    const nameAt = at + DIRECTORY_ENTRY_BYTES;
    const behindName = nameAt + bytes.readUInt16LE(at + 28);
    const key = keyOf(bytes.toString('utf8', nameAt, behindName));
    const entry = {
      encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      packedBytes: bytes.readUInt32LE(at + 20),
      headerAt: bytes.readUInt32LE(at + 42),
    };
    // If two files have one name, office programs use the first.
    if (!entries.has(key)) entries.set(key, entry);
    at = behindName + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function* unpacked(
  bytes: Buffer,
  { encrypted, method, packedBytes, headerAt }: Entry,
): Generator<Uint8Array> {
  if (encrypted) throw new NoText('encrypted');
  if (headerAt + LOCAL_HEADER_BYTES > bytes.length || bytes.readUInt32LE(headerAt) !== LOCAL_HEADER) {
    throw new NoText('broken');
  }
  const begin =
    headerAt + LOCAL_HEADER_BYTES + bytes.readUInt16LE(headerAt + 26) + bytes.readUInt16LE(headerAt + 28);
  const packed = bytes.subarray(begin, begin + packedBytes);
  if (method === STORED) yield* pieces(packed);
  else if (method === DEFLATED) yield* inflated(packed);
  else throw new NoText('broken');
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function* inflated(packed: Uint8Array): Generator<Uint8Array> {
  const whole = inflatedAtOnce(packed);
  if (whole === undefined) yield* inflatedInPieces(packed);
  else yield whole;
}

/**
 * Unpacks a whole file at once: three times as fast, and enough for nearly every file. Undefined if it is too
 * large or damaged: then it is unpacked in pieces, as far as possible.
 */
function inflatedAtOnce(packed: Uint8Array): Uint8Array | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: AT_ONCE_BYTES });
  } catch {
    return undefined;
  }
}

function* inflatedInPieces(packed: Uint8Array): Generator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const inflate = new Inflate((piece) => ready.push(piece));
  for (const piece of pieces(packed)) {
    try {
      inflate.push(piece);
    } catch (error) {
      throw new NoText('broken', { cause: error });
    }
    yield* ready.splice(0);
  }
  try {
    inflate.push(new Uint8Array(0), true);
  } catch (error) {
    // The stream ends before its last block.
    throw new NoText('broken', { cause: error });
  }
  yield* ready.splice(0);
}
