import { Buffer } from 'node:buffer';

/** Decompresses RTF as Outlook stores it (MS-OXRTFCP). Pure. */

const COMPRESSED = 0x75465a4c;
const UNCOMPRESSED = 0x414c454d;
const HEADER_BYTES = 16;
const DICTIONARY_BYTES = 4096;

/** The text that every dictionary starts with. Source: MS-OXRTFCP 2.1.2.1. */
const FIRST_WORDS = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor ' +
    'MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par ' +
    '\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
);

/**
 * @param most the maximum number of bytes to return
 * @returns the readable part; undefined if it is not compressed RTF
 */
export function decompressedRtf(bytes: Buffer, most: number): Buffer | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const size = Math.min(bytes.readUInt32LE(4), most);
  const kind = bytes.readUInt32LE(8);
  const content = bytes.subarray(HEADER_BYTES);
  if (kind === UNCOMPRESSED) return content.subarray(0, size);
  return kind === COMPRESSED ? decompressed(content, size) : undefined;
}

/** Eight tokens follow each byte of flags. A token is a byte, or the place and length of earlier bytes. */
function decompressed(content: Buffer, size: number): Buffer {
  const dictionary = Buffer.alloc(DICTIONARY_BYTES, ' ');
  let end = FIRST_WORDS.copy(dictionary);
  // The stated size may be false. A token of two bytes gives at most 17.
  const out = Buffer.alloc(Math.min(size, 9 * content.length));
  let written = 0;
  const put = (byte: number) => {
    if (written < out.length) out[written++] = byte;
    dictionary[end] = byte;
    end = (end + 1) % DICTIONARY_BYTES;
  };
  let at = 0;
  while (at < content.length && written < out.length) {
    const flags = content.readUInt8(at++);
    for (let bit = 0; bit < 8 && at < content.length; bit++) {
      if ((flags & (1 << bit)) === 0) {
        put(content.readUInt8(at++));
        continue;
      }
      if (at + 2 > content.length) return out.subarray(0, written);
      const token = content.readUInt16BE(at);
      at += 2;
      const from = token >>> 4;
      // A reference to the place that is written next marks the end.
      if (from === end) return out.subarray(0, written);
      for (let n = 0; n < (token & 0xf) + 2; n++) put(dictionary[(from + n) % DICTIONARY_BYTES] ?? 0);
    }
  }
  return out.subarray(0, written);
}
