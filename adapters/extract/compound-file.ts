import { Buffer } from 'node:buffer';
import { NoText } from './no-text.ts';

/**
 * A storage of a compound file, the container of Office's formats before 2007 (MS-CFB): a folder of streams and storages.
 */
export interface CompoundFile {
  /** Whether it contains a stream or a storage of this name. */
  has(name: string): boolean;
  /** Lower case. */
  names(): readonly string[];
  /**
   * Returns a stream, as far as the file contains it.
   * @param most the number of bytes that are enough
   * @throws NoText `broken` if there is none, or streams share so much that all together are longer than the file
   */
  stream(name: string, most?: number): Buffer;
  /** Returns a storage in it. @throws NoText `broken` if there is none */
  storage(name: string): CompoundFile;
}

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MINI_SECTOR_BYTES = 64;
/** Sector numbers from here on have a special meaning: the end of a chain, a free sector. */
const NO_SECTOR = 0xfffffffa;
const HEADER_FAT_SECTORS = 109;
const ROOT = 5;
/** How often the bytes of a file are read: no two streams share any, and a reader may need a stream twice. */
const READS = 2;

interface Entry {
  readonly name: string;
  readonly kind: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly begin: number;
  readonly bytes: number;
}

/** Returns the root storage. @throws NoText `broken` */
export function openCompoundFile(source: Uint8Array): CompoundFile {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (bytes.length < HEADER_BYTES) throw new NoText('broken');
  const shift = bytes.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) throw new NoText('broken');
  const sectorBytes = 2 ** shift;
  const sectors = Math.ceil(bytes.length / sectorBytes);
  // The header takes the place of the first sector.
  const sector = (at: number) => bytes.subarray((at + 1) * sectorBytes, (at + 2) * sectorBytes);
  const fat = numbers(fatSectors(bytes, sector, sectors).map(sector));

  /** @param length  of the stream, if known */
  const chain = (begin: number, length = Number.POSITIVE_INFINITY): Buffer => {
    const found: Buffer[] = [];
    let at = begin;
    while (at < NO_SECTOR && found.length < sectors && found.length * sectorBytes < length) {
      found.push(sector(at));
      at = fat[at] ?? NO_SECTOR;
    }
    return Buffer.concat(found).subarray(0, Math.min(length, bytes.length));
  };

  const entries = directory(chain(bytes.readUInt32LE(48)));
  const root = entries.find(({ kind }) => kind === ROOT);
  if (root === undefined) throw new NoText('broken');
  const miniFat = numbers([chain(bytes.readUInt32LE(60))]);
  const smallest = bytes.readUInt32LE(56);
  let miniStream: Buffer | undefined;

  const miniChain = (begin: number, length: number): Buffer => {
    miniStream ??= chain(root.begin, root.bytes);
    const most = Math.min(length, miniStream.length);
    const found: Buffer[] = [];
    let at = begin;
    while (at < NO_SECTOR && found.length * MINI_SECTOR_BYTES < most) {
      found.push(miniStream.subarray(at * MINI_SECTOR_BYTES, (at + 1) * MINI_SECTOR_BYTES));
      at = miniFat[at] ?? NO_SECTOR;
    }
    return Buffer.concat(found).subarray(0, most);
  };

  const opened = new Map<Entry, CompoundFile>();
  /** An entry is in one storage: the first that is opened. So opening all of them takes one pass over the entries. */
  const taken = new Set<number>();
  let bytesLeft = READS * bytes.length;

  const storageOf = (parent: Entry): CompoundFile => {
    const known = opened.get(parent) ?? openedStorage(parent);
    opened.set(parent, known);
    return known;
  };
  const openedStorage = (parent: Entry): CompoundFile => {
    const children = siblings(entries, parent.child, taken);
    const child = (name: string) => {
      const entry = children.get(name.toLowerCase());
      if (entry === undefined) throw new NoText('broken');
      return entry;
    };
    return {
      has: (name) => children.has(name.toLowerCase()),
      names: () => [...children.keys()],
      stream(name, most = Number.POSITIVE_INFINITY) {
        const { begin, bytes } = child(name);
        const found = (bytes < smallest ? miniChain : chain)(begin, Math.min(bytes, most));
        bytesLeft -= found.length;
        if (bytesLeft < 0) throw new NoText('broken');
        return found;
      },
      storage: (name) => storageOf(child(name)),
    };
  };
  return storageOf(root);
}

/**
 * The header lists the first ones. The others are in a chain of sectors, each of which ends with the number
 * of the next.
 */
function fatSectors(bytes: Buffer, sector: (at: number) => Buffer, sectors: number): number[] {
  const header = numbers([bytes.subarray(76, HEADER_BYTES)]).subarray(0, HEADER_FAT_SECTORS);
  const listed = [...header];
  let next = bytes.readUInt32LE(68);
  for (let step = 0; next < NO_SECTOR && step < sectors && listed.length < sectors; step++) {
    const list = numbers([sector(next)]);
    for (const one of list.subarray(0, -1)) listed.push(one);
    next = list.at(-1) ?? NO_SECTOR;
  }
  return listed.filter((at) => at < NO_SECTOR).slice(0, sectors);
}

function numbers(pieces: readonly Buffer[]): Uint32Array {
  const bytes = Buffer.concat(pieces);
  const found = new Uint32Array(Math.floor(bytes.length / 4));
  for (let at = 0; at < found.length; at++) found[at] = bytes.readUInt32LE(4 * at);
  return found;
}

function directory(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    const nameBytes = Math.min(64, Math.max(2, bytes.readUInt16LE(at + 64)));
    entries.push({
      name: bytes.toString('utf16le', at, at + nameBytes - 2),
      kind: bytes.readUInt8(at + 66),
      left: bytes.readUInt32LE(at + 68),
      right: bytes.readUInt32LE(at + 72),
      child: bytes.readUInt32LE(at + 76),
      begin: bytes.readUInt32LE(at + 116),
      bytes: bytes.readUInt32LE(at + 120),
    });
  }
  return entries;
}

/**
 * Returns the entries of one storage by lower-case name, and adds their numbers to those that are taken. Documents within
 * the document have separate storages.
 */
function siblings(entries: readonly Entry[], first: number, taken: Set<number>): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  const left = [first];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const entry = entries[at];
    if (entry === undefined || taken.has(at)) continue;
    taken.add(at);
    found.set(entry.name.toLowerCase(), entry);
    left.push(entry.left, entry.right);
  }
  return found;
}
