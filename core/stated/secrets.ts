import type { Span } from '../text/span.ts';
import { CODE_NAME, IS, OPEN_CODE, SECRET_NAME } from './secret-names.ts';

/**
 * Finds text that reveals a password, a key or a one-time code. Pure. Every pattern reads a bounded number of characters
 * from each place where it can start, and expects the plain letters and single spaces of `plainText`.
 */

/** Keys of well-known services, and formats that only keys have. */
const KEYS = new RegExp(
  [
    '-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY',
    '\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b',
    '\\bgh[pousr]_[0-9A-Za-z]{30}',
    '\\bgithub_pat_\\w{22}',
    '\\bglpat-[\\w-]{20}',
    '\\bxox[abeprs]-[\\w-]{10}',
    '\\b[sr]k_(?:live|test)_[0-9A-Za-z]{16}',
    '\\bsk-[\\w-]{20}',
    '\\bAIza[\\w-]{35}',
    '\\bnpm_[0-9A-Za-z]{36}',
    '\\bSG\\.[\\w-]{16,32}\\.[\\w-]{16}',
    '\\bwhsec_[\\w+/-]{16}',
    '\\bsvc_pat_[0-9A-Za-z]{16}',
    // A JSON web token: the end of its first part and the start of its second.
    '[\\w-]{8}\\.eyJ[\\w-]{8}',
    // A password in a URL.
    '\\b[a-z][a-z0-9+.-]{1,20}://[^\\s/:@]{1,100}:[^\\s/@]{1,100}@',
  ].join('|'),
  'g',
);

/** A link that signs anyone in, or lets anyone set a password. */
const SECRET_PARAMETER =
  /[?&#/_-](?:token|code|key|secret|password|otp|ticket|sig|signature)[=/][\w.~%+-]{12}/i;

function* secretLinks(text: string): Generator<Span> {
  for (const { 0: word, index } of text.matchAll(/[^\s<>"]+/g)) {
    const at = word.search(/https?:\/\//i);
    if (at !== -1 && SECRET_PARAMETER.test(word.slice(at)))
      yield { from: index + at, to: index + word.length };
  }
}

/** The name of a secret, then its value: after a sign, if it ends the line or looks like a secret; or after a verb. */
const NAMED_SECRET = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${SECRET_NAME})(?![\\p{L}\\p{N}])["'*]{0,3}(?: (?:for|of|to|fur|von|zu|pour|de) [^\\n.:=]{1,40}?)?(?:` +
    `\\s{1,3}(?:[\\u2010-\\u2015\\u2192-]|->|=>)\\s{1,3}${mixed()}|` +
    `\\s{0,3}[:=]\\s{0,3}(?:${mixed()}|\\S{4,100}[ \\t]{0,3}(?:\\n|$))|\\s{1,3}${IS}\\s{1,3}[:"'“„«\`]{0,2}${mixed()})`,
  'giu',
);

/** Four or more characters, with a digit or a symbol that does not occur inside words. */
function mixed(): string {
  return '(?=\\S{4})(?=\\S{0,60}[0-9#$%^&*+=~])\\S';
}

const CODE = '(?:\\d{4,8}|\\d{3}[ -]\\d{3}|\\d(?: \\d){3,7}|[A-Z]-\\d{4,8})(?![\\d.,/-]?\\d)';
/** Allowed between a code and its name: other words or a line end, but no other number. */
const NEAR = '[^\\d]{0,40}';

const NAMED_CODE = new RegExp(
  [
    `(?<![\\p{L}\\p{N}])(?:${CODE_NAME})(?![\\p{L}\\p{N}])${NEAR}(?<!\\d)${CODE}`,
    `(?<![\\d.,/+-])${CODE}${NEAR}(?<![\\p{L}\\p{N}])(?:${CODE_NAME})(?![\\p{L}\\p{N}])`,
    `(?<!(?:${OPEN_CODE})[ -]?)(?<![\\p{L}\\p{N}])code\\s{0,3}(?:${IS}|[:=\\n])[:\\s"'*]{0,6}${CODE}`,
    '(?<![\\p{L}\\p{N}])(?:cvv2?|cvc2?|card verification|security code)(?![\\p{L}\\p{N}])[^\\d]{0,20}\\d{3,4}(?!\\d)',
  ].join('|'),
  'giu',
);
/** Short names that are ordinary words in lower case. */
const SHORT_NAMED_CODE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:PIN|TAN)(?![\\p{L}\\p{N}])[^\\d]{0,20}${CODE}`,
  'gu',
);

/** The parts of the text that reveal something. @param text  the result of `plainText` */
export function* secretsIn(text: string): Generator<Span> {
  yield* secretLinks(text);
  for (const pattern of [KEYS, NAMED_SECRET, NAMED_CODE, SHORT_NAMED_CODE]) {
    for (const { 0: found, index } of text.matchAll(pattern)) {
      // A pattern can end after the first character of the secret.
      const rest = /^\S{0,200}/.exec(text.slice(index + found.length, index + found.length + 200))?.[0] ?? '';
      yield { from: index, to: index + (found.endsWith('\n') ? found.trimEnd() : found + rest).length };
    }
  }
}
