import { percentDecoded } from '../text/percent-decoded.ts';
import type { Span } from '../text/span.ts';

/** Finds the hosts of links and addresses in a text. Pure. Reads no character more than a few times. */

export interface WrittenHost extends Span {
  /** The host that a browser opens, in lower case. */
  readonly host: string;
  /** A different name that a reader takes for the host. Undefined: none. */
  readonly disguise: string | undefined;
}

/** A longer word is not a link that a person reads. */
const WORD_CHARS = 2000;
const HOST_CHARS = 253;

export function* hostsIn(text: string): Generator<WrittenHost> {
  for (const { 0: word, index } of text.matchAll(/[^\s<>()[\]{}"“”„«»|]+/gu)) {
    if (word.length > WORD_CHARS || !/[.%\u3002\uff61\uff0e]/.test(word)) continue;
    const read = hostOf(word.normalize('NFKC').replace(/\u3002/g, '.'));
    if (read !== undefined) yield { ...read, from: index, to: index + word.length };
  }
}

function hostOf(word: string): Omit<WrittenHost, keyof Span> | undefined {
  const start = /https?:[\\/]{2}/iu.exec(word);
  if (start !== null) return hostOfUrl(word.slice(start.index + start[0].length));
  const name = /(?:^|@)((?:[\p{L}\p{N}-]{1,63}\.){1,20}\p{L}[\p{L}\p{N}-]{1,62})(?=[/:?#.,;!']|$)/iu.exec(
    word,
  )?.[1];
  return name === undefined ? undefined : { host: name.toLowerCase(), disguise: undefined };
}

/** Splits as the URL standard does. @param rest  after the slashes */
function hostOfUrl(rest: string): Omit<WrittenHost, keyof Span> | undefined {
  const authority = /^[^\\/?#]*/u.exec(rest)?.[0] ?? '';
  const at = authority.lastIndexOf('@');
  const written = authority
    .slice(at + 1)
    .replace(/:\d*$/u, '')
    .replace(/[.,;:!']+$/u, '');
  const host = percentDecoded(written).toLowerCase();
  if (host === '' || host.length > HOST_CHARS) return undefined;
  const user = percentDecoded(authority.slice(0, Math.max(0, at)));
  return {
    host,
    disguise: nameIn(user) ?? nameBehind(rest.slice(authority.length)) ?? encoded(written, host),
  };
}

/** `https://bank.example@evil.example/` */
function nameIn(user: string): string | undefined {
  const name = user.split(':')[0] ?? '';
  return name.includes('.') ? name : undefined;
}

/** `https://evil.example\@bank.example/`: browsers read a backslash as a slash. */
function nameBehind(rest: string): string | undefined {
  return /^\\[^/?#]{0,100}?@([^\\/?#]+)/u.exec(rest)?.[1];
}

/** `https://bank%2eexample.evil.example/` */
function encoded(written: string, host: string): string | undefined {
  return written.includes('%') ? host.split('.').slice(0, 2).join('.') : undefined;
}
