/** Bank account and card numbers, told by their checksums where they have one. Pure. */

/** Characters of an IBAN by country. Source: SWIFT, IBAN registry (ISO 13616). */
const IBAN_CHARS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 ' +
    'YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** What people put between groups of digits. */
const GAP = '[\\s./_\\u2010-\\u2015-]{0,3}';

/** Every place where an IBAN may begin, with what follows; the country says how much of that belongs to it. */
const IBAN_LIKE = new RegExp(
  `(?:(?<![A-Za-z0-9])|(?<=\\b[Ii][Bb][Aa][Nn]))(?=([A-Za-z]{2}\\d{2}(?:${GAP}[A-Za-z0-9]){11,29}))`,
  'g',
);

function holdsIban(text: string): boolean {
  for (const [, found = ''] of text.matchAll(IBAN_LIKE)) {
    const compact = found.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
    const chars = IBAN_CHARS.get(compact.slice(0, 2));
    if (chars !== undefined && compact.length >= chars && isIban(compact.slice(0, chars))) return true;
  }
  return false;
}

/** ISO 7064 mod 97-10: the first four characters at the end, letters as 10 to 35, the remainder is 1. */
function isIban(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** First digits and lengths of card numbers in use. Source: ISO/IEC 7812 and the networks' published ranges. */
const CARD = new RegExp(
  `^(?:${[
    '4(?:\\d{15}|\\d{18})', // Visa
    '(?:5[1-5]\\d{2}|222[1-9]|22[3-9]\\d|2[3-6]\\d{2}|27[01]\\d|2720)\\d{12}', // Mastercard
    '3[47]\\d{13}', // American Express
    '(?:30[0-5]|3[689]\\d)\\d{11}', // Diners
    '(?:6011|64[4-9]\\d|65\\d{2})\\d{12}', // Discover
    '35(?:2[89]|[3-8]\\d)\\d{12}', // JCB
    '62\\d{14,17}', // UnionPay
    '(?:50\\d{2}|5[6-8]\\d{2}|6[37]\\d{2})\\d{12}', // Maestro, as long as it is issued today
  ].join('|')})$`,
);

/** Numbers below each other are a table. */
const GAP_IN_LINE = '[ ./_\\u2010-\\u2015-]{0,3}';

// Not the number of a telephone, which begins with a plus.
const CARD_LIKE = new RegExp(
  `(?<![\\d+]|\\d${GAP_IN_LINE})\\d(?:${GAP_IN_LINE}\\d){13,18}(?!${GAP_IN_LINE}\\d)`,
  'g',
);

function holdsCard(text: string): boolean {
  for (const [found] of text.matchAll(CARD_LIKE)) {
    const digits = found.replace(/\D/g, '');
    if (CARD.test(digits) && passesLuhn(digits)) return true;
  }
  return false;
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits.at(-1 - i));
    const doubled = i % 2 === 1 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Accounts without a checksum are told by what they are called. */
const NAMED_ACCOUNT =
  /(?<![\p{L}\p{N}])(?:bank account|account (?:number|no\.?|nr\.?)|acct\.?|routing (?:number|no\.?)|sort code|kontonummer|numéro de compte|número de cuenta)(?![\p{L}\p{N}])[^\d\n]{0,20}\d(?:[ -]?\d){5,16}(?!\d)/iu;

export function holdsAccountNumber(text: string): boolean {
  return holdsIban(text) || holdsCard(text) || NAMED_ACCOUNT.test(text);
}
