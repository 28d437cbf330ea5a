import { Buffer } from 'node:buffer';

/**
 * Finds uuencoded files (POSIX) in a text without MIME. Pure, one pass over the lines. Lines that start like a file
 * but do not continue like one are text.
 */

export interface UuencodedFile {
  readonly name: string;
  /** From its first line to its last. */
  readonly content: Buffer;
}

const BEGIN = /^begin [0-7]{3,4} ([^\r\n]{1,300})\r?\n?$/;
const END = /^end\s*$/;

export function filesIn(content: Buffer): {
  readonly text: Buffer;
  readonly files: readonly UuencodedFile[];
} {
  if (!/^begin [0-7]/m.test(content.toString('latin1'))) return { text: content, files: [] };
  const files: UuencodedFile[] = [];
  const texts: Buffer[] = [];
  let open: { name: string; start: number } | undefined;
  let textStart = 0;
  for (const { start, end, line } of linesOf(content)) {
    if (open !== undefined) {
      const isEnd = END.test(line);
      if (isEnd) {
        texts.push(content.subarray(textStart, open.start));
        files.push({ name: open.name, content: content.subarray(open.start, end) });
        textStart = end;
      }
      if (!isEnd && isUuLine(line)) continue;
      open = undefined;
      if (isEnd) continue;
    }
    const name = BEGIN.exec(line)?.[1];
    if (name !== undefined) open = { name: name.trim(), start };
  }
  return { text: Buffer.concat([...texts, content.subarray(textStart)]), files };
}

/** The bytes of a uuencoded part. Returns the part unchanged if it contains no file. */
export function uudecoded(content: Buffer): Buffer {
  const decoded: Buffer[] = [];
  let isOpen = false;
  for (const { line } of linesOf(content)) {
    if (isOpen && END.test(line)) break;
    if (isOpen) decoded.push(uuLine(line));
    isOpen ||= line.startsWith('begin ');
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

function uuLine(line: string): Buffer {
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
