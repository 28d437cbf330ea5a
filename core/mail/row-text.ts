import { shortened } from '../text/shortened.ts';
import type { MailAddress } from './address.ts';
import { headerDate } from './date-header.ts';

/** The texts of a row in a list: each is one line, as a person would read it. */

/** Replaces each control character and line separator with a space. The length stays the same. */
export function controlsAsSpaces(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

/** A longer name could push the address out of sight. */
const NAME_CHARS = 200;

/**
 * `Ada <ada@example.org>`, or the part that exists. A name that could be mistaken for an address follows the address
 * and is marked as a name: `eve@evil.example (named "ceo@bank.example")`.
 */
export function displayAddress({ name: given, address }: MailAddress): string {
  const name = shortened(given, NAME_CHARS);
  if (name === '' || name.toLowerCase() === address.toLowerCase()) return controlsAsSpaces(address);
  if (address === '') return controlsAsSpaces(name);
  return controlsAsSpaces(
    /[@<>＠﹫＜＞]/u.test(name) ? `${address} (named ${JSON.stringify(name)})` : `${name} <${address}>`,
  );
}

export function displayAddresses(addresses: readonly MailAddress[]): string {
  return addresses.map(displayAddress).join(', ');
}

/** The first two lines of what a message says to a reader. */
export function headOf({ from, subject }: { readonly from: string; readonly subject: string }): string {
  return `${from}\n${subject}`;
}

/**
 * The date that a message claims.
 * @param dateHeader value of its Date header, undecoded; null if it has none
 * @returns ISO 8601 in whole seconds, with the offset of the header; INTERNALDATE with `+00:00` if it cannot be read
 */
export function dateOf(dateHeader: string | null, internalDate: Date): string {
  return (
    (dateHeader === null ? undefined : headerDate(dateHeader)) ??
    `${internalDate.toISOString().slice(0, 19)}+00:00`
  );
}
