import { type Buffer, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

/**
 * Text of bytes in a charset as mail names it. Where that is missing, unknown, ASCII or ISO 8859-1 the bytes are
 * read as UTF-8 if they are that, else as windows-1252, which is what such labels mean (WHATWG Encoding).
 */
export function decodeText(bytes: Buffer, charset = ''): string {
  const decoder = decoderOf(charset);
  if (decoder?.encoding === 'utf-8') return bytes.toString('utf8');
  // Not to be left to Node: github.com/nodejs/node/issues/56542
  if (decoder !== undefined && decoder.encoding !== 'windows-1252') return decoder.decode(bytes);
  if (decoder === undefined && charset !== '' && iconv.encodingExists(charset))
    return iconv.decode(bytes, charset);
  return isUtf8(bytes) ? bytes.toString('utf8') : iconv.decode(bytes, 'windows-1252');
}

function decoderOf(charset: string): TextDecoder | undefined {
  if (charset === '') return undefined;
  try {
    return new TextDecoder(charset);
  } catch {
    // There is no other way to ask whether it knows the label.
    return undefined;
  }
}
