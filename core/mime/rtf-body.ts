import { Buffer } from 'node:buffer';
import { decompressedRtf } from './compressed-rtf.ts';
import { readRtf } from './rtf.ts';

/**
 * The limit of the RTF, and of the HTML or text that is read from it. Nine bytes of RTF may come out of one, and RTF is
 * about twice as long as the HTML that it was made from.
 */
const MAX_BYTES = 2 * 1024 * 1024;

/** The body that Outlook shows for a message's RTF: the HTML that it was made from (MS-OXRTFEX), or else its text. */
export interface RtfBody {
  readonly type: 'text/html' | 'text/plain';
  /** UTF-8. */
  readonly content: Buffer;
  /** False if the rest is too large to read. */
  readonly complete: boolean;
}

/** @returns undefined if it is not compressed RTF, or contains nothing */
export function rtfBody(compressed: Buffer): RtfBody | undefined {
  const rtf = decompressedRtf(compressed, MAX_BYTES);
  if (rtf === undefined) return undefined;
  const isHtml = FROM_HTML.test(rtf.toString('latin1', 0, HEAD_BYTES));
  let text = '';
  let isSpaced = false;
  const isRead = readRtf(
    rtf,
    {
      get full() {
        return text.length >= MAX_BYTES;
      },
      write(piece) {
        text += isSpaced && !/^\s/.test(piece) ? ` ${piece}` : piece;
        isSpaced = false;
      },
      space() {
        isSpaced = true;
      },
      // Hidden text of a message is left out without a note, as in HTML.
      leftOutHidden: () => undefined,
    },
    isHtml ? 'html' : 'text',
  );
  const complete = isRead && rtf.length < MAX_BYTES && text.length < MAX_BYTES;
  if (text.trim() === '' && complete) return undefined;
  return { type: isHtml ? 'text/html' : 'text/plain', content: Buffer.from(text.trim()), complete };
}

const HEAD_BYTES = 4096;
const FROM_HTML = /\\fromhtml1?(?![0-9a-z])/;
