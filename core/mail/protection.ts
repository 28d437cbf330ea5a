/** Whether a message is encrypted or signed, as mail programs of the other side protect it. Pure. */
export interface Protection {
  /** Some of its text cannot be read here. */
  readonly isEncrypted: boolean;
  /** It carries a signature. Nobody has checked it. */
  readonly isSigned: boolean;
}

export const UNPROTECTED: Protection = { isEncrypted: false, isSigned: false };

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
  let end = -1;
  for (let at = text.indexOf(BEGIN); at !== -1; at = text.indexOf(BEGIN, from)) {
    if (end < at) end = text.indexOf(END, at);
    if (end === -1) break;
    const behind = at + BEGIN.length;
    const startsLine = at === 0 || text[at - 1] === '\n';
    const lines = text.slice(behind, end).split('\n');
    const isArmour = startsLine && lines.every((line) => ARMOUR.test(line));
    isEncrypted ||= isArmour;
    shown += text.slice(from, at) + (isArmour ? ENCRYPTED : BEGIN);
    from = isArmour ? end + END.length : behind;
  }
  return { text: shown + text.slice(from), isEncrypted, isSigned };
}
