import { decodedWords } from './header-words.ts';

/**
 * The ids in Message-ID, References and In-Reply-To (RFC 5322 3.6.4), with their angle brackets, as programs write them:
 * folded inside, without brackets, as encoded words, or among other words. White space inside an id does not count.
 */

const IN_BRACKETS = /<[^<>]{1,900}>/g;
const ID = /^<[!-;=?-~]{1,900}>$/;

/** @param value  of a Message-ID field @returns null if it has no id */
export function messageIdOf(value: string): string | null {
  return referenceIds(value)[0] ?? null;
}

/** @param value  of a References field @returns the ids that it lists, oldest first */
export function referenceIds(value: string): string[] {
  return idsIn(decoded(value));
}

/**
 * @param value  of an In-Reply-To field. Beside ids it may have words, such as `Message from Bob <bob@example.org> of
 *   "Tue, 4 Nov 2025" <1@example.org>`, and then an address too
 * @returns the ids that it lists. Among words, the one that stands at the start, otherwise the one at the end
 */
export function inReplyToIds(value: string): string[] {
  const text = decoded(value).replace(/\([^()]*\)/g, ' ');
  const ids = idsIn(text);
  const hasWords = /[^\s,;]/.test(text.replace(IN_BRACKETS, ''));
  if (ids.length < 2 || !hasWords) return ids;
  return text.trimStart().startsWith('<') ? ids.slice(0, 1) : ids.slice(-1);
}

/** Only as a whole: inside brackets, the form of a word is a part of an id. */
function decoded(value: string): string {
  return value.includes('=?') && !value.includes('<') ? decodedWords(value) : value;
}

function idsIn(text: string): string[] {
  const found = text.match(IN_BRACKETS) ?? bareIds(text);
  return found.map((id) => id.replace(/\s+/g, '')).filter((id) => ID.test(id));
}

/** None if there are other words: one with an at sign is an address then. */
function bareIds(text: string): string[] {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  return words.every(isBare) ? words.map((word) => `<${word}>`) : [];
}

function isBare(word: string): boolean {
  const at = word.indexOf('@');
  return at > 0 && at < word.length - 1;
}
