import { MailError } from '../../core/ports/mail.ts';
import { BadXml, childrenOf, type XmlElement, xmlParts, xmlText } from '../remote/xml.ts';
import type { BodySink, CalendarHttp, DavRequest, ResponseHead } from './http.ts';

/**
 * PROPFIND and REPORT. Responses are read as they arrive, within limits: a hostile or broken server can cause neither
 * more memory use than a large calendar nor a long wait.
 */
export interface Resource {
  /** As written by the server, made absolute. */
  readonly url: URL;
  /** Only existing properties, by names such as `d:getetag`. */
  readonly props: ReadonlyMap<string, XmlElement>;
  /** Properties that exist and that the server does not show to the owner. */
  readonly refused: ReadonlySet<string>;
}

export interface Multistatus {
  readonly resources: readonly Resource[];
  /** Paths of objects that the server listed and failed to return, except those that no longer exist. */
  readonly failed: readonly string[];
  readonly headers: ResponseHead['headers'];
}

/** The prefixes of names, in requests and in parsed responses. */
const NAMESPACES = {
  d: 'DAV:',
  c: 'urn:ietf:params:xml:ns:caldav',
  cs: 'http://calendarserver.org/ns/',
  oc: 'http://owncloud.org/ns',
};
const XMLNS = Object.entries(NAMESPACES)
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');
const PREFIXES = Object.fromEntries(Object.entries(NAMESPACES).map(([prefix, uri]) => [uri, prefix]));

/** For some properties of one resource. */
const RESOURCE_BYTES = 256 * 1024;
/** For a home with thousands of calendars. */
const HOME_BYTES = 4 * 1024 * 1024;

/** @param depth 1: the collection and its members */
export function properties(
  http: CalendarHttp,
  url: URL,
  names: readonly string[],
  depth: '0' | '1',
  limit: AbortSignal,
): Promise<Multistatus> {
  const body = `<d:propfind ${XMLNS}><d:prop>${names.map(empty).join('')}</d:prop></d:propfind>`;
  const mostBytes = depth === '0' ? RESOURCE_BYTES : HOME_BYTES;
  return multistatusOf(http, davRequest('PROPFIND', url, depth, body), mostBytes, limit);
}

function empty(name: string): string {
  return `<${name}/>`;
}

/** The VEVENTs to request, and the size limit of the response. */
export interface EventFilter {
  /** XML text. Empty: all VEVENTs. */
  readonly filter: string;
  readonly mostBytes: number;
}

export function calendarQuery(
  http: CalendarHttp,
  url: URL,
  { filter, mostBytes }: EventFilter,
  limit: AbortSignal,
): Promise<Multistatus> {
  const events = `<c:comp-filter name="VEVENT">${filter}</c:comp-filter>`;
  const body =
    `<c:calendar-query ${XMLNS}><d:prop><d:getetag/><c:calendar-data/></d:prop>` +
    `<c:filter><c:comp-filter name="VCALENDAR">${events}</c:comp-filter></c:filter></c:calendar-query>`;
  return multistatusOf(http, davRequest('REPORT', url, '1', body), mostBytes, limit);
}

/** Requests these objects of a calendar (RFC 4791 7.9). @param urls of objects in it */
export function calendarMultiget(
  http: CalendarHttp,
  url: URL,
  urls: readonly URL[],
  mostBytes: number,
  limit: AbortSignal,
): Promise<Multistatus> {
  const hrefs = urls.map(({ pathname }) => `<d:href>${xmlText(pathname)}</d:href>`).join('');
  const body = `<c:calendar-multiget ${XMLNS}><d:prop><d:getetag/><c:calendar-data/></d:prop>${hrefs}</c:calendar-multiget>`;
  return multistatusOf(http, davRequest('REPORT', url, '1', body), mostBytes, limit);
}

