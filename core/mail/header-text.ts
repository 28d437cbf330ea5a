import { addressParser } from 'postal-mime';
import type { MailAddress } from './address.ts';
import { decodedWords, plainWords } from './header-words.ts';
import { controlsAsSpaces } from './row-text.ts';

/** The text of an unstructured header: RFC 2047 words decoded, on one line. */
export function headerText(value: string): string {
  return controlsAsSpaces(decodedWords(value));
}

/** More than a thousand addresses. The rest is not read, because the cost grows faster than the length. */
const MAX_ADDRESSES_CHARS = 64 * 1024;

/**
 * Members of a group replace the group. An entry without an address is a name, and belongs to the next one if that has a name
 * too: `Kuhl, Hans <hans@example.org>` is one person. Entries with neither are left out.
 */
export function headerAddresses(value: string): MailAddress[] {
  const list = tidied(bracketed(plainWords(value).slice(0, MAX_ADDRESSES_CHARS)));
  const found: MailAddress[] = [];
  let names: MailAddress[] = [];
  for (const one of addressParser(list, { flatten: true })) {
    const entry = {
      name: controlsAsSpaces(one.name),
      address: bareAddress(controlsAsSpaces(one.address ?? '')),
    };
    if (entry.address === '') {
      if (entry.name !== '') names.push(entry);
      continue;
    }
    if (entry.name === '') {
      for (const name of names) found.push(name);
      found.push(entry);
    } else found.push({ ...entry, name: [...names, entry].map(({ name }) => name).join(', ') });
    names = [];
  }
  return [...found, ...names];
}

/** The parser takes the quotes from a local part outside angle brackets. */
function bracketed(list: string): string {
  return list.replace(/(^|[,;:])(\s*)("(?:[^"\\]|\\.)*"@[^\s,;<>()"]+)(?=\s*(?:[,;]|$))/g, '$1$2<$3>');
}

/** Without what programs put around an address: a route (RFC 5322 4.4), `mailto:`, apostrophes, spaces, a final dot. */
function bareAddress(written: string): string {
  const address = written
    .trim()
    .replace(/^@[^:]*:(?=.*@)/s, '')
    .replace(/^mailto:([^?]*).*$/is, '$1')
    .replace(/^'(.*@.*)'$/s, '$1');
  if (!address.includes('@')) return address;
  const unspaced = address.startsWith('"')
    ? address
    : address.replace(/ +/g, ' ').replace(/ ?([@.]) ?/g, '$1');
  return unspaced.replace(/\.$/, '');
}

/**
 * A list of addresses without the RFC 5322 syntax that parsers get wrong: comments inside an address or inside
 * another comment. Unbalanced brackets are left out.
 */
function tidied(list: string): string {
  return tidiedWith(list, true) ?? tidiedWith(list, false) ?? list;
}

/** @returns undefined if a comment is not closed */
function tidiedWith(list: string, hasComments: boolean): string | undefined {
  let tidy = '';
  let depth = 0;
  let isQuoted = false;
  let isInAngle = false;
  let angle = 0;
  for (let at = 0; at < list.length; at++) {
    const one = list.charAt(at);
    const isCommented = depth > 0;
    if (one === '\\') {
      if (!isCommented || !isInAngle) tidy += one + list.charAt(at + 1);
      at++;
    } else if (isQuoted || (one === '"' && !isCommented)) {
      if (one === '"') isQuoted = !isQuoted;
      tidy += one;
    } else if (one === '(' || one === ')') {
      if (!hasComments) continue;
      const isOuter = one === '(' ? depth++ === 0 : depth > 0 && --depth === 0;
      if (isOuter && !isInAngle) tidy += one;
    } else if (isCommented) {
      if (!isInAngle) tidy += one;
    } else if (one === '<' || one === '>') {
      if (one === '<' && !isInAngle) angle = tidy.length;
      if (isInAngle === (one === '>')) tidy += one;
      isInAngle = one === '<';
    } else {
      // A route, `<@a,@b:c@d>`, is the only address with a comma.
      if (isInAngle && /[,;]/.test(one) && tidy.charAt(angle + 1) !== '@') {
        tidy += '>';
        isInAngle = false;
      }
      tidy += one;
    }
  }
  return depth > 0 ? undefined : tidy;
}
