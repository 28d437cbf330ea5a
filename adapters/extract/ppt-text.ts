import type { Buffer } from 'node:buffer';
import type { BoundedText } from './bounded-text.ts';
import type { CompoundFile } from './compound-file.ts';
import { NoText } from './no-text.ts';

export const PPT = 'PowerPoint Document';
const CURRENT_USER = 'Current User';

/** Types of records. Source: MS-PPT 2.13.24. */
const DOCUMENT = 0x03e8;
const SLIDE_ATOM = 0x03ef;
const SLIDE_PERSIST = 0x03f3;
const SLIDE_SHOW_INFO = 0x03f9;
const OUTLINE_REFERENCE = 0x0f9e;
const TEXT_HEADER = 0x0f9f;
const TEXT_CHARS = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const STRING = 0x0fba;
const HEADERS_FOOTERS = 0x0fd9;
const SLIDE_LIST = 0x0ff0;
const USER_EDIT = 0x0ff5;
const PERSIST_DIRECTORY = 0x1772;

/** The kinds of slide lists. */
const SLIDES = 0;
const NOTES = 2;

/** At the start of the stream that names the newest edit, if the document has a password. */
const ENCRYPTED = 0xf3d1c4df;

const HEADER_BYTES = 8;
const MAX_DEPTH = 40;
const MAX_EDITS = 1000;
const MAX_OBJECTS = 100_000;
const HIDDEN = 0x0004;

/**
 * Extracts the slides of PowerPoint files before 2007 (MS-PPT) in order, separated by an empty line, each
 * followed by its notes. Reads only the newest edit, because deleted slides stay in the file. Leaves out
 * hidden slides.
 * @throws NoText `encrypted`, `broken`, `unsupported_type`
 */
export function pptText(file: CompoundFile, out: BoundedText): void {
  const stream = file.stream(PPT);
  const { objects, document } = newestEdit(file.stream(CURRENT_USER), stream);
  const root = recordAt(stream, objects.get(document) ?? -1);
  if (root?.type !== DOCUMENT) throw new NoText('broken');
  const lists = [...children(root)].filter(({ type }) => type === SLIDE_LIST);
  const listed = (kind: number) => lists.filter(({ instance }) => instance === kind).flatMap(slidesOf);
  const notes = new Map(listed(NOTES).map((one) => [one.id, one]));
  const seen = new Set<number>();
  for (const slide of listed(SLIDES)) {
    if (out.full) return;
    if (seen.has(slide.object)) continue;
    seen.add(slide.object);
    const record = recordAt(stream, objects.get(slide.object) ?? -1);
    const { isHidden, notesId } = record === undefined ? VISIBLE : slideFacts(record);
    if (isHidden) {
      out.leftOutHidden();
      continue;
    }
    if (record === undefined) out.incomplete();
    slideText(slide, record, out);
    const note = notes.get(notesId);
    notes.delete(notesId);
    if (note !== undefined) slideText(note, recordAt(stream, objects.get(note.object) ?? -1), out);
    out.write('\n');
  }
}

interface SlideRecord {
  readonly type: number;
  readonly instance: number;
  readonly isContainer: boolean;
  readonly data: Buffer;
}

function recordAt(bytes: Buffer, at: number): SlideRecord | undefined {
  if (at < 0 || at + HEADER_BYTES > bytes.length) return undefined;
  const version = bytes.readUInt16LE(at);
  return {
    type: bytes.readUInt16LE(at + 2),
    instance: version >>> 4,
    isContainer: (version & 0xf) === 0xf,
    data: bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + bytes.readUInt32LE(at + 4)),
  };
}

function* children({ data }: SlideRecord): Generator<SlideRecord> {
  let at = 0;
  for (let child = recordAt(data, at); child !== undefined; child = recordAt(data, at)) {
    yield child;
    at += HEADER_BYTES + data.readUInt32LE(at + 4);
  }
}

/** Yields records without children, in order, each with the type of its parent. */
function* atoms(record: SlideRecord, depth = 0): Generator<SlideRecord & { readonly within: number }> {
  for (const child of children(record)) {
    if (!child.isContainer) yield { ...child, within: record.type };
    else if (depth < MAX_DEPTH) yield* atoms(child, depth + 1);
  }
}

