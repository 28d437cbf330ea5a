/** Minimal compound files that no program would write. */

const SECTOR = 512;
const FREE = 0xffffffff;
const END = 0xfffffffe;
const FAT = 0xfffffffd;

/** What a storage contains, by name. */
export interface Storage {
  readonly [name: string]: Buffer | Storage;
}

/** @param streams  of the root, and its storages. No stream is stored among the small ones. */
export function compoundFile(streams: Storage): Buffer {
  const count = (storage: Storage): number =>
    Object.values(storage).reduce((sum, one) => sum + 1 + (Buffer.isBuffer(one) ? 0 : count(one)), 0);
  const directorySectors = Math.ceil((count(streams) + 1) / 4);
  const fatSectors = 8;
  const fat: number[] = Array<number>(fatSectors).fill(FAT);
  const sectors: Buffer[] = Array.from({ length: fatSectors }, () => Buffer.alloc(SECTOR, 0xff));
  /** @returns the first sector */
  const put = (bytes: Buffer, count = Math.ceil(bytes.length / SECTOR)): number => {
    const begin = sectors.length;
    for (let i = 0; i < count; i++) {
      sectors.push(
        Buffer.concat([bytes.subarray(i * SECTOR, (i + 1) * SECTOR), Buffer.alloc(SECTOR)], SECTOR),
      );
      fat.push(i === count - 1 ? END : begin + i + 1);
    }
    return begin;
  };
  const directory = Buffer.alloc(directorySectors * SECTOR);
  const entry = (
    at: number,
    name: string,
    kind: number,
    next: number,
    child: number,
    begin: number,
    size: number,
  ) => {
    directory.write(name, 128 * at, 'utf16le');
    directory.writeUInt16LE(2 * name.length + 2, 128 * at + 64);
    directory.writeUInt8(kind, 128 * at + 66);
    directory.writeUInt32LE(FREE, 128 * at + 68);
    directory.writeUInt32LE(next, 128 * at + 72);
    directory.writeUInt32LE(child, 128 * at + 76);
    directory.writeUInt32LE(begin, 128 * at + 116);
    directory.writeUInt32LE(size, 128 * at + 120);
  };
  let entries = 0;
  /** @returns the number of the first entry */
  const putAll = (storage: Storage): number => {
    const names = Object.keys(storage);
    const first = entries + 1;
    entries += names.length;
    names.forEach((name, i) => {
      const content = storage[name] ?? Buffer.alloc(0);
      const next = i + 1 < names.length ? first + i + 1 : FREE;
      if (!Buffer.isBuffer(content)) entry(first + i, name, 1, next, putAll(content), END, 0);
      else entry(first + i, name, 2, next, FREE, content.length === 0 ? END : put(content), content.length);
    });
    return names.length > 0 ? first : FREE;
  };
  entry(0, 'Root Entry', 5, FREE, putAll(streams), END, 0);
  const directoryAt = put(directory);
  if (fat.length > (fatSectors * SECTOR) / 4)
    throw new Error('This writes files of at most half a megabyte.');
  for (const [at, next] of fat.entries()) sectors[at >> 7]?.writeUInt32LE(next, 4 * (at & 127));
  const header = Buffer.alloc(SECTOR, 0xff);
  header.write('d0cf11e0a1b11ae1', 'hex');
  header.fill(0, 8, 76);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(fatSectors, 44);
  header.writeUInt32LE(directoryAt, 48);
  header.writeUInt32LE(0, 56);
  header.writeUInt32LE(END, 60);
  header.writeUInt32LE(END, 68);
  for (let at = 0; at < fatSectors; at++) header.writeUInt32LE(at, 76 + 4 * at);
  return Buffer.concat([header, ...sectors]);
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * i);
  return bytes;
}

/** A PowerPoint record: an atom of bytes, or a container of records. */
function slideRecord(type: number, content: Buffer | readonly Buffer[], instance = 0): Buffer {
  const data = Buffer.isBuffer(content) ? content : Buffer.concat(content);
  const header = Buffer.alloc(8);
  header.writeUInt16LE((instance << 4) | (Buffer.isBuffer(content) ? 0 : 0xf), 0);
  header.writeUInt16LE(type, 2);
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, data]);
}

export interface OldSlide {
  /** On the slide itself. */
  readonly text?: string;
  /** In the outline of the document; the slide refers to it. */
  readonly outline?: string;
  readonly notes?: string;
  readonly hidden?: boolean;
}

/** @param deleted  texts of slides that are still in the file, but not in its newest edit */
export function oldSlidesFile(slides: readonly OldSlide[], deleted: readonly string[] = []): Buffer {
  const chars = (text: string) => slideRecord(0x0fa0, Buffer.from(text, 'utf16le'));
  const objects: Buffer[] = [];
  const object = (record: Buffer) => objects.push(record);
  const persist = (number: number, id: number) => slideRecord(0x03f3, uint32(number, 0, 0, id, 0));
  const notesList: Buffer[] = [];
  const list: Buffer[] = [];
  slides.forEach(({ text, outline, notes, hidden }, i) => {
    const info = Buffer.alloc(16);
    info.writeUInt16LE(hidden === true ? 4 : 0, 10);
    const notesId = notes === undefined ? 0 : 1000 + i;
    const slide = slideRecord(0x03ee, [
      slideRecord(0x03ef, uint32(0, 0, 0, 0, notesId, 0)),
      slideRecord(0x03f9, info),
      slideRecord(0xf00d, text === undefined ? [] : [chars(text)]),
      slideRecord(0xf00d, outline === undefined ? [] : [slideRecord(0x0f9e, uint32(0))]),
    ]);
    list.push(persist(object(slide) + 1, 256 + i));
    if (outline !== undefined) list.push(slideRecord(0x0f9f, uint32(0)), chars(outline));
    if (notes === undefined) return;
    notesList.push(persist(object(slideRecord(0x03f0, [slideRecord(0xf00d, [chars(notes)])])) + 1, notesId));
  });
  for (const text of deleted) object(slideRecord(0x03ee, [slideRecord(0xf00d, [chars(text)])]));
  const document = slideRecord(0x03e8, [slideRecord(0x0ff0, list, 0), slideRecord(0x0ff0, notesList, 2)]);
  const all = [document, ...objects];
  const places = all.map((_, i) => all.slice(0, i).reduce((sum, { length }) => sum + length, 0));
  const before = Buffer.concat(all);
  const directory = slideRecord(0x1772, uint32((all.length << 20) | 1, ...places));
  const edit = slideRecord(0x0ff5, uint32(0, 0, 0, before.length, 1, 0, 0));
  return compoundFile({
    'PowerPoint Document': Buffer.concat([before, directory, edit]),
    'Current User': slideRecord(0x0ff6, uint32(20, 0xe391c05f, before.length + directory.length)),
  });
}

