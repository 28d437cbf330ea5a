import type { Protection } from '../mail/protection.ts';

/** In place of an encrypted text. */
export const ENCRYPTED = '[This message is encrypted. Its text cannot be read here.]';

const BEGIN = '-----BEGIN PGP MESSAGE-----';
const END = '-----END PGP MESSAGE-----';
const SIGNED = /^-----BEGIN PGP SIGNED MESSAGE-----$/m;

/** A line of OpenPGP's text form: a header, base64 or nothing (RFC 4880 6.2). */
const ARMOUR = /^(?:(?:Version|Comment|Hash|Charset|MessageID):.{0,200}|[A-Za-z0-9+/=]{0,100}\s*)$/;

/** Replaces what is encrypted inside a text (inline PGP). */
export function withoutCiphertext(text: string): { readonly text: string } & Protection {
  const isSigned = SIGNED.test(text);
  let shown = '';
  let from = 0;
  let isEncrypted = false;
  for (let at = text.indexOf(BEGIN), next: number; at !== -1; at = next) {
    const behind = at + BEGIN.length;
    next = text.indexOf(BEGIN, behind);
    // Up to the next beginning only, so that many of them take no longer.
    const block = text.slice(behind, next === -1 ? undefined : next);
    const end = block.indexOf(END);
    const startsLine = at === 0 || text[at - 1] === '\n';
    const lines = block.slice(0, Math.max(end, 0)).split('\n');
    if (end === -1 || !startsLine || !lines.every((line) => ARMOUR.test(line))) continue;
    isEncrypted = true;
    shown += text.slice(from, at) + ENCRYPTED;
    from = behind + end + END.length;
  }
  return { text: shown + text.slice(from), isEncrypted, isSigned };
}
