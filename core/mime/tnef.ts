import { Buffer } from 'node:buffer';
import { codePageCharset } from './code-page.ts';
import { rtfBody } from './rtf-body.ts';

/**
 * Reads `winmail.dat` files from Outlook (MS-OXTNEF). Pure, and linear in the number of bytes. Checks every length
 * against the remaining bytes, and stops at damaged data. Countersign's own, because the libraries need dozens of
 * packages.
 */

interface TnefContent {
  readonly files: readonly TnefFile[];
  /** The message's own text: its HTML, its plain text or the text of its RTF. Undefined if there is none. */
  body(): TnefBody | undefined;
}

interface TnefBody {
  readonly type: 'text/html' | 'text/plain';
  readonly content: Buffer;
  readonly charset: string;
  /** False if the rest is too large to read. */
  readonly complete: boolean;
}

interface TnefFile {
  readonly name: string;
  readonly content: Buffer;
}

const SIGNATURE = 0x223e9f78;
const MAX_FILES = 1000;

const BODY = 0x0002800c;
const CODE_PAGE = 0x00069007;
const MESSAGE_PROPERTIES = 0x00069003;
const FILE_BEGINS = 0x00069002;
const FILE_TITLE = 0x00018010;
const FILE_DATA = 0x0006800f;
const FILE_PROPERTIES = 0x00069005;

/** Properties of MS-OXPROPS. */
const PLAIN_BODY = 0x1000;
const RTF_BODY = 0x1009;
const HTML_BODY = 0x1013;
const LONG_FILE_NAME = 0x3707;
const FILE_OBJECT = 0x3701;

/** @returns undefined if it is not TNEF */
export function readTnef(bytes: Buffer): TnefContent | undefined {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== SIGNATURE) return undefined;
  const files: { title: string; longName: string; data: Buffer | undefined; object: Buffer | undefined }[] =
    [];
  let text: Buffer | undefined;
  let html: Buffer | undefined;
  let rtf: Buffer | undefined;
  let codePage = 1252;
  for (const { id, data } of attributesIn(bytes)) {
    const file = files.at(-1);
    if (id === CODE_PAGE && data.length >= 4) codePage = data.readUInt32LE(0);
    else if (id === BODY) text = withoutEnd(data);
    else if (id === MESSAGE_PROPERTIES) {
      const properties = propertiesIn(data);
      text ??= properties.get(PLAIN_BODY)?.data;
      html ??= properties.get(HTML_BODY)?.data;
      rtf ??= properties.get(RTF_BODY)?.data;
    } else if (id === FILE_BEGINS && files.length < MAX_FILES) {
      files.push({ title: '', longName: '', data: undefined, object: undefined });
    } else if (file === undefined) continue;
    else if (id === FILE_TITLE) file.title = withoutEnd(data).toString('latin1');
    else if (id === FILE_DATA) file.data = data;
    else if (id === FILE_PROPERTIES) {
      const properties = propertiesIn(data);
      file.longName = properties.get(LONG_FILE_NAME)?.text ?? '';
      file.object = properties.get(FILE_OBJECT)?.data;
    }
  }
  return {
    files: files.map(({ title, longName, data, object }) => ({
      name: longName || title,
      content: data ?? object ?? Buffer.alloc(0),
    })),
    body() {
      const charset = codePageCharset(codePage);
      if (html !== undefined) return { type: 'text/html', content: html, charset, complete: true };
      const hasText = text !== undefined && text.toString('latin1').trim() !== '';
      const shown = hasText || rtf === undefined ? undefined : rtfBody(rtf);
      if (shown !== undefined) return { ...shown, charset: 'utf-8' };
      return text && { type: 'text/plain', content: text, charset, complete: true };
    },
  };
}

/** Yields the attributes. Each is a level, an id, a length, the data and a checksum. */
function* attributesIn(bytes: Buffer): Generator<{ id: number; data: Buffer }> {
  for (let at = 6; at + 9 <= bytes.length; ) {
    const id = bytes.readUInt32LE(at + 1);
    const start = at + 9;
    const end = start + bytes.readUInt32LE(at + 5);
    if (end > bytes.length) return;
    yield { id, data: bytes.subarray(start, end) };
    at = end + 2;
  }
}

interface Property {
  readonly data: Buffer;
  readonly text: string;
}

const STRING = 0x1e;
const UNICODE = 0x1f;
const OBJECT = 0x0d;
const BINARY = 0x102;
const MULTIPLE = 0x1000;
/** MS-OXTNEF 2.1.3.4: the size of a value by its type, in steps of four. */
const SIZES: Readonly<Record<number, number>> = {
  1: 4,
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
};

/** Returns the first value of each property that is a text or a file, by property id. */
function propertiesIn(bytes: Buffer): Map<number, Property> {
  const found = new Map<number, Property>();
  let at = 0;
  const number = () => {
    const value = at + 4 <= bytes.length ? bytes.readUInt32LE(at) : undefined;
    at += 4;
    return value;
  };
  const piece = () => {
    const length = number();
    if (length === undefined || at + length > bytes.length) return undefined;
    const data = bytes.subarray(at, at + length);
    at += length + ((4 - (length % 4)) % 4);
    return data;
  };
  for (let left = number() ?? 0; left > 0; left--) {
    const tag = number();
    if (tag === undefined) return found;
    const [type, id] = [tag & 0xffff, tag >>> 16];
    if (id >= 0x8000) {
      at += 16;
      if (number() === 0) at += 4;
      else if (piece() === undefined) return found;
    }
    const single = type & ~MULTIPLE;
    const isPiece = single === STRING || single === UNICODE || single === OBJECT || single === BINARY;
    const size = SIZES[single];
    const count = isPiece || (type & MULTIPLE) !== 0 ? number() : 1;
    if (count === undefined || (!isPiece && size === undefined)) return found;
    for (let n = 0; n < count; n++) {
      const data = isPiece ? piece() : undefined;
      if (!isPiece) at += size ?? 0;
      else if (data === undefined) return found;
      if (data === undefined) {
        if (at > bytes.length) return found;
        continue;
      }
      if (found.has(id)) continue;
      // An object starts with the id of its interface.
      const content = single === OBJECT ? data.subarray(16) : single === STRING ? withoutEnd(data) : data;
      const text = data.toString(single === UNICODE ? 'utf16le' : 'latin1').replace(/\0.*$/s, '');
      found.set(id, { data: content, text: isPiece && data.length < 2000 ? text : '' });
    }
  }
  return found;
}

/** A text ends in a NUL. */
function withoutEnd(data: Buffer): Buffer {
  const end = data.indexOf(0);
  return end === -1 ? data : data.subarray(0, end);
}
