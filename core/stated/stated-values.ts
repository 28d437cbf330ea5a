import { statedAddress, statedHost } from '../provenance/stated-form.ts';
import type { StatedValues, TextToRead } from '../provenance/stated-text.ts';
import { isAscii, normalForm } from '../text/normal-form.ts';
import { plainText } from '../text/plain-text.ts';
import { accountNumbersIn } from './account-numbers.ts';
import { amountsIn } from './answered-values.ts';
import { namedCodesIn, possibleCodesIn, possiblePasswordsIn } from './codes.ts';
import { hostsIn } from './hosts.ts';
import { isFileName } from './links.ts';

/**
 * Finds the addresses, hosts, account numbers and amounts that a text states, each in one form however it is written:
 * with "at" and "dot" as words, percent-encoded, split over lines, in full-width letters or as `xn--`. Pure. Reads no
 * character more than a few times.
 */

/** More amounts and mailboxes per text are left out. There is no limit for the rest: a stranger could reach it first. */
const OTHERS_MAX = 200;

export function statedValues(text: string, codes: TextToRead['codes'] = 'named'): StatedValues {
  const bare = bareText(text);
  const decoded = decodedText(bare);
  const forms = formsOf(decoded);
  const hasNumbers = /\p{N}/u.test(bare);
  const plain = plainText(bare);
  // In what an agent writes, words such as "point" mostly are words.
  const ofHosts = codes === 'named' ? [decoded, forms.joined, forms.dotted] : [decoded];
  return {
    addresses: addressesOf(forms),
    hosts: eachOnce(eachOnce(ofHosts).flatMap(hostNamesIn)),
    accountNumbers: hasNumbers ? eachOnce(accountsIn(plain)) : [],
    amounts: hasNumbers ? eachOnce(amountsOf(bare).slice(0, OTHERS_MAX)) : [],
    codes: eachOnce(codesIn(plain, codes)),
    mailboxes: mailboxesIn(decoded),
  };
}

/** The addresses alone, in the form of `StatedValues`. */
export function statedAddresses(text: string): string[] {
  return addressesOf(formsOf(decodedText(bareText(text))));
}

/** Links in agents' and strangers' texts, with the places where they stand. */
export function* linksIn(text: string): Generator<{ host: string; from: number; to: number }> {
  for (const { host, kind, from, to } of hostsIn(text)) {
    const isLink = kind === 'link' || (kind === 'name' && !isFileName(host));
    if (isLink) yield { host: statedHost(host), from, to };
  }
}

function codesIn(plain: string, wanted: TextToRead['codes']): string[] {
  const named = namedCodesIn(plain);
  if (wanted === 'named') return named;
  return [...named, ...possibleCodesIn(plain), ...(wanted === 'words' ? possiblePasswordsIn(plain) : [])];
}

function bareText(text: string): string {
  return isAscii(text) ? text : normalForm(text.replace(/\p{Cf}/gu, ''), 'NFKC');
}

function eachOnce(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** More layers of percent encoding are left. */
const ENCODED_MAX = 3;

function decodedText(text: string): string {
  let decoded = text.replace(
    CHARACTER_REFERENCE,
    (_, decimal: string | undefined, hex: string | undefined, name) =>
      decimal === undefined && hex === undefined
        ? (NAMED_SIGNS.get(String(name).toLowerCase()) ?? '')
        : characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)),
  );
  for (let layer = 0; layer < ENCODED_MAX && decoded.includes('%'); layer += 1)
    decoded = decoded.replace(/(?:%[0-9a-f]{2})+/giu, percentDecoded);
  return decoded
    .replace(/\bh[tx]{2}p(s?):/giu, 'http$1:')
    .replace(/\s?[([{]\s?(?:\.|dot|punkt|punto|ponto|point|punt|kropka)\s?[)\]}]\s?/giu, '.')
    .replace(/\s?[([{]\s?(?:@|at|ät|arroba|chiocciola|arobase|a)\s?[)\]}]\s?/giu, '@');
}