/**
 * Returns the place of each object by its number, in the newest edit. Each edit names the one before it, and
 * lists what it rewrote.
 */
function newestEdit(
  currentUser: Buffer,
  stream: Buffer,
): { objects: ReadonlyMap<number, number>; document: number } {
  if (currentUser.length < 20) throw new NoText('broken');
  if (currentUser.readUInt32LE(12) === ENCRYPTED) throw new NoText('encrypted');
  const objects = new Map<number, number>();
  let document: number | undefined;
  let at = currentUser.readUInt32LE(16);
  for (let edits = 0; at !== 0 && edits < MAX_EDITS; edits++) {
    const edit = recordAt(stream, at);
    if (edit?.type !== USER_EDIT || edit.data.length < 20) break;
    // One more number leads to the key.
    if (edit.data.length >= 32) throw new NoText('encrypted');
    document ??= edit.data.readUInt32LE(16);
    const directory = recordAt(stream, edit.data.readUInt32LE(12));
    if (directory?.type === PERSIST_DIRECTORY) addObjects(directory.data, objects);
    at = edit.data.readUInt32LE(8);
  }
  if (document === undefined) throw new NoText('broken');
  return { objects, document };
}

/** Runs of numbers: the first and how many, then their places. */
function addObjects(directory: Buffer, objects: Map<number, number>): void {
  let at = 0;
  while (at + 4 <= directory.length) {
    const run = directory.readUInt32LE(at);
    at += 4;
    for (let i = 0; i < run >>> 20 && at + 4 <= directory.length; i++, at += 4) {
      const number = (run & 0xfffff) + i;
      if (!objects.has(number) && objects.size < MAX_OBJECTS) objects.set(number, directory.readUInt32LE(at));
    }
  }
}

/** A slide as the document lists it: with the texts of its outline, to which the slide itself refers. */
interface ListedSlide {
  readonly id: number;
  readonly object: number;
  readonly outline: string[];
}

function slidesOf(list: SlideRecord): ListedSlide[] {
  const slides: ListedSlide[] = [];
  for (const { type, data } of children(list)) {
    const outline = slides.at(-1)?.outline;
    if (type === SLIDE_PERSIST && data.length >= 16) {
      slides.push({ object: data.readUInt32LE(0), id: data.readUInt32LE(12), outline: [] });
    } else if (type === TEXT_HEADER) outline?.push('');
    else if (outline !== undefined && outline.length > 0) {
      outline[outline.length - 1] += textOf(type, data) ?? '';
    }
  }
  return slides;
}

const VISIBLE = { isHidden: false, notesId: 0 };

function slideFacts(slide: SlideRecord): { isHidden: boolean; notesId: number } {
  let { isHidden, notesId } = VISIBLE;
  for (const { type, data } of children(slide)) {
    if (type === SLIDE_ATOM && data.length >= 20) notesId = data.readUInt32LE(16);
    if (type === SLIDE_SHOW_INFO && data.length >= 12) isHidden = (data.readUInt16LE(10) & HIDDEN) !== 0;
  }
  return { isHidden, notesId };
}

function slideText({ outline }: ListedSlide, slide: SlideRecord | undefined, out: BoundedText): void {
  const left = new Map(outline.entries());
  for (const { type, within, data } of slide === undefined ? [] : atoms(slide)) {
    if (out.full) return;
    if (type === OUTLINE_REFERENCE && data.length >= 4) {
      const index = data.readUInt32LE(0);
      writeLines(left.get(index), out);
      left.delete(index);
    } else if (type === STRING && within === HEADERS_FOOTERS) writeLines(data.toString('utf16le'), out);
    else writeLines(textOf(type, data), out);
  }
  for (const text of left.values()) writeLines(text, out);
}

function textOf(type: number, data: Buffer): string | undefined {
  if (type === TEXT_CHARS) return data.toString('utf16le');
  // The low bytes of the same characters.
  return type === TEXT_BYTES ? data.toString('latin1') : undefined;
}

/** Fields, such as the slide's number, are one star. */
function writeLines(text: string | undefined, out: BoundedText): void {
  if (text !== undefined && text.trim() !== '' && text !== '*')
    out.write(`${text.replace(/[\r\v]/g, '\n')}\n`);
}
