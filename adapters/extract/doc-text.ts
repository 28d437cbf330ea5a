import { Buffer } from 'node:buffer';
import { textDecoder } from '../../core/mail/charset.ts';
import type { BoundedText } from './bounded-text.ts';
import type { CompoundFile } from './compound-file.ts';
import { docCharset, fontCharsets } from './doc-charset.ts';
import { NoText } from './no-text.ts';
import { type Visibility, visibilityIn } from './word-visibility.ts';

export const DOC = 'WordDocument';

const WORD_97 = 193;
/** Bits of the flags at offset 10. */
const ENCRYPTED = 0x0100;
const TABLE_IS_1 = 0x0200;

/** Pieces may name the same text repeatedly. */
const MAX_CHARS_READ = 20_000_000;
/** The number of characters of a piece that are decoded at a time. */
const CHARS_AT_ONCE = 1_000_000;

/**
 * Extracts the text of Word documents from 97 to 2003 (MS-DOC): the document, then footnotes, headers, comments,
 * endnotes and text boxes, in the order of the file. Paragraphs become lines, and tabs separate cells. Leaves out
 * hidden and deleted runs.
 * @throws NoText `encrypted`, `broken`, `unsupported_type`
 */
export function docText(file: CompoundFile, out: BoundedText): void {
  const document = file.stream(DOC);
  if (document.length < 512) throw new NoText('broken');
  const version = document.readUInt16LE(2);
  const flags = document.readUInt16LE(10);
  if ((flags & ENCRYPTED) !== 0) throw new NoText('encrypted');
  const write = shownText(out);
  if (version < WORD_97) throw new NoText('unsupported_type');
  const { charset, runs, found } = layoutOf(
    document,
    file.stream((flags & TABLE_IS_1) !== 0 ? '1Table' : '0Table'),
  );
  if (charset !== 'windows-1252') out.guessedCharset(charset);
  const decode = textDecoder(charset);
  let left = MAX_CHARS_READ;
  for (const piece of found) {
    for (const { begin, end, visibility } of split(piece, runs)) {
      const chars = (end - begin) / piece.charBytes;
      left -= chars;
      if (out.full) return;
      if (left < 0) throw new NoText('too_large');
      const bytes = document.subarray(begin, end);
      const text = piece.charBytes === 1 ? decode(bytes) : bytes.toString('utf16le');
      if (visibility === 'shown') write(text);
      else if (visibility === 'hidden' && text.trim() !== '') out.leftOutHidden();
    }
  }
}

interface Layout {
  /** The charset of text with one byte per character. */
  readonly charset: string;
  readonly runs: readonly Run[];
  readonly found: Iterable<Piece>;
}

function layoutOf(document: Buffer, table: Buffer): Layout {
  const found = () => pieces(part(table, document, 418));
  return {
    charset: docCharset({
      language: document.readUInt16LE(6),
      fonts: fontCharsets(part(table, document, 274)),
      sample: sampleOf(document, found()),
    }),
    runs: unseenRuns(document, part(table, document, 250)),
    found: found(),
  };
}

const SAMPLE_BYTES = 64 * 1024;

/** The start of the text that has one byte per character. */
function sampleOf(document: Buffer, found: Iterable<Piece>): Buffer {
  const taken: Buffer[] = [];
  let left = SAMPLE_BYTES;
  let pieces = 0;
  for (const { begin, end, charBytes } of found) {
    if (left <= 0 || pieces++ === MAX_SAMPLED) break;
    if (charBytes !== 1) continue;
    const bytes = document.subarray(begin, Math.min(end, begin + left));
    taken.push(bytes);
    left -= bytes.length;
  }
  return Buffer.concat(taken);
}

const MAX_SAMPLED = 10_000;

/** Returns the part of the table stream that a pair of offset and length in the header describes. */
function part(table: Buffer, document: Buffer, at: number): Buffer {
  const offset = document.readUInt32LE(at);
  return table.subarray(offset, offset + document.readUInt32LE(at + 4));
}

/** Contiguous text in the document stream. Offsets are in bytes. */
interface Piece {
  readonly begin: number;
  readonly end: number;
  readonly charBytes: 1 | 2;
}

