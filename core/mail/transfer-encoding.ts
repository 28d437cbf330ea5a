import { Buffer } from 'node:buffer';

/**
 * Encodes a text body so that no server on the way has a reason to change it: ASCII only, lines of at most
 * 76 characters, no trailing spaces, no line that starts with a dot or `From `.
 * The body ends in one newline, whether or not the text does.
 * @param text lines end in LF
 * @returns the shorter encoding; if they are equal, quoted-printable, which people can read
 */
export function encodeBody(text: string): { encoding: 'quoted-printable' | 'base64'; body: string } {
  const ended = text.endsWith('\n') ? text : `${text}\n`;
  const based = base64(ended);
  if (leastQuotedChars(ended) > based.length) return { encoding: 'base64', body: based };
  const quoted = quotedPrintable(ended);
  return quoted.length <= based.length
    ? { encoding: 'quoted-printable', body: quoted }
    : { encoding: 'base64', body: based };
}

/** Quoted-printable takes three characters for a byte beyond ASCII, and at least one for any other. */
function leastQuotedChars(text: string): number {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.reduce((chars, byte) => chars + (byte < 0x80 ? 1 : 3), 0);
}

const LINE_CHARS = 76;

/** RFC 2045 6.7. Never splits a character of several bytes. */
function quotedPrintable(text: string): string {
  return text.split('\n').map(quoteLine).join('\r\n');
}

function quoteLine(line: string): string {
  const lines: string[] = [];
  let current = '';
  let at = 0;
  for (const char of line) {
    const last = at + char.length === line.length;
    const startsLine = current === '' || current.length === LINE_CHARS - 1;
    const mangled = startsLine && (char === '.' || line.startsWith('From ', at));
    const literal = /^[\t -<>-~]$/.test(char) && !mangled && !(last && /[\t ]/.test(char));
    const piece = literal ? char : escapeBytes(char);
    // Leaves one column for the `=` of a soft line break.
    if (current.length + piece.length > LINE_CHARS - 1) {
      lines.push(`${current}=`);
      current = '';
    }
    current += piece;
    at += char.length;
  }
  return [...lines, current].join('\r\n');
}

function escapeBytes(char: string): string {
  return Array.from(
    Buffer.from(char, 'utf8'),
    (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

function base64(text: string): string {
  const lines =
    Buffer.from(text.replaceAll('\n', '\r\n'), 'utf8')
      .toString('base64')
      .match(/.{1,76}/g) ?? [];
  return lines.map((line) => `${line}\r\n`).join('');
}
