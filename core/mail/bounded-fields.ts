import { Buffer } from 'node:buffer';

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const LINE_END = Buffer.from('\r\n');
/** White space before the colon, as some programs write it. */
const GAP_CHARS = 20;

/**
 * The fields of each name, cut to a length together, so that one long field does not empty those of other names.
 * Strangers decide how long they are: the rest is only searched for line ends.
 * @param header  without the body
 * @param names  in lower case
 * @param fieldBytes  of all with one name, with the name and the line ends
 */
export function boundedFields(
  header: Uint8Array,
  names: readonly string[],
  fieldBytes: number,
): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  const longest = names.reduce((most, name) => Math.max(most, name.length), 0);
  const parts: Buffer[] = [];
  const left = new Map(names.map((name) => [name, fieldBytes]));
  let current = '';
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf(LINE_FEED, at);
    const end = lineEnd === -1 ? bytes.length : lineEnd + 1;
    const isFolded = bytes[at] === SPACE || bytes[at] === TAB;
    if (!isFolded) {
      const colon = bytes.subarray(at, at + longest + GAP_CHARS).indexOf(COLON);
      current = bytes
        .toString('latin1', at, at + Math.max(colon, 0))
        .trimEnd()
        .toLowerCase();
      // The one before may have been cut.
      if ((left.get(current) ?? 0) > 0 && parts.at(-1)?.at(-1) !== LINE_FEED && parts.length > 0)
        parts.push(LINE_END);
    }
    const most = left.get(current) ?? 0;
    if (most > 0) {
      const part = bytes.subarray(at, Math.min(end, at + most));
      left.set(current, most - part.length);
      parts.push(part);
    }
    at = end;
  }
  return Buffer.concat(parts);
}
