import type { Span } from '../text/span.ts';

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

const SECRET_NAME = [
  'pass ?word|pass ?phrase|pass ?code|passwd|pwd|pw|login credentials',
  'secret|(?:api|access|secret|private|recovery|license)[ _-]?key|(?:api|access|auth|bearer|refresh)[ _-]?token',
  '(?:recovery|seed) phrase',
  'passwort|kennwort|mot de passe|contrasena|palavra-passe|senha|wachtwoord',
].join('|');
const IS = '(?:is|are|ist|lautet|est|es|e)';

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

const CODE_NAME = [
  '(?:one[- ]?time|verification|security|confirmation|authentication|log-?in|sign-?in|access|recovery|backup|two-factor|2fa|mfa)[- ](?:pass)?(?:code|word|pin)s?',
  '(?:bestatigungs|sicherheits|verifizierungs|einmal|anmelde|zugangs)-?(?:code|passwort|kennwort|pin)',
  'code de (?:verification|securite|confirmation)|codigo de (?:verificacion|seguridad|acceso|confirmacion)',
  'codice di (?:verifica|sicurezza|accesso)|verificatiecode|otp|passcode|2fa',
].join('|');
/** Codes that are not secret. */
const OPEN_CODE =
  'zip|postal|post|area|country|dial(?:l?ing)?|error|status|exit|response|discount|promo(?:tion)?|coupon|voucher|product|item|source|dress|building|tax|colou?r';
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

/** A number of four to eight digits, or a word with a digit in it, as codes and passwords are. */
const CODE_WORD =
  /(?<![\p{L}\p{N}])(?:\d{3}[ -]\d{3}|(?=[\p{L}#$%&*+=!?_-]{0,40}\d)[\p{L}\p{N}][\p{L}\p{N}#$%&*+=!?_-]{3,40})(?![\p{L}\p{N}])/gu;
const NAME_OF_SECRET = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${SECRET_NAME}|${CODE_NAME}|(?<!(?:${OPEN_CODE})[ -]?)code|pin)s?(?![\\p{L}\\p{N}])`,
  'giu',
);
/** Between a secret and its name. */
const NAMED_CHARS = 80;

/**
 * What can be a code or a password, each once and in one form, and those of them that stand beside the word for one.
 * @param text  the result of `plainText`
 */
export function codesIn(text: string): { readonly codes: string[]; readonly namedCodes: string[] } {
  const names = Array.from(text.matchAll(NAME_OF_SECRET), ({ index }) => index);
  const codes = new Set<string>();
  const namedCodes = new Set<string>();
  let next = 0;
  for (const { code, at } of codeWords(text)) {
    codes.add(code);
    while (names[next] !== undefined && (names[next] ?? 0) < at - NAMED_CHARS) next += 1;
    if ((names[next] ?? Number.POSITIVE_INFINITY) <= at + NAMED_CHARS) namedCodes.add(code);
  }
  return { codes: [...codes], namedCodes: [...namedCodes] };
}

function* codeWords(text: string): Generator<{ readonly code: string; readonly at: number }> {
  for (const { 0: word, index: at } of text.matchAll(CODE_WORD)) {
    const digits = word.replace(/[ -]/g, '');
    if (!/^\d+$/.test(digits)) yield { code: word.toLowerCase(), at };
    // A year or a date is not a code.
    else if (/^\d{4,8}$/.test(digits) && !/^(?:19|20)\d\d(?:-?\d\d-?\d\d)?$/.test(word))
      yield { code: digits, at };
  }
}