/** @param inner XML text */
export function propFilter(name: string, inner = ''): string {
  return `<c:prop-filter name="${name}">${inner}</c:prop-filter>`;
}

export function textMatch(text: string): string {
  return `<c:text-match collation="i;octet">${xmlText(text)}</c:text-match>`;
}

function davRequest(method: string, url: URL, depth: string, body: string): DavRequest {
  const headers = { depth, 'content-type': 'application/xml; charset=utf-8' };
  return { method, url, headers, body: `<?xml version="1.0" encoding="utf-8"?>${body}` };
}

/** Lists show up to 50,000 events; there are few collections around them. */
const RESOURCES_MAX = 60_000;
const GONE = new Set([404, 410]);
/** RFC 6578 3.6: the server cut the list here. */
const CUT = 507;

async function multistatusOf(
  http: CalendarHttp,
  request: DavRequest,
  mostBytes: number,
  limit: AbortSignal,
): Promise<Multistatus> {
  let resources: Resource[] = [];
  let failed: string[] = [];

  function take(part: XmlElement): void {
    if (part.name !== 'd:response') return;
    const [href] = childrenOf(part, 'd:href').map(textOf);
    const status = statusOf(part) ?? 200;
    if (status === CUT)
      throw new MailError('refused', 'the calendar server returned only a part of the calendar');
    if (href === undefined || !URL.canParse(href, request.url)) return;
    const url = new URL(href, request.url);
    if (status >= 300) {
      if (!GONE.has(status)) failed.push(url.pathname);
      return;
    }
    if (resources.length >= RESOURCES_MAX) {
      throw new MailError('refused', 'the calendar server lists too many objects');
    }
    const propstats = childrenOf(part, 'd:propstat');
    const propsWith = (hasStatus: (status: number) => boolean) =>
      propstats
        .filter((propstat) => hasStatus(statusOf(propstat) ?? 200))
        .flatMap((propstat) => childrenOf(propstat, 'd:prop'))
        .flatMap(({ children }) => children);
    const shown = propsWith((code) => code < 300);
    const refused = propsWith((code) => code === 401 || code === 403);
    resources.push({
      url,
      props: new Map(shown.map((prop) => [prop.name, prop])),
      refused: new Set(refused.map(({ name }) => name)),
    });
  }

  function read({ status, headers }: ResponseHead): BodySink {
    if (status !== 207 || !/xml/i.test(headers['content-type'] ?? '')) {
      throw new MailError('refused', 'the server does not respond like a calendar server');
    }
    // Keeps nothing from an earlier response that broke off.
    [resources, failed] = [[], []];
    const xml = xmlParts('d:multistatus', PREFIXES, take);
    return {
      mostBytes,
      write: (text) => readable(() => xml.write(text)),
      end: () => readable(() => xml.end()),
    };
  }

  const { headers } = await http.query(request, limit, read);
  return { headers, resources, failed };
}

function readable(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof BadXml)) throw error;
    throw new MailError('refused', 'the response of the calendar server cannot be read', { cause: error });
  }
}

function statusOf(element: XmlElement): number | undefined {
  const [status] = childrenOf(element, 'd:status');
  const code = status && /^\s*HTTP\/\d(?:\.\d)? (\d{3})\b/.exec(status.text)?.[1];
  return code === undefined ? undefined : Number(code);
}

function textOf({ text }: XmlElement): string {
  return text.trim();
}

/** The text of a property. */
export function propText({ props }: Resource, name: string): string | undefined {
  const prop = props.get(name);
  return prop && textOf(prop);
}

/** The addresses in a property such as `c:calendar-home-set`. */
export function propHrefs({ props }: Resource, name: string): string[] {
  return childrenOf(props.get(name), 'd:href').map(textOf);
}

/** The names of the elements in a property such as `d:resourcetype`. */
export function propNames({ props }: Resource, name: string): string[] {
  return props.get(name)?.children.map((child) => child.name) ?? [];
}
