import { Buffer } from 'node:buffer';
import { parseHeaderValue } from 'nodemailer/lib/mime-funcs';
import { decodeText } from '../mail/charset.ts';
import type { HeaderField } from '../mail/header-fields.ts';
import { decodedWords } from '../mail/header-words.ts';

/** Header fields with parameters: Content-Type and Content-Disposition (RFC 2045 5.1, 2183, 2231). */

/** Names in lower case. Values may contain RFC 2047 words. */
export type Params = Readonly<Record<string, string>>;

/**
 * @param name  in lower case. If a header is repeated, the first one counts, so that every reader sees the same message
 * @returns `value`: in lower case; empty if there is no such field
 */
export function structuredField(
  headers: readonly HeaderField[],
  name: string,
): { value: string; params: Params } {
  const field = headers.find(({ key }) => key === name)?.value ?? '';
  const readable = extendedFirst(field);
  const { value, params } = parseHeaderValue(readable, { stripComments: true });
  return {
    value: String(value).toLowerCase(),
    params: { ...asWritten(field, params), ...fileNames(readable, params) },
  };
}

/** A boundary or a charset is never an RFC 2047 word, although the library turns RFC 2231 values into such words. */
function asWritten(field: string, params: Params): Params {
  if (!/;\s*(?:boundary|charset)\*/i.test(field)) return params;
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      name === 'boundary' || name === 'charset' ? decodedWords(value) : value,
    ]),
  );
}

const PLAIN_FILE_NAME = /"(?:[^"\\]|\\.)*"?|;\s*(?=(?:file)?name\s*=)/gis;

/** Of a file name in two forms, the one with a charset counts (RFC 6266 4.3). The library reads the other one. */
function extendedFirst(field: string): string {
  const isExtended = /;\s*(?:file)?name\*(?:0\*?)?\s*=/i.test(field);
  return isExtended
    ? field.replace(PLAIN_FILE_NAME, (found) => (found.startsWith('"') ? found : `${found}plain-`))
    : field;
}

/** The file names that programs do not write as they should: with brackets but no quotes, or encoded without a charset. */
function fileNames(field: string, params: Params): Params {
  const whole = field.includes('(') ? parseHeaderValue(field).params : params;
  return Object.fromEntries(
    ['filename', 'name'].flatMap((key) => {
      const [given, stripped] = [whole[key], params[key]];
      if (given === undefined || stripped === undefined) return [];
      const value = /\.\w{1,8}$/.test(given) ? given : stripped;
      const isEncoded = new RegExp(String.raw`;\s*${key}\*\s*=`, 'i').test(field);
      return [[key, isEncoded ? withoutPercent(value) : value]];
    }),
  );
}

/** The library decodes only values that name their charset. */
function withoutPercent(value: string): string {
  if (!/^[ -~]*%[0-9a-f]{2}[ -~]*$/i.test(value)) return value;
  const bytes = value.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decodeText(Buffer.from(bytes, 'latin1'));
}
