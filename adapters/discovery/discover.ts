import type { Reader } from '../../core/ports/reader.ts';
import { withTimeLimit } from '../remote/time-limit.ts';
import { readAutoconfig } from './autoconfig.ts';
import type { Discovery, FoundCalendarServer, FoundServer } from './discovery.ts';
import { hostName, isWithin } from './domain.ts';
import type { HttpsGet } from './https-get.ts';
import { type Provider, providerOfDomain, providerOfMx } from './providers.ts';
import type { Resolver } from './resolver.ts';

/** For the whole search. */
const PATIENCE_MS = 15_000;
/** The owner for the reader, in whose queue owners take turns. An account that is being connected has no owner yet. */
const NO_OWNER = 'discovery';
/** A domain may redirect to itself this often. */
const REDIRECTS_MAX = 2;

interface Search {
  readonly email: string;
  /** ASCII, lower case. */
  readonly domain: string;
  readonly resolver: Resolver;
  readonly get: HttpsGet;
  readonly reader: Reader;
  readonly signal: AbortSignal;
  readonly tried: string[];
}

/**
 * Finds the servers of an address. Tries, in this order: the built-in providers, by the domain and by its MX; the
 * settings that the domain publishes over HTTPS (autoconfig); SRV records (RFC 6186). It asks only the DNS and the
 * domain itself, which also receives the address, since it is one of its own. It queries no third-party table and
 * contacts none of the servers it finds. If the domain publishes its own mail settings, its calendar is looked up as
 * well: SRV (RFC 6764), then the domain's well-known URL.
 * @throws the reason of `signal` if that aborts the search
 */
export async function discoverMail(request: {
  email: string;
  resolver: Resolver;
  get: HttpsGet;
  /** Reads what the domain publishes. */
  reader: Reader;
  signal: AbortSignal;
}): Promise<Discovery> {
  const { email, resolver, get, reader, signal } = request;
  const domain = hostName(email.slice(email.lastIndexOf('@') + 1));
  if (domain === undefined) {
    return { kind: 'nothing', tried: ['The address has no domain to look up.'] };
  }
  const known = providerOfDomain(domain);
  if (known !== undefined) return ofProvider(known, email, `Countersign's settings for ${known.name}`);

  return withTimeLimit({ signal, ms: PATIENCE_MS }, async (limit) => {
    const search: Search = { email, domain, resolver, get, reader, signal: limit, tried: [] };
    for (const look of [byMx, byAutoconfig, byServiceRecords]) {
      const found = await look(search);
      signal.throwIfAborted();
      if (found?.kind !== 'found' || look === byMx) {
        if (found !== undefined) return found;
        continue;
      }
      const whole = { ...found, ...(await withCalendar(found, search)) };
      signal.throwIfAborted();
      return whole;
    }
    return { kind: 'nothing', tried: search.tried };
  });
}

async function byMx({ email, domain, resolver, signal, tried }: Search): Promise<Discovery | undefined> {
  let hosts: readonly string[];
  try {
    hosts = await resolver.resolveMx(domain, signal);
  } catch (error) {
    tried.push(`The DNS lookup of the mail server (MX) of ${domain} failed${codeOf(error)}.`);
    return undefined;
  }
  const mx = hosts[0] === undefined ? undefined : hostName(hosts[0]);
  if (mx === undefined) {
    tried.push(`The DNS lists no mail server (MX) for ${domain}.`);
    return undefined;
  }
  const provider = providerOfMx(mx);
  if (provider === undefined) {
    tried.push(`Mail for ${domain} goes to ${mx}, which belongs to no provider that Countersign knows.`);
    return undefined;
  }
  const source = `Countersign's settings for ${provider.name}, which receives mail for ${domain} at ${mx}`;
  return ofProvider(provider, email, source);
}

function ofProvider({ access, signIn }: Provider, email: string, source: string): Discovery {
  if ('none' in access) return { kind: 'unusable', reason: access.none, signIn };
  const server = ([host, port, security]: (typeof access)['imap'], user: string): FoundServer => ({
    host,
    port,
    security,
    user,
    source,
  });
  const imapUser = access.imapUser === 'local_part' ? email.slice(0, email.lastIndexOf('@')) : email;
  return {
    kind: 'found',
    imap: server(access.imap, imapUser),
    smtp: server(access.smtp, email),
    caldav: access.caldav === undefined ? undefined : { url: access.caldav, user: email, source },
    notes: access.notes,
    signIn,
  };
}

async function byAutoconfig(search: Search): Promise<Discovery | undefined> {
  const { email, domain, reader, signal, tried } = search;
  const urls = [
    new URL(`https://autoconfig.${domain}/mail/config-v1.1.xml`),
    new URL(`https://${domain}/.well-known/autoconfig/mail/config-v1.1.xml`),
  ];
  for (const url of urls) {
    const address = `${url.origin}${url.pathname}`;
    try {
      const withEmail = new URL(url);
      withEmail.searchParams.set('emailaddress', email);
      const read = await readAutoconfig(await documentAt(withEmail, search), email, reader, {
        ownerId: NO_OWNER,
        signal,
      });
      if (read.kind === 'servers') {
        return published(domain, { ...read.imap, source: address }, { ...read.smtp, source: address });
      }
      tried.push(`${address} was read, but ${read.reason}.`);
    } catch (error) {
      tried.push(`${address} gave no settings: ${reasonOf(error)}.`);
    }
  }
  return undefined;
}

