import { normalForm } from '../text/normal-form.ts';
import { percentDecoded } from '../text/percent-decoded.ts';
import type { Span } from '../text/span.ts';

/**
 * Finds the hosts of links and addresses in a text, as people write them: between signs, in quotation marks, behind a
 * colon. Pure. Reads no character more than a few times.
 */

/** Its place is that of the whole word. */
export interface WrittenHost extends Span {
  /** The host that a browser opens, in lower case. */
  readonly host: string;
  /** `link`: behind slashes. `address`: behind an `@`. `name`: by itself. */
  readonly kind: 'link' | 'address' | 'name';
  /** A different name that a reader takes for the host. Undefined: none. */
  readonly disguise: string | undefined;
}

type Found = Omit<WrittenHost, keyof Span>;

/** A word that has its only full stop at its end. */
const ENDS_SENTENCE = /^[^.%\u3002\uff61\uff0e\\/]+\.$/;
/** A dot before the end. */
const DOTTED = /[.%\u3002\uff61\uff0e](?!$)/;
const HAS_HOST = /[.%\u3002\uff61\uff0e]|https?:|[\\/]{2}/i;
/** An IPv6 address in a link. Brackets end every other word. */
const IPV6_LINK = /[\\/]{2}(?:[^\s\\/?#@[\]]{0,1000}@)?\[(?=[0-9a-f:.]{2,45}\])[^\]]+\]/giu;

export function* hostsIn(text: string): Generator<WrittenHost> {
  if (text.includes('[')) yield* ipv6Hosts(text);
  for (const { 0: word, index } of text.matchAll(/[^\s<>()[\]{}"“”„«»|]+/gu)) {
    if (!HAS_HOST.test(word) || ENDS_SENTENCE.test(word)) continue;
    const plain = normalForm(word, 'NFKC').replace(/\u3002/g, '.');
    for (const found of hostsOf(plain)) yield { ...found, from: index, to: index + word.length };
  }
}

function* ipv6Hosts(text: string): Generator<WrittenHost> {
  for (const { 0: link, index: from } of text.matchAll(IPV6_LINK)) {
    const host = canonicalAddress(link.slice(link.lastIndexOf('[')));
    if (host !== undefined) yield { host, kind: 'link', disguise: undefined, from, to: from + link.length };
  }
}

/** Browsers take any number of slashes behind `https:`, and none. */
const LINK = /https?:[\\/]*|(?<![\\/])[\\/]{2,}(?=[\p{L}\p{N}])/giu;

/**
 * The hosts of the links in a word, and the names outside the links. A link extends to the end of the word, or to the
 * next link.
 */
function* hostsOf(word: string): Generator<Found> {
  const links = [...word.matchAll(LINK)];
  const isDotted = DOTTED.test(word);
  let from = 0;
  for (const [n, { 0: start, index }] of links.entries()) {
    if (from < index) yield* namesIn(word.slice(from, index));
    const begin = index + start.length;
    const next = links[n + 1]?.index ?? word.length;
    const link = hostOfUrl(word.slice(begin, next));
    // A name without a dot is one of the reader's own network. It counts if the link may hide or lead to more.
    const isCertain = isDotted && /^https?:[\\/]{2}/i.test(start);
    if (link !== undefined && (isCertain || link.found.host.includes('.'))) yield link.found;
    from = link?.end === undefined ? next : begin + link.end;
  }
  if (from < word.length) yield* namesIn(word.slice(from));
}

/** Letters, digits and hyphens make a label. A name starts behind anything else. */
const NAME =
  /(?<![\p{L}\p{M}\p{N}]|[\p{L}\p{M}\p{N}-]\.)(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,62}\.){1,126}\p{L}[\p{L}\p{M}\p{N}-]{1,62}(?![\p{L}\p{M}\p{N}-])/gu;
/** Four numbers, and a path or a port behind them: without these, they are likelier a version. */
const IPV4 = /(?<![\p{L}\p{N}.-])(?:\d{1,3}\.){3}\d{1,3}(?=[/:][\p{L}\p{N}])/gu;
/** What stands between a name and the `@` of the address that starts with it. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}._%+-]{0,64}@/u;
const LOCAL_CHARS = 65;

function* namesIn(part: string): Generator<Found> {
  let isPath = false;
  for (const { 0: name, index } of part.matchAll(NAME)) {
    const end = index + name.length;
    if (LOCAL_PART.test(part.slice(end, end + LOCAL_CHARS))) continue;
    // Behind a slash stands the path of the name before it, or a name that nothing but words stand before.
    if (isPath && /[\\/]/.test(part[index - 1] ?? '')) continue;
    isPath = true;
    const kind = part[index - 1] === '@' ? 'address' : hasPath(name, part.slice(end)) ? 'link' : 'name';
    yield { host: name.replace(/-+$/u, '').toLowerCase(), kind, disguise: undefined };
  }
  for (const [host] of part.matchAll(IPV4)) yield { host, kind: 'link', disguise: undefined };
}

/** `claims.zip/login`: an ending of files that is one of domains, too, with a path. */
function hasPath(name: string, behind: string): boolean {
  return /\.(?:zip|mov|sh)$/i.test(name) && /^(?::\d{1,5})?\/[\p{L}\p{N}]/u.test(behind);
}

const HOST_CHARS = 253;

/**
 * Splits as the URL standard does, but ends the host at a character that no label has: people write on behind a link.
 * @param rest  after the slashes
 * @returns `end`: where the text goes on that does not belong to the link; undefined: all of it does
 */
function hostOfUrl(rest: string): { readonly found: Found; readonly end: number | undefined } | undefined {
  const authority = /^[^\\/?#]*/u.exec(rest)?.[0] ?? '';
  const at = authority.lastIndexOf('@') + 1;
  const encodedHost = authority.slice(at);
  const [label = ''] = /^[\p{L}\p{M}\p{N}._-]*/u.exec(percentDecoded(encodedHost)) ?? [];
  const host = label.replace(/^-+|[._-]+$/gu, '').toLowerCase();
  if (host === '' || host.length > HOST_CHARS) return undefined;
  const user = percentDecoded(authority.slice(0, Math.max(0, at - 1)));
  const isEncoded = encodedHost.includes('%');
  const behind = rest[at + label.length] ?? '/';
  return {
    found: {
      host: canonicalAddress(host) ?? host,
      kind: 'link',
      disguise: nameIn(user) ?? nameBehind(rest.slice(authority.length)) ?? encoded(encodedHost, host),
    },
    end: isEncoded || /[\\/?#:]/.test(behind) ? undefined : at + label.length,
  };
}

/** An IP address as browsers show it, of one that is written as a number, in hexadecimal, or in brackets. */
function canonicalAddress(host: string): string | undefined {
  if (
    !/^(?:\[[0-9a-f:.]+\]|(?:0x[0-9a-f]+|\d{5,})|(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){1,3})$/i.test(
      host,
    )
  )
    return undefined;
  const url = `http://${host}/`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
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
