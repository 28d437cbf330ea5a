import { Buffer } from 'node:buffer';

/** Files as other programs encode them in mail. */

export function uuencoded(name: string, bytes: Buffer): string {
  const character = (value: number) => (value === 0 ? '`' : String.fromCharCode(0x20 + value));
  const lines = [`begin 644 ${name}`];
  for (let at = 0; at < bytes.length; at += 45) {
    const line = bytes.subarray(at, at + 45);
    let text = character(line.length);
    for (let from = 0; from < line.length; from += 3) {
      const [a = 0, b = 0, c = 0] = line.subarray(from, from + 3);
      text += [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63].map(character).join('');
    }
    lines.push(text);
  }
  return [...lines, '`', 'end', ''].join('\r\n');
}

interface Tnef {
  readonly files: readonly { readonly title: string; readonly longName?: string; readonly content: Buffer }[];
  readonly body?: string;
  readonly html?: string;
  /** As Outlook stores it: see `compressedRtf`. */
  readonly rtf?: Buffer;
}

/** MS-OXTNEF. */
export function tnefOf({ files, body, html, rtf }: Tnef): Buffer {
  const message = [attribute(1, 0x00069007, u32(1252, 0))];
  if (body !== undefined) message.push(attribute(1, 0x0002800c, Buffer.from(`${body}\0`, 'latin1')));
  if (html !== undefined)
    message.push(attribute(1, 0x00069003, properties([[0x10130102, Buffer.from(html, 'latin1')]])));
  if (rtf !== undefined) message.push(attribute(1, 0x00069003, properties([[0x10090102, rtf]])));
  const attached = files.flatMap(({ title, longName, content }) => [
    attribute(2, 0x00069002, Buffer.alloc(14)),
    attribute(2, 0x00018010, Buffer.from(`${title}\0`)),
    attribute(2, 0x0006800f, content),
    ...(longName === undefined
      ? []
      : [attribute(2, 0x00069005, properties([[0x3707001f, Buffer.from(`${longName}\0`, 'utf16le')]]))]),
  ]);
  return Buffer.concat([u32(0x223e9f78), Buffer.from([1, 0]), ...message, ...attached]);
}

const RTF_START =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor ' +
  'MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par ' +
  '\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

/** MS-OXRTFCP: each token is a byte, or refers to the longest text that has just been written. */
export function compressedRtf(rtf: string): Buffer {
  const all = RTF_START + rtf;
  const tokens: (readonly number[])[] = [];
  let at = RTF_START.length;
  while (at < all.length) {
    let length = Math.min(17, all.length - at);
    // A reference must not reach what it writes itself in this simple writer.
    while (length >= 2 && all.lastIndexOf(all.slice(at, at + length), at - length) < Math.max(0, at - 4000))
      length--;
    if (length < 2) {
      tokens.push([all.charCodeAt(at)]);
      at += 1;
    } else {
      const from = all.lastIndexOf(all.slice(at, at + length), at - length) % 4096;
      tokens.push([from >> 4, ((from & 0xf) << 4) | (length - 2)]);
      at += length;
    }
  }
  const end = at % 4096;
  tokens.push([end >> 4, (end & 0xf) << 4]);
  const content: number[] = [];
  for (let first = 0; first < tokens.length; first += 8) {
    const eight = tokens.slice(first, first + 8);
    content.push(eight.reduce((flags, token, bit) => flags | (token.length === 2 ? 1 << bit : 0), 0));
    content.push(...eight.flat());
  }
  const body = Buffer.from(content);
  return Buffer.concat([u32(body.length + 12, rtf.length, 0x75465a4c, 0), body]);
}

/** RTF that is not compressed (MS-OXRTFCP 2.1.3.1). */
export function storedRtf(rtf: string): Buffer {
  return Buffer.concat([u32(rtf.length + 12, rtf.length, 0x414c454d, 0), Buffer.from(rtf, 'latin1')]);
}

function attribute(level: number, id: number, data: Buffer): Buffer {
  const sum = data.reduce((total, byte) => (total + byte) & 0xffff, 0);
  return Buffer.concat([
    Buffer.from([level]),
    u32(id, data.length),
    data,
    Buffer.from([sum & 0xff, sum >> 8]),
  ]);
}

/** Each with its tag and one value, after a number and a named property. */
function properties(given: readonly (readonly [tag: number, value: Buffer])[]): Buffer {
  const named = [u32(0x80010003), Buffer.alloc(16), u32(0, 7), u32(42)];
  const pieces = given.map(([tag, value]) =>
    Buffer.concat([u32(tag, 1, value.length), value, Buffer.alloc((4 - (value.length % 4)) % 4)]),
  );
  return Buffer.concat([u32(given.length + 2), u32(0x0e070003, 9), ...named, ...pieces]);
}

function u32(...values: readonly number[]): Buffer {
  return Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(value >>> 0);
      return bytes;
    }),
  );
}