/** @throws Error whose message says in plain words why there is no document */
async function documentAt(first: URL, { domain, get, signal }: Search): Promise<Uint8Array> {
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const { status, location, body } = await get(url, signal);
    if (status === 200) return body;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      throw new Error(`it answered ${status}`);
    }
    url = redirected(url, location, domain);
  }
  throw new Error('it redirects too often');
}

/** Only the domain itself may say where its mail is, and nobody else learns the address. */
function redirected(from: URL, location: string, domain: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  const isOwn =
    to?.protocol === 'https:' &&
    to.port === '' &&
    to.username === '' &&
    to.password === '' &&
    isWithin(to.hostname, domain);
  if (to === undefined || !isOwn) throw new Error('it redirects away from the domain');
  return to;
}

async function byServiceRecords(search: Search): Promise<Discovery | undefined> {
  const { domain, tried } = search;
  const [imap, smtp] = await Promise.all([
    firstService(search, '_imaps._tcp', '_imap._tcp'),
    firstService(search, '_submissions._tcp', '_submission._tcp'),
  ]);
  if (imap !== undefined && smtp !== undefined) return published(domain, imap, smtp);
  const only = imap ?? smtp;
  if (only === undefined) {
    tried.push(`The DNS lists no IMAP or submission servers (SRV) for ${domain}.`);
  } else {
    const missing = imap === undefined ? 'IMAP' : 'sending';
    tried.push(`Found ${only.host}:${only.port} (from ${only.source}), but no server for ${missing}.`);
  }
  return undefined;
}

/** Prefers TLS from the first byte to STARTTLS (RFC 8314). */
async function firstService(
  { email, domain, resolver, signal, tried }: Search,
  withTls: string,
  withStarttls: string,
): Promise<FoundServer | undefined> {
  const services = [
    { service: withTls, security: 'tls' },
    { service: withStarttls, security: 'starttls' },
  ] as const;
  for (const { service, security } of services) {
    const source = `${service}.${domain}`;
    try {
      const [first] = await resolver.resolveSrv(source, signal);
      const host = first === undefined ? undefined : hostName(first.host);
      if (first !== undefined && host !== undefined && first.port > 0) {
        return { host, port: first.port, security, user: email, source: `the DNS, ${source}` };
      }
    } catch (error) {
      tried.push(`The DNS lookup of ${source} failed${codeOf(error)}.`);
    }
  }
  return undefined;
}

/** Warns the owner about servers outside the domain, as RFC 6186, 6 requires. */
function published(domain: string, imap: FoundServer, smtp: FoundServer): Discovery {
  const foreign = [imap, smtp].map(({ host }) => host).filter((host) => !isWithin(host, domain));
  const notes = [...new Set(foreign)].map((host) => foreignNote(host, domain));
  return { kind: 'found', imap, smtp, caldav: undefined, notes };
}

type Found = Extract<Discovery, { kind: 'found' }>;

async function withCalendar({ notes }: Found, search: Search): Promise<Pick<Found, 'caldav' | 'notes'>> {
  const caldav = (await calendarByServiceRecord(search)) ?? (await calendarAtDomain(search));
  if (caldav === undefined) return { caldav, notes };
  const { hostname } = new URL(caldav.url);
  if (isWithin(hostname, search.domain)) return { caldav, notes };
  return { caldav, notes: [...new Set([...notes, foreignNote(hostname, search.domain)])] };
}

/** If the DNS lookup fails, there is no calendar: the mailbox can be connected without one. */
async function calendarByServiceRecord({
  domain,
  email,
  resolver,
  signal,
}: Search): Promise<FoundCalendarServer | undefined> {
  const name = `_caldavs._tcp.${domain}`;
  const [first] = await resolver.resolveSrv(name, signal).catch(() => []);
  const host = first === undefined ? undefined : hostName(first.host);
  if (first === undefined || host === undefined || first.port === 0) return undefined;
  const url = new URL(`https://${host}:${first.port}/`).href;
  return { url, user: email, source: `the DNS, ${name}` };
}

/** RFC 6764 5: a calendar server answers with a redirect to the calendars, or asks for a sign-in. */
async function calendarAtDomain({
  domain,
  email,
  get,
  signal,
}: Search): Promise<FoundCalendarServer | undefined> {
  const wellKnown = new URL(`https://${domain}/.well-known/caldav`);
  const source = wellKnown.href;
  try {
    const { status, location } = await get(wellKnown, signal);
    if (status === 401) return { url: wellKnown.href, user: email, source };
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
    const url = redirected(wellKnown, location, domain);
    url.search = '';
    url.hash = '';
    // A web site that redirects every unknown path to its front page is not a calendar server.
    return url.pathname === '/' ? undefined : { url: url.href, user: email, source };
  } catch {
    // No host, or no answer: treat it as no calendar.
    return undefined;
  }
}

/** ` (ETIMEOUT)`, or an empty string if the error has no code. */
function codeOf(error: unknown): string {
  if (error instanceof DOMException) return ' (it took too long)';
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error instanceof DOMException) return 'it did not answer in time';
  return 'code' in error ? String(error.code) : error.message;
}

function foreignNote(host: string, domain: string): string {
  return `${host} is not part of ${domain}. Make sure that it belongs to your provider.`;
}