/** An Excel record. */
export function sheetRecord(type: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16LE(type, 0);
  header.writeUInt16LE(data.length, 2);
  return Buffer.concat([header, data]);
}

/** @param cells  the records of the only sheet; `globals` come before them */
export function oldSheetFile(cells: readonly Buffer[], globals: readonly Buffer[] = []): Buffer {
  const begin = (kind: number) => sheetRecord(0x0809, Buffer.from([0, 6, kind, 0, 0, 0, 0, 0]));
  const title = Buffer.from('\x03\0One', 'latin1');
  const sheet = (at: number) => sheetRecord(0x0085, Buffer.concat([uint32(at), Buffer.from([0, 0]), title]));
  const before = (at: number) => Buffer.concat([begin(5), ...globals, sheet(at), sheetRecord(0x000a)]);
  return compoundFile({
    Workbook: Buffer.concat([before(before(0).length), begin(16), ...cells, sheetRecord(0x000a)]),
  });
}

/** @param value  follows the row, the column and the format */
export function sheetCell(type: number, row: number, column: number, value: Buffer): Buffer {
  const place = Buffer.alloc(6);
  place.writeUInt16LE(row, 0);
  place.writeUInt16LE(column, 2);
  return sheetRecord(type, Buffer.concat([place, value]));
}

/** A run of characters, with the properties that describe it. */
export interface OldRun {
  readonly text: Buffer;
  readonly properties?: readonly number[];
}

/**
 * A document of Word 97 whose text has one byte per character: the header, the text, and one page of properties.
 * @param options.pieces each run is a piece of its own, and they stand in the stream in reverse, as after a fast save
 */
export function oldWordFile(
  runs: readonly OldRun[],
  {
    version = 193,
    language = 0x409,
    fonts = [],
    pieces = false,
    encrypted = false,
  }: {
    version?: number;
    language?: number;
    /** Their charset numbers. */
    fonts?: readonly number[];
    pieces?: boolean;
    encrypted?: boolean;
  } = {},
): Buffer {
  const TEXT = 0x600;
  const stored = pieces ? runs.toReversed() : runs;
  const text = Buffer.concat(stored.map((run) => run.text));
  const page = Math.ceil((TEXT + text.length) / SECTOR);
  const properties = Buffer.alloc(SECTOR);
  let [place, end] = [TEXT, SECTOR - 2];
  const starts = new Map<OldRun, number>();
  stored.forEach((run, i) => {
    starts.set(run, place);
    properties.writeUInt32LE(place, 4 * i);
    place += run.text.length;
    properties.writeUInt32LE(place, 4 * (i + 1));
    if (run.properties === undefined) return;
    end -= (run.properties.length + 2) & ~1;
    properties.set([run.properties.length, ...run.properties], end);
    properties.writeUInt8(end / 2, 4 * (stored.length + 1) + i);
  });
  properties.writeUInt8(stored.length, SECTOR - 1);
  const list = uint32(TEXT, place, page);
  const listed = pieces ? runs : [{ text }];
  const ends = listed.map((_, i) => listed.slice(0, i + 1).reduce((sum, run) => sum + run.text.length, 0));
  const places = listed.map((run) =>
    Buffer.concat([Buffer.alloc(2), uint32((2 * (starts.get(run) ?? TEXT)) | 0x40000000), Buffer.alloc(2)]),
  );
  const table = Buffer.concat([uint32(0, ...ends), ...places]);
  const clx = Buffer.concat([Buffer.from([2]), uint32(table.length), table]);
  const fontTable = fontList(fonts);
  // Other programs take a shorter stream for damaged.
  const document = Buffer.alloc(Math.max((page + 1) * SECTOR, 8192));
  document.writeUInt16LE(0xa5ec, 0);
  document.writeUInt16LE(version, 2);
  document.writeUInt16LE(language, 6);
  document.writeUInt16LE(encrypted ? 0x100 : 0, 10);
  uint32(0, list.length).copy(document, 250);
  uint32(list.length, fontTable.length).copy(document, 274);
  uint32(list.length + fontTable.length, clx.length).copy(document, 418);
  text.copy(document, TEXT);
  properties.copy(document, page * SECTOR);
  return compoundFile({
    WordDocument: document,
    '0Table': Buffer.concat([list, fontTable, clx, Buffer.alloc(4096)]),
  });
}

function fontList(charsets: readonly number[]): Buffer {
  const fonts = charsets.map((charset) => Buffer.from([9, 0, 0, 0, charset, 0, ...Buffer.from('Ari\0')]));
  return Buffer.concat([uint32(fonts.length), ...fonts]);
}
