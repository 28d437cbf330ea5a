import { Buffer } from 'node:buffer';
import iconv from 'iconv-lite';
import { EXTENDED } from '../mail/charset.ts';
import { labelledEncoding } from '../mail/charset-labels.ts';

/** Decodes bytes that come in pieces. */
interface PieceDecoder {
  write(bytes: Uint8Array): string;
  end(): string;
}

/** An XML declaration ends within these. */
const HEAD_BYTES = 256;

/**
 * Decodes an XML document that comes in pieces in its own charset: that of its byte order mark, else of the
 * Content-Type, else of its declaration (RFC 7303 3.2). UTF-8 if none of them names a charset that is known.
 */
export function xmlDecoder(contentType = ''): PieceDecoder {
  let decoder: PieceDecoder | undefined;
  let head: Buffer = Buffer.alloc(0);

  function begin(): string {
    const label = markedCharset(head) ?? CHARSET.exec(contentType)?.[1] ?? declaredCharset(head) ?? 'utf-8';
    decoder = decoderOf(label);
    return decoder.write(head);
  }

  return {
    write(bytes) {
      if (decoder !== undefined) return decoder.write(bytes);
      head = Buffer.concat([head, bytes]);
      return head.length < HEAD_BYTES ? '' : begin();
    },
    end() {
      const text = decoder === undefined ? begin() : '';
      return text + (decoder?.end() ?? '');
    },
  };
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;
const DECLARATION = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/;

function markedCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined;
}

function declaredCharset(bytes: Buffer): string | undefined {
  const label = DECLARATION.exec(bytes.toString('latin1', 0, HEAD_BYTES))?.[1];
  // .NET declares UTF-16 for any string. A declaration that is readable byte by byte is not in UTF-16.
  return label === undefined || encodingOf(label).startsWith('utf-16') ? undefined : label;
}

function decoderOf(label: string): PieceDecoder {
  const name = encodingOf(label);
  if (name === 'utf-8' || !iconv.encodingExists(name)) {
    const utf8 = new TextDecoder();
    return { write: (bytes) => utf8.decode(bytes, { stream: true }), end: () => utf8.decode() };
  }
  const decoder = iconv.getDecoder(name);
  return {
    write: ({ buffer, byteOffset, length }) => decoder.write(Buffer.from(buffer, byteOffset, length)),
    end: () => decoder.end() ?? '',
  };
}

/** What a label means (WHATWG Encoding): `ISO-8859-1` is windows-1252. UTF-8 if it is unknown. */
function encodingOf(label: string): string {
  const encoding = labelledEncoding(label) ?? 'utf-8';
  return EXTENDED.get(encoding) ?? encoding;
}
