import { Buffer } from 'node:buffer';

/** Half of a character, which UTF-8 cannot express. */
const HAS_LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * A copy of a text that may be cut out of a larger one. V8 keeps the larger one as long as the part, so what is kept for
 * later must be a copy.
 */
export function ownCopy(text: string): string {
  const encoding = HAS_LONE_SURROGATE.test(text) ? 'utf16le' : 'utf8';
  return Buffer.from(text, encoding).toString(encoding);
}
