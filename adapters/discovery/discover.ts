import type { Resolver } from '../../core/ports/resolver.ts';
import { underLimit } from '../remote/time-limit.ts';
import { readAutoconfig } from './autoconfig.ts';
import type { Discovery, FoundCalendarServer, FoundServer } from './discovery.ts';
import { hostName, isWithin } from './domain.ts';
import type { HttpsGet } from './https-get.ts';
import { type Provider, providerOfDomain, providerOfMx } from './providers.ts';

/** All the looking together. */
const PATIENCE_MS = 15_000;
/** Redirects of the domain to itself. */
const REDIRECTS_MAX = 2;

interface Search {
  readonly email: string;
  /** ASCII, lower case. */
  readonly domain: string;
  readonly resolver: Resolver;
  readonly get: HttpsGet;
  readonly signal: AbortSignal;
  readonly tried: string[];
}

/**
 * Looks for the servers of an address: the providers that are known here, the provider that takes the domain's mail
 * (MX), the settings that the domain publishes by HTTPS (autoconfig) and in the DNS (SRV, RFC 6186). Only the DNS and
 * the domain itself are asked, the latter with the address: it is one of its own. Neither a table of somebody else's
 * nor a server that was found is asked anything. Where the mail is the domain's own affair, so is the calendar: the
 * DNS (SRV, RFC 6764) and the domain's well-known address are asked for it.
 * @throws the reason of `signal` once it ends the search
 */
export async function discoverMail(request: {
  email: string;
  resolver: Resolver;
  get: HttpsGet;
  signal: AbortSignal;
}): Promise<Discovery> {
  const { email, resolver, get, signal } = request;
  const domain = hostName(email.slice(email.lastIndexOf('@') + 1));
  if (domain === undefined) {
    return { kind: 'nothing', tried: ['The address has no domain that could be asked.'] };
  }
  const known = providerOfDomain(domain);
  if (known !== undefined) return ofProvider(known, email, `what is known here about ${known.name}`);

  return underLimit({ signal, ms: PATIENCE_MS }, async (limit) => {
    const search: Search = { email, domain, resolver, get, signal: limit, tried: [] };
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
    tried.push(`The DNS could not be asked which server takes the mail of ${domain}${codeOf(error)}.`);
    return undefined;
  }
  const mx = hosts[0] === undefined ? undefined : hostName(hosts[0]);
  if (mx === undefined) {
    tried.push(`The DNS names no server that takes the mail of ${domain}.`);
    return undefined;
  }
  const provider = providerOfMx(mx);
  if (provider === undefined) {
    tried.push(`The mail of ${domain} goes to ${mx}, which is of no provider that is known here.`);
    return undefined;
  }
  const source = `what is known here about ${provider.name}, whose ${mx} takes the mail of ${domain}`;
  return ofProvider(provider, email, source);
}

function ofProvider({ access }: Provider, email: string, source: string): Discovery {
  if ('none' in access) return { kind: 'unusable', reason: access.none };
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
  };
}

async function byAutoconfig(search: Search): Promise<Discovery | undefined> {
  const { email, domain, tried } = search;
  const urls = [
    new URL(`https://autoconfig.${domain}/mail/config-v1.1.xml`),
    new URL(`https://${domain}/.well-known/autoconfig/mail/config-v1.1.xml`),
  ];
  for (const url of urls) {
    const address = `${url.origin}${url.pathname}`;
    try {
      const asked = new URL(url);
      asked.searchParams.set('emailaddress', email);
      const read = readAutoconfig(await documentAt(asked, search), email);
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

/** @throws Error in plain words */
async function documentAt(first: URL, { domain, get, signal }: Search): Promise<string> {
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const { status, location, body } = await get(url, signal);
    if (status === 200) return new TextDecoder().decode(body);
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      throw new Error(`it answers ${status}`);
    }
    url = redirected(url, location, domain);
  }
  throw new Error('it redirects too often');
}

/** Nobody but the domain may say where its mail is, and nobody else learns the address. */
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
    tried.push(`The DNS names no IMAP and submission servers of ${domain} (SRV).`);
  } else {
    const missing = imap === undefined ? 'IMAP' : 'sending';
    tried.push(
      `From ${only.source}, comes ${only.host}:${only.port}, but there is no server for ${missing}.`,
    );
  }
  return undefined;
}

/** The one with TLS from the first byte counts before the one with STARTTLS (RFC 8314). */
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
      tried.push(`The DNS could not be asked for ${source}${codeOf(error)}.`);
    }
  }
  return undefined;
}

/** RFC 6186, 6: the owner is to be told when the servers are not the domain's own. */
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

/** Where the DNS cannot be asked the calendar is not found: the mailbox can be connected without. */
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

/** RFC 6764 5: a redirect to where the calendars are, or a demand to sign in. */
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
    // A web site that sends every stranger to its own front page is no calendar server.
    return url.pathname === '/' ? undefined : { url: url.href, user: email, source };
  } catch {
    // Nothing there, or nothing that answers: the account has no calendar, as far as can be told.
    return undefined;
  }
}

/** ` (ETIMEOUT)`, or nothing where the error has no code. */
function codeOf(error: unknown): string {
  if (error instanceof DOMException) return ' (it took too long)';
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it could not be asked';
  if (error instanceof DOMException) return 'it does not answer in time';
  return 'code' in error ? String(error.code) : error.message;
}

function foreignNote(host: string, domain: string): string {
  return `${host} does not belong to ${domain}: make sure that it is your provider's.`;
}
