import { setImmediate } from 'node:timers/promises';
import { calendarMultiGet, calendarQuery, propfind } from 'tsdav';
import * as z from 'zod';
import { type CalendarHttp, davRequest, type ResponseHead } from './http.ts';
import { responseSink } from './response.ts';

/**
 * PROPFIND and REPORT by tsdav, over a `fetch` that keeps to the account's server and reads every response within limits
 * before tsdav sees it. These functions of tsdav are not used:
 * - `createAccount` and `serviceDiscovery` try further addresses after any failure, also with a wrong password.
 * - `fetchHomeUrl` and `fetchCalendarUserAddresses` request the same resource again for each property, and do not find
 *   it if the server encodes its address differently.
 * - `fetchCalendars` sends one more request for each calendar, all at once.
 * - `fetchCalendarObjects` leaves out objects whose name does not contain `.ics`.
 * - `syncCollection` does not report a token that the server refuses, and a first token costs Radicale 10 ms for each
 *   object: more than the time of a call for a few thousand. `isCollectionDirty` compares tags that it may have turned
 *   into numbers.
 */
export interface Resource {
  /** As written by the server, made absolute. */
  readonly url: URL;
  /** Only existing properties, by the names that tsdav gives them, such as `calendarData`. */
  readonly props: Readonly<Record<string, unknown>>;
}

export interface Multistatus {
  readonly resources: readonly Resource[];
  /** Decoded paths of objects that the server listed and failed to return. */
  readonly failed: readonly string[];
  /** Decoded paths of those that no longer exist. */
  readonly gone: readonly string[];
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
const OWNCLOUD = { _attributes: { 'xmlns:oc': 'http://owncloud.org/ns' } };

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

const answers = z.array(
  z.object({ href: z.string().optional(), props: z.record(z.string(), z.unknown()).default({}) }),
);

/** @param request one call of tsdav. It is repeated for each document of the response; only the first call sends it. */
async function multistatusOf(
  http: CalendarHttp,
  mostBytes: number,
  limit: AbortSignal,
  request: (fetch: typeof globalThis.fetch) => Promise<unknown>,
): Promise<Multistatus> {
  let documents: readonly string[] = [];
  let failed: readonly string[] = [];
  let gone: readonly string[] = [];
  let headers: ResponseHead['headers'] = {};
  const resources: Resource[] = [];
  let next = 0;
  const fetch: typeof globalThis.fetch = async (address, init) => {
    if (next === 0) {
      const sent = davRequest(address, init);
      ({ headers } = await http.query(sent, limit, (head) =>
        responseSink(head, sent.url, mostBytes, (response) => ({ documents, failed, gone } = response)),
      ));
    }
    next += 1;
    return new Response(documents[next - 1], { status: 207, headers: { 'content-type': 'application/xml' } });
  };
  do {
    for (const { href, props } of answers.parse(await request(fetch))) {
      if (href !== undefined) resources.push({ url: new URL(href), props });
    }
    await setImmediate();
  } while (next < documents.length);
  return { resources, failed, gone, headers };
}

/** An element as tsdav shows it. */
const element = z.record(z.string(), z.unknown());
const text = z.object({ _cdata: z.union([z.string(), z.array(z.string())]) });

/** The elements of that name in an element, or in one of several. */
export function elementsIn(parent: unknown, name: string): unknown[] {
  return [parent].flat().flatMap((one) => {
    const read = element.safeParse(one);
    return read.success && Object.hasOwn(read.data, name) ? [read.data[name]].flat() : [];
  });
}

/** The names of the elements in an element such as `resourcetype`. */
export function namesIn(parent: unknown): string[] {
  return [parent].flat().flatMap((one) => {
    const read = element.safeParse(one);
    return read.success ? Object.keys(read.data).filter((name) => !name.startsWith('_')) : [];
  });
}

export function textOf(one: unknown): string {
  const read = text.safeParse(one);
  return read.success ? [read.data._cdata].flat().join('') : '';
}

/** The text of a property. */
export function propText({ props }: Resource, name: string): string | undefined {
  const [prop] = elementsIn(props, name);
  return prop === undefined ? undefined : textOf(prop);
}

/** The addresses in a property such as `calendarHomeSet`. */
export function propHrefs({ props }: Resource, name: string): string[] {
  return elementsIn(props[name], 'href').map(textOf);
}