/** The signs of addresses and links. Source: HTML, "Named character references". */
const NAMED_SIGNS: ReadonlyMap<string, string> = new Map([
  ['period', '.'],
  ['commat', '@'],
  ['colon', ':'],
  ['sol', '/'],
]);
const CHARACTER_REFERENCE = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(period|commat|colon|sol));/giu;

function characterOf(codePoint: number): string {
  return codePoint < 0x110000 ? String.fromCodePoint(codePoint) : '';
}

function percentDecoded(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    // Not UTF-8: the bytes stay as they are.
    return run;
  }
}

/** `identity.papers\n@safekeeping\n.example` in one piece. */
function rejoined(text: string): string {
  return text.replace(/\s{0,9}@\s{0,9}/gu, '@').replace(/\s{1,9}\.(?=[\p{L}\d])/gu, '.');
}

const SPOKEN_DOT = /\s(?:dot|punkt|punto|ponto|point|kropka)\s/giu;

/** A decoded text as others may read it. */
interface Forms {
  readonly decoded: string;
  /** With what lines or blanks tear apart in one piece. */
  readonly joined: string;
  /** With the dots of `look at helpdesk dot example`. */
  readonly dotted: string;
  /** With the sign of `collect at helpdesk dot example`, too. */
  readonly spoken: string;
}

function formsOf(decoded: string): Forms {
  const dotted = decoded.replace(SPOKEN_DOT, '.');
  const spoken =
    dotted === decoded ? decoded : dotted.replace(/\s(?:at|ät|arroba|chiocciola|arobase)\s/giu, '@');
  return { decoded, joined: rejoined(decoded), dotted, spoken };
}

function addressesOf({ decoded, joined, spoken }: Forms): string[] {
  return eachOnce(eachOnce([decoded, joined, spoken]).flatMap(addressesIn));
}

const LOCAL_CHARS = 64;
const DOMAIN = /^(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,10}[\p{L}\p{M}\p{N}-]{2,63}/u;
const DOMAIN_CHARS = 253;

function addressesIn(text: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const domain = DOMAIN.exec(text.slice(at + 1, at + 1 + DOMAIN_CHARS))?.[0];
    if (domain === undefined) continue;
    const before = text.slice(Math.max(0, at - LOCAL_CHARS), at);
    // `?to=transfer+auth@…`: an address may contain `=` and `?`, but a link is likelier.
    const [local = ''] = /[^\s<>()[\]\\,;:"@]*$/u.exec(before) ?? [];
    const [plain = ''] = /[\p{L}\p{M}\p{N}._+-]*$/u.exec(local) ?? [];
    for (const one of new Set([local, plain])) if (one !== '') found.push(statedAddress(`${one}@${domain}`));
  }
  return found;
}

function hostNamesIn(text: string): string[] {
  return Array.from(linksIn(text), ({ host }) => host);
}

/** An IBAN or card number without separators. Of a number that words announce, its digits. */
function accountsIn(plain: string): string[] {
  return Array.from(accountNumbersIn(plain), ({ from, to }) => {
    const characters = plain
      .slice(from, to)
      .replace(/[^\p{L}\p{N}]/gu, '')
      .toUpperCase();
    return /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(characters) ? characters : characters.replace(/\D/g, '');
  });
}

function amountsOf(text: string): string[] {
  return [...amountsIn(text)].flatMap(([currency, amounts]) =>
    amounts.flatMap(({ readings }) => readings.map((reading) => `${currency} ${reading}`)),
  );
}

function mailboxesIn(text: string): string[] {
  const found = new Set<string>();
  const words = text.matchAll(
    /(?<=["'“„«‘])[\p{L}\p{N}._+-]{3,64}(?=["'”“»’])|[\p{L}\p{N}]{1,32}(?:[._+-][\p{L}\p{N}]{1,32}){1,4}/gu,
  );
  for (const { 0: word, index } of words) {
    const isQuoted = /["'“„«‘]/u.test(text.charAt(index - 1));
    if (isQuoted || /\p{L}/u.test(word)) found.add(word.toLowerCase());
    if (found.size === OTHERS_MAX) break;
  }
  return [...found];
}
