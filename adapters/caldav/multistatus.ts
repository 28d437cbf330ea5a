import { calendarMultiGet, calendarQuery, propfind } from 'tsdav';
import type { XmlElement } from '../../core/reading/xml-shapes.ts';
import { childrenOf } from '../remote/xml.ts';
import { resolvedUrl } from './address.ts';
import { type CalendarHttp, davRequest, type ResponseHead } from './http.ts';
import { checkHead, NAMESPACES, type ReadResponse, type Resource, readResponse } from './response.ts';

/**
 * PROPFIND and REPORT, written by tsdav and sent over a `fetch` that keeps to the account's server. The responses are read
 * by `response.ts`. Why, and what else of tsdav is not used: docs/decisions/tsdav.md.
 */
export interface Multistatus extends ReadResponse {
  readonly headers: ResponseHead['headers'];
}

/** For some properties of one resource. */
const RESOURCE_BYTES = 256 * 1024;
/** For a home with thousands of calendars. */
const HOME_BYTES = 4 * 1024 * 1024;

/** @param names with prefixes, such as `d:getetag`  @param depth 1: the collection and its members */
export function properties(
  http: CalendarHttp,
  { href: url }: URL,
  names: readonly string[],
  depth: '0' | '1',
  limit: AbortSignal,
): Promise<Multistatus> {
  const props = Object.fromEntries(names.map((name) => [name, name.startsWith('oc:') ? OWNCLOUD : {}]));
  const mostBytes = depth === '0' ? RESOURCE_BYTES : HOME_BYTES;
  return multistatusOf(http, mostBytes, limit, (fetch) => propfind({ url, props, depth, fetch }));
}

/** tsdav does not declare this namespace. */
const OWNCLOUD = { _attributes: { 'xmlns:oc': NAMESPACES.oc } };

const ETAGS = { 'd:getetag': {} };
const OBJECTS = { ...ETAGS, 'c:calendar-data': {} };

/** The VEVENTs to request, and the size limit of the response. */
export interface EventFilter {
  /** As xml-js writes it. Empty: all VEVENTs. */
  readonly filter: object;
  readonly mostBytes: number;
  /** Requests the ETags of the objects only. */
  readonly isShort?: boolean;
}

export function eventsMatching(
  http: CalendarHttp,
  { href: url }: URL,
  { filter, mostBytes, isShort = false }: EventFilter,
  limit: AbortSignal,
): Promise<Multistatus> {
  const events = { _attributes: { name: 'VEVENT' }, ...filter };
  const filters = { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': events } };
  const props = isShort ? ETAGS : OBJECTS;
  return multistatusOf(http, mostBytes, limit, (fetch) =>
    calendarQuery({ url, props, filters, depth: '1', fetch }),
  );
}

/** Requests these objects of a calendar (RFC 4791 7.9). @param urls of objects in it */
export function objectsAt(
  http: CalendarHttp,
  { href: url }: URL,
  urls: readonly URL[],
  mostBytes: number,
  limit: AbortSignal,
): Promise<Multistatus> {
  const objectUrls = urls.map(({ pathname }) => writtenText(pathname));
  return multistatusOf(http, mostBytes, limit, (fetch) =>
    calendarMultiGet({ url, props: OBJECTS, objectUrls, depth: '1', fetch }),
  );
}

export function propFilter(name: string, inner: object = {}): object {
  return { 'prop-filter': { _attributes: { name }, ...inner } };
}

export function textMatch(text: string): object {
  return { 'text-match': { _attributes: { collation: 'i;octet' }, _text: writtenText(text) } };
}

/** xml-js writes `&amp;` as it is, because it may be escaped already. */
function writtenText(text: string): string {
  return text.replaceAll('&', '&amp;');
}

/** @param request one call of tsdav, which reads nothing of the response */
async function multistatusOf(
  http: CalendarHttp,
  mostBytes: number,
  limit: AbortSignal,
  request: (fetch: typeof globalThis.fetch) => Promise<unknown>,
): Promise<Multistatus> {
  let read: ReadResponse = { resources: [], failed: [], gone: [] };
  let headers: ResponseHead['headers'] = {};
  await request(async (address, init) => {
    const sent = davRequest(address, init);
    const response = await http.query(sent, limit, (head) => {
      checkHead(head);
      return mostBytes;
    });
    ({ headers } = response);
    read = await readResponse(response, sent.url, http.reading, limit);
    return new Response(NOTHING, { status: 207, headers: { 'content-type': 'application/xml' } });
  });
  return { ...read, headers };
}

const NOTHING = `<d:multistatus xmlns:d="${NAMESPACES.d}"/>`;

/** Keeps the first resource of each path. */
export function onlyOnce(resources: readonly Resource[]): Resource[] {
  const byPath = new Map<string, Resource>();
  for (const resource of resources) {
    if (!byPath.has(resource.path)) byPath.set(resource.path, resource);
  }
  return [...byPath.values()];
}

/** The text of a property. */
export function propText({ props }: Resource, name: string): string | undefined {
  return props.get(name)?.text.trim();
}

/** The addresses in a property such as `c:calendar-home-set`. */
export function propHrefs({ props, url }: Resource, name: string): URL[] {
  const hrefs = childrenOf(props.get(name), 'd:href').map(({ text }) => text.trim());
  return hrefs.flatMap((href) => resolvedUrl(href, url) ?? []);
}

/** The names of the elements in an element such as `d:resourcetype`. */
export function namesIn(parent: XmlElement | undefined): string[] {
  return parent?.children.map(({ name }) => name) ?? [];
}
