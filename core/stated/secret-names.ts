import { plainText } from '../text/plain-text.ts';
import data from './secret-names.json' with { type: 'json' };

/** The words for passwords and codes, as parts of patterns that read the result of `plainText`. */

export const SECRET_NAME = [
  'pass ?word|pass ?phrase|pass ?code|passwd|pwd|pw|login credentials',
  'secret|(?:api|access|secret|private|recovery|license)[ _-]?key|(?:api|access|auth|bearer|refresh)[ _-]?token',
  '(?:recovery|seed) phrase',
  'passwort|kennwort|mot de passe|contrasena|palavra-passe|senha|wachtwoord',
].join('|');
export const IS = '(?:is|are|ist|lautet|est|es|e)';

export const CODE_NAME = [
  '(?:one[- ]?time|verification|security|confirmation|authentication|log-?in|sign-?in|access|recovery|backup|two-factor|2fa|mfa)[- ](?:pass)?(?:code|word|pin)s?',
  '(?:bestatigungs|sicherheits|verifizierungs|einmal|anmelde|zugangs)-?(?:code|passwort|kennwort|pin)',
  'code de (?:verification|securite|confirmation)|codigo de (?:verificacion|seguridad|acceso|confirmacion)',
  'codice di (?:verifica|sicurezza|accesso)|verificatiecode|otp|passcode|2fa|cvv2?|cvc2?',
].join('|');
/** Codes that are not secret. */
export const OPEN_CODE =
  'zip|postal|post|area|country|dial(?:l?ing)?|error|status|exit|response|discount|promo(?:tion)?|coupon|voucher|product|item|source|dress|building|tax|colou?r';

/** The words for a password, in languages that the patterns above leave out. */
const OTHER_PASSWORDS = alternatives(data.passwords);
/** The same for a code or a password. */
export const OTHER_NAMES = `${alternatives(data.codes)}|${OTHER_PASSWORDS}`;
/** The words for a password alone. */
export const PASSWORD_NAME = `pass ?word|pass ?code|passwd|passwort|kennwort|mot de passe|contrasena|palavra-passe|senha|wachtwoord|${OTHER_PASSWORDS}`;
/** Scripts without spaces, where such a word is often a part of a longer one. */
export const UNSPACED_NAMES = alternatives(data.unspaced);

/** As `plainText` writes them. */
function alternatives(words: readonly string[]): string {
  return words.map(plainText).join('|');
}
