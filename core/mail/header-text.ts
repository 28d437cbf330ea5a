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

/** Members of a group replace the group. Entries without an address are left out. */
export function headerAddresses(value: string): MailAddress[] {
  return addressParser(tidied(plainWords(value).slice(0, MAX_ADDRESSES_CHARS)), { flatten: true })
    .map(({ name, address = '' }) => ({ name: controlsAsSpaces(name), address: controlsAsSpaces(address) }))
    .filter(({ name, address }) => name !== '' || address !== '');
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
