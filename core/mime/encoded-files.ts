import { Buffer } from 'node:buffer';

/**
 * Finds files in a text without MIME: uuencode (POSIX) and yEnc (www.yenc.org). Pure, one pass over the lines. Lines
 * that start like a file but do not continue like one are text.
 */

export type FileEncoding = 'x-uuencode' | 'x-yencode';

export interface EncodedFile {
  readonly encoding: FileEncoding;
  readonly name: string;
  /** From its first line to its last. */
  readonly content: Buffer;
}

const UU_BEGIN = /^begin [0-7]{3,4} ([^\r\n]{1,300})\r?\n?$/;
const YENC_BEGIN = /^=ybegin (?:[a-z]+=\d+ )*name=([^\r\n]{1,300})\r?\n?$/;
const UU_END = /^end\s*$/;
const YENC_END = /^=yend /;

export function filesIn(content: Buffer): { readonly text: Buffer; readonly files: readonly EncodedFile[] } {
  if (!/^(?:begin [0-7]|=ybegin )/m.test(content.toString('latin1'))) return { text: content, files: [] };
  const files: EncodedFile[] = [];
  const texts: Buffer[] = [];
  let open: { encoding: FileEncoding; name: string; start: number } | undefined;
  let textStart = 0;
  for (const { start, end, line } of linesOf(content)) {
    if (open !== undefined) {
      const isEnd = (open.encoding === 'x-uuencode' ? UU_END : YENC_END).test(line);
      if (isEnd) {
        texts.push(content.subarray(textStart, open.start));
        files.push({ encoding: open.encoding, name: open.name, content: content.subarray(open.start, end) });
        textStart = end;
      }
      if (!isEnd && (open.encoding === 'x-yencode' || isUuLine(line))) continue;
      open = undefined;
      if (isEnd) continue;
    }
    const uuName = UU_BEGIN.exec(line)?.[1];
    const name = uuName ?? YENC_BEGIN.exec(line)?.[1];
    if (name !== undefined)
      open = { encoding: uuName === undefined ? 'x-yencode' : 'x-uuencode', name: name.trim(), start };
  }
  return { text: Buffer.concat([...texts, content.subarray(textStart)]), files };
}

/** The bytes of a part in that encoding. Returns the part unchanged if it contains no file. */
export function decodedFile(content: Buffer, encoding: FileEncoding): Buffer {
  const decoded: Buffer[] = [];
  let isOpen = false;
  for (const { line } of linesOf(content)) {
    if (encoding === 'x-uuencode') {
      if (isOpen && UU_END.test(line)) break;
      if (isOpen) decoded.push(uuDecoded(line));
      isOpen ||= line.startsWith('begin ');
    } else if (line.startsWith('=y')) {
      if (isOpen && YENC_END.test(line)) break;
      isOpen ||= line.startsWith('=ybegin ');
    } else if (isOpen) decoded.push(yDecoded(line));
  }
  return isOpen ? Buffer.concat(decoded) : content;
}

const LF = 0x0a;

/** Lines, each with its line break. */
function* linesOf(content: Buffer): Generator<{ start: number; end: number; line: string }> {
  for (let start = 0; start < content.length; ) {
    const at = content.indexOf(LF, start);
    const end = at === -1 ? content.length : at + 1;
    yield { start, end, line: content.toString('latin1', start, end) };
    start = end;
  }
}

/** Some encoders leave out the spaces at the end of a line, some add a character. */
function isUuLine(line: string): boolean {
  const text = line.trimEnd();
  if (text === '') return true;
  const bytes = uuValue(text, 0);
  return /^[ -`]+$/.test(text) && bytes <= 45 && text.length <= 2 + 4 * Math.ceil(bytes / 3);
}

function uuValue(text: string, at: number): number {
  return at < text.length ? (text.charCodeAt(at) - 0x20) & 0x3f : 0;
}

function uuDecoded(line: string): Buffer {
  const text = line.replace(/[\r\n]+$/, '');
  const length = text === '' ? 0 : uuValue(text, 0);
  const bytes = Buffer.alloc(Math.ceil(length / 3) * 3);
  for (let from = 1, to = 0; to < length; from += 4, to += 3) {
    const [a, b, c, d] = [0, 1, 2, 3].map((n) => uuValue(text, from + n)) as [number, number, number, number];
    bytes[to] = (a << 2) | (b >> 4);
    bytes[to + 1] = ((b << 4) | (c >> 2)) & 0xff;
    bytes[to + 2] = ((c << 6) | d) & 0xff;
  }
  return bytes.subarray(0, length);
}

function yDecoded(line: string): Buffer {
  const text = line.replace(/[\r\n]+$/, '');
  const bytes = Buffer.alloc(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const isEscape = text[at] === '=';
    if (isEscape) at++;
    bytes[length++] = (text.charCodeAt(at) - 42 - (isEscape ? 64 : 0)) & 0xff;
  }
  return bytes.subarray(0, length);
}