/** @param clx a list of properties, then of pieces: the start of each in the text, and its place in the stream */
function* pieces(clx: Buffer): Generator<Piece> {
  let at = 0;
  while (at + 3 <= clx.length && clx[at] === 1) at += 3 + clx.readUInt16LE(at + 1);
  if (at + 5 > clx.length || clx[at] !== 2) throw new NoText('broken');
  const list = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
  const count = Math.floor((list.length - 4) / 12);
  for (let i = 0; i < count; i++) {
    const chars = list.readUInt32LE(4 * (i + 1)) - list.readUInt32LE(4 * i);
    const place = list.readUInt32LE(4 * (count + 1) + 8 * i + 2);
    const isCompressed = (place & 0x40000000) !== 0;
    const charBytes = isCompressed ? 1 : 2;
    const begin = (place & 0x3fffffff) >>> (isCompressed ? 1 : 0);
    for (let done = 0; done < chars; done += CHARS_AT_ONCE) {
      const from = begin + done * charBytes;
      yield { begin: from, end: from + Math.min(chars - done, CHARS_AT_ONCE) * charBytes, charBytes };
    }
  }
}

interface Run {
  readonly begin: number;
  readonly end: number;
  readonly visibility: Visibility;
}

/** @param runs  in the order of the stream, not nested */
function* split({ begin, end, charBytes }: Piece, runs: readonly Run[]): Generator<Run> {
  let at = begin;
  for (let i = firstBehind(runs, begin); i < runs.length; i++) {
    const run = runs[i];
    if (run === undefined || run.begin >= end) break;
    // A run starts and ends between two characters.
    const from = Math.max(at, run.begin - ((run.begin - begin) % charBytes));
    const until = Math.min(end, run.end - ((run.end - begin) % charBytes));
    if (from > at) yield { begin: at, end: from, visibility: 'shown' };
    if (until > from) yield { begin: from, end: until, visibility: run.visibility };
    at = Math.max(at, until);
  }
  if (end > at) yield { begin: at, end, visibility: 'shown' };
}

/** Returns the index of the first run that ends after this place. */
function firstBehind(runs: readonly Run[], place: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

const PAGE_BYTES = 512;

/**
 * Returns the runs that are hidden or deleted.
 * @param list the pages of the document stream that describe runs (MS-DOC 2.8.25)
 */
function unseenRuns(document: Buffer, list: Buffer): Run[] {
  const runs: Run[] = [];
  const count = Math.floor((list.length - 4) / 8);
  const seen = new Set<number>();
  for (let i = 0; i < count; i++) {
    const page = list.readUInt32LE(4 * (count + 1) + 4 * i) & 0x3fffff;
    const bytes = document.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    if (seen.has(page) || bytes.length < PAGE_BYTES) continue;
    seen.add(page);
    const inPage = bytes.readUInt8(PAGE_BYTES - 1);
    if (5 * inPage + 4 >= PAGE_BYTES) continue;
    for (let run = 0; run < inPage; run++) {
      const at = 2 * bytes.readUInt8(4 * (inPage + 1) + run);
      const visibility =
        at === 0 ? 'shown' : visibilityIn(bytes.subarray(at + 1, at + 1 + bytes.readUInt8(at)));
      if (visibility === 'shown') continue;
      runs.push({ begin: bytes.readUInt32LE(4 * run), end: bytes.readUInt32LE(4 * (run + 1)), visibility });
    }
  }
  return ordered(runs);
}

function ordered(runs: Run[]): Run[] {
  let end = 0;
  return runs
    .sort((a, b) => a.begin - b.begin)
    .filter((run) => {
      const isApart = run.begin >= end && run.end > run.begin;
      if (isApart) end = run.end;
      return isApart;
    });
}

/**
 * Handles Word's special characters across runs: a field's instruction may start in one run and end in another.
 */
function shownText(out: BoundedText): (text: string) => void {
  /** Whether the instruction of each open field is still being read. */
  const fields: boolean[] = [];
  let afterCell = false;
  return (text) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are Word's own characters
    for (const token of text.match(/[\x00-\x1f]|[^\x00-\x1f]+/g) ?? []) {
      if (out.full) return;
      switch (token) {
        case '\x13':
          if (fields.length < MAX_FIELDS) fields.push(true);
          break;
        case '\x14':
          if (fields.length > 0) fields[fields.length - 1] = false;
          break;
        case '\x15':
          fields.pop();
          break;
        default: {
          if (fields.at(-1) === true) break;
          // The end of a row is marked like the end of one more cell.
          const isCell = token === '\x07';
          out.write(isCell && afterCell ? '\n' : (CHARACTERS[token] ?? (token < ' ' ? '' : token)));
          afterCell = isCell && !afterCell;
        }
      }
    }
  };
}

const MAX_FIELDS = 1000;
const CHARACTERS: Readonly<Record<string, string>> = {
  '\x07': '\t',
  '\t': '\t',
  '\v': '\n',
  '\f': '\n',
  '\r': '\n',
  '\x0e': '\n',
  '\x1e': '-',
};
