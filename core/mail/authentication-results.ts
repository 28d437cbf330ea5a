import { asciiDomain } from './ascii-domain.ts';
import type { HeaderField } from './header-fields.ts';

/**
 * What the receiving server found out about the sender of a message: Authentication-Results (RFC 8601). Strangers can write
 * the field too, but only below the Received with which the server took the message from outside: that stands above everything
 * that the server was sent.
 */

/** `none`: nothing is proven, and nothing is disproven. It is never better than `fail` for the sender. */
export type Authentication = 'pass' | 'fail' | 'none';

const FIELDS_MAX = 10;
const FIELD_CHARS = 4096;

/**
 * Authentication-Results above the topmost Received, undecoded. None if the message has no Received, or not exactly one From:
 * programs differ in which of several they check. A Received of LMTP does not count: with that, a server hands the message to
 * its own mailboxes.
 */
export function receiverResults(fields: readonly HeaderField[]): readonly string[] {
  const received = fields.findIndex(({ key, value }) => key === 'received' && !isHandedOver(value));
  if (received === -1 || fields.filter(({ key }) => key === 'from').length !== 1) return [];
  return fields
    .slice(0, received)
    .flatMap(({ key, value }) => (key === 'authentication-results' ? [value] : []))
    .filter((value) => value.length <= FIELD_CHARS)
    .slice(0, FIELDS_MAX);
}

/** Whether a Received is of LMTP (RFC 3848). The comments of others can have words of a stranger in them. */
function isHandedOver(received: string): boolean {
  if (/["\\]/.test(received)) return false;
  const clauses = received.replace(/\([^()]*\)/g, ' ');
  return !/[()]/.test(clauses) && /[ \t]with[ \t]+(?:UTF8)?LMTPS?A?[ \t;]/i.test(clauses);
}

/**
 * Whether the From of a message is proven: by DMARC, or by a signature or an envelope of the same domain.
 * @param sender  the address in its From. Empty: there is none, or there are several
 * @param results  as `receiverResults` returns them
 * @param authservId  the name of the account's own server, as the owner confirmed it. Null: nothing is believed
 */
export function authenticationOf(
  sender: string,
  results: readonly string[],
  authservId: string | null,
): Authentication {
  const domain = domainIn(sender);
  if (authservId === null || domain === undefined) return 'none';
  const own = results.flatMap((result) => {
    const read = parsed(result);
    return read?.authservId === authservId.toLowerCase() ? read.methods : [];
  });
  const dmarc = own.filter(({ method }) => method === 'dmarc');
  if (dmarc.some(({ result }) => result === 'fail')) return 'fail';
  const about = own.filter((one) => isAbout(one, domain));
  if (about.some(({ result, method }) => result === 'pass' && (method !== 'dmarc' || dmarc.length === 1)))
    return 'pass';
  return about.some(({ result }) => result === 'fail') ? 'fail' : 'none';
}

/** A message, as far as its receiving server vouches for its sender. */
export interface ReceivedMessage {
  /** As a row shows it. */
  readonly from: string;
  readonly results: readonly string[];
}

/** How many messages show who writes results in a mailbox. */
export const SAMPLE = 50;
const SHARE = 0.95;
const DOMAINS_MIN = 10;

/**
 * The name under which the account's own server writes results. Undefined if nobody does so in nearly every message, or the
 * messages are from too few domains to tell.
 * @param messages  the newest of the inbox, SAMPLE at most
 */
export function authservIdIn(messages: readonly ReceivedMessage[]): string | undefined {
  const seen = new Map<string, { count: number; readonly domains: Set<string> }>();
  for (const { from, results } of messages) {
    const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
    for (const id of new Set(results.flatMap((one) => parsed(one)?.authservId ?? []))) {
      const one = seen.get(id) ?? { count: 0, domains: new Set() };
      one.count += 1;
      one.domains.add(domain);
      seen.set(id, one);
    }
  }
  const found = [...seen].filter(
    ([, { count, domains }]) => count >= SHARE * messages.length && domains.size >= DOMAINS_MIN,
  );
  return found.sort(([, a], [, b]) => b.count - a.count)[0]?.[0];
}

/** The outcome of one method, such as `dkim=pass header.d=example.org`. */
interface MethodResult {
  readonly method: string;
  readonly result: string;
  /** Such as `header.d`. */
  readonly properties: ReadonlyMap<string, string>;
}

/** Which properties name the domain that a method is about. */
const DOMAINS: ReadonlyMap<string, readonly string[]> = new Map([
  ['dmarc', ['header.from']],
  ['dkim', ['header.d', 'header.i']],
  ['spf', ['smtp.mailfrom']],
]);

/** Whether it is about the domain of From. A signature or an envelope may also be of a domain above that. */
function isAbout({ method, properties }: MethodResult, domain: string): boolean {
  const [value] = (DOMAINS.get(method) ?? []).flatMap((name) => properties.get(name) ?? []);
  const named = value === undefined ? undefined : domainIn(value);
  if (named === undefined) return false;
  return named === domain || (method !== 'dmarc' && domain.endsWith(`.${named}`));
}

/** Of an address, or a domain by itself. */
function domainIn(text: string): string | undefined {
  return asciiDomain(text.slice(text.lastIndexOf('@') + 1));
}

interface ReadResult {
  readonly authservId: string;
  readonly methods: readonly MethodResult[];
}

/**
 * A comment, a property with its value, a separator, a word, or white space. Servers copy what a stranger says (the name in
 * EHLO, the local part of an envelope) into comments and values, and not all of them quote it. So this is stricter than RFC
 * 8601: white space or a separator follows each, and there is no quotation mark in a comment and no `;` in quotation marks. A
 * field that is written in another way is not read at all.
 */
const TOKEN =
  /\([^()"\\]*\)(?=[\s;]|$)|([^\s()"\\;=]+)=(?:"([^"\\;]*)"|([^\s()"\\;]+))(?=[\s;]|$)|(;)(?=\s|$)|([^\s()"\\;=]+)(?=[\s;]|$)|\s+|(.)/gs;
const ASCII = /^[\t\r\n -~]*$/;

function parsed(field: string): ReadResult | undefined {
  if (!ASCII.test(field)) return undefined;
  const parts: { readonly words: string[]; readonly pairs: [string, string][] }[] = [
    { words: [], pairs: [] },
  ];
  for (const [, name, quoted, plain, separator, word, odd] of field.matchAll(TOKEN)) {
    if (odd !== undefined) return undefined;
    const part = parts.at(-1);
    if (separator !== undefined) parts.push({ words: [], pairs: [] });
    else if (name !== undefined) part?.pairs.push([name.toLowerCase(), quoted ?? plain ?? '']);
    else if (word !== undefined) part?.words.push(word);
  }
  const [head, ...rest] = parts;
  const [authservId, ...version] = head?.words ?? [];
  // Some servers leave out their name. A version is a number.
  if (authservId === undefined || version.some((one) => !/^\d+$/.test(one)) || head?.pairs.length !== 0)
    return undefined;
  return { authservId: authservId.toLowerCase(), methods: rest.flatMap(({ pairs }) => methodOf(pairs)) };
}

/** None if it says something twice. */
function methodOf([first, ...properties]: readonly (readonly [string, string])[]): MethodResult[] {
  const named = new Map(properties);
  if (first === undefined || named.size < properties.length) return [];
  const [method = ''] = first[0].split('/');
  return [{ method, result: first[1].toLowerCase(), properties: named }];
}
