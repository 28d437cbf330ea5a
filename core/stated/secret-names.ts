import { plainText } from '../text/plain-text.ts';

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

const OTHER_PASSWORDS =
  'heslo hesla hasło hasła lösenord lösenordet adgangskode passord salasana пароль пароля jelszó jelszava lozinka geslo ' +
  'slaptažodis şifre şifreniz סיסמה पासवर्ड';
/** The words for a code or a password in languages that the patterns above leave out. */
export const OTHER_NAMES = alternatives(
  `codigo codice kod kodu kode koodi kood kodas код кода κωδικός κωδικό رمز קוד รหัส कोड clave parola puk pincode toegangscode freischaltcode geheimzahl (?:m|i|push|chip|sms)-?tan ${OTHER_PASSWORDS}`,
);
/** The words for a password alone. */
export const PASSWORD_NAME = `pass ?word|pass ?code|passwd|passwort|kennwort|mot de passe|contrasena|palavra-passe|senha|wachtwoord|${alternatives(OTHER_PASSWORDS)}`;
/** Scripts without spaces, where such a word is often a part of a longer one. */
export const UNSPACED_NAMES = alternatives(
  'パスワード 暗証番号 コード 验证码 驗證碼 校验码 密码 密碼 口令 인증번호 비밀번호 암호 인증코드',
);

/** As `plainText` writes them. */
function alternatives(words: string): string {
  return words.split(' ').map(plainText).join('|');
}
