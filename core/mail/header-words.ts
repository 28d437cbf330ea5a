import { Buffer } from 'node:buffer';
import { decodeText } from './charset.ts';

/** Words of a header in other charsets: RFC 2047 with the languages of RFC 2231. Pure, and linear in the header. */

const WORD = String.raw`=\?[^?\s*]{1,60}(?:\*[^?\s]{0,60})?\?[bq]\?[^?]*\?=`;
/** Words separated only by white space are decoded together: a letter may be split between two. */
const WORDS = new RegExp(`${WORD}(?:\\s*${WORD})*`, 'gi');
const EACH = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=/gi;

export function decodedWords(value: string): string {
  return value.replace(WORDS, decodedRun);
}

/** The same header with its words in UTF-8 and base64, which every parser reads in the same way. */
export function plainWords(value: string): string {
  return value.replace(WORDS, (run) => `=?utf-8?B?${Buffer.from(decodedRun(run)).toString('base64')}?=`);
}

function decodedRun(run: string): string {
  let text = '';
  let charset = '';
  let bytes: Buffer[] = [];
  const flush = () => {
    if (bytes.length > 0) text += decodeText(Buffer.concat(bytes), charset);
    bytes = [];
  };
  for (const [, named = '', encoding = '', encoded = ''] of run.matchAll(EACH)) {
    if (named.toLowerCase() !== charset) flush();
    charset = named.toLowerCase();
    if (encoding.toLowerCase() === 'b') {
      bytes.push(Buffer.from(encoded, 'base64'));
      continue;
    }
    // Unencoded non-ASCII text is already in its charset.
    for (const [piece] of encoded.matchAll(/[\0-\x7f]+|[^\0-\x7f]+/g)) {
      if (/^[\0-\x7f]/.test(piece)) bytes.push(unquoted(piece));
      else {
        flush();
        text += piece;
      }
    }
  }
  flush();
  return text;
}

function unquoted(text: string): Buffer {
  const decoded = text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(decoded, 'latin1');
}
