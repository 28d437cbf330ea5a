import { addressParser, decodeWords } from 'postal-mime';
import type { MailAddress } from '../ports/mail.ts';
import { oneLine } from './row-text.ts';

/** The text of an unstructured header: RFC 2047 words decoded, one line. */
export function headerText(value: string): string {
  return oneLine(windows1252In(value)(decodeWords(value)));
}

/** More than a thousand addresses: what lies behind is not read, since reading costs more than the length says. */
const MAX_ADDRESSES_CHARS = 64 * 1024;

/** Members of a group stand in its place; what names nobody is left out. */
export function headerAddresses(value: string): MailAddress[] {
  const repaired = windows1252In(value);
  return addressParser(value.slice(0, MAX_ADDRESSES_CHARS), { flatten: true })
    .map(({ name, address = '' }) => ({ name: oneLine(repaired(name)), address: oneLine(address) }))
    .filter(({ name, address }) => name !== '' || address !== '');
}

/** What has the form of a message id, and a length that another header can carry. */
export function headerMessageIds(value: string): string[] {
  return value.match(/<[!-;=?-~]{1,900}>/g) ?? [];
}

/** What bytes 0x80 to 0x9F are in windows-1252; five of them are nothing. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Node 20.18.3 and later, and some releases of 22 to 24, decode windows-1252 (so latin1 and us-ascii too) as if it
 * were ISO 8859-1: quotation marks, dashes and the euro sign come out as C1 controls. They are put back where the
 * header names a charset other than UTF-8, in which a C1 control is meant. github.com/nodejs/node/issues/56542
 */
function windows1252In(value: string): (decoded: string) => string {
  if (!/=\?(?!utf-?8)[^?\s]+\?[bq]\?/i.test(value)) return (decoded) => decoded;
  const character = (control: string) => WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80);
  return (decoded) => decoded.replace(/[\u0080-\u009f]/g, character);
}
