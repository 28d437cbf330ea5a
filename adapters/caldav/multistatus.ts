import { davRequest, propfind } from 'tsdav';
import * as z from 'zod';
import { MailError } from '../../core/ports/mail.ts';
import type { Answer, CalendarHttp } from './http.ts';

/**
 * PROPFIND and REPORT by tsdav, which writes and reads their XML, over HTTP of ours: tsdav's own would follow a
 * redirect with the password, and read a page of HTML as an empty list. Its `calendarQuery` and `calendarMultiGet` are
 * not used: they throw all answers away when one of them is an error, and the text of the error quotes the body.
 */
export interface Resource {
  /** As the server wrote it, made absolute. */
  readonly url: URL;
  /** Only those that it has. Names without prefix, in camel case: `getetag`, `calendarData`. */
  readonly props: Readonly<Record<string, unknown>>;
}

export interface Multistatus {
  readonly resources: readonly Resource[];
  readonly headers: Answer['headers'];
}

/** @param depth 1: the collection, and what lies in it */
export function properties(
  http: CalendarHttp,
  url: URL,
  names: readonly string[],
  depth: '0' | '1',
  limit: AbortSignal,
): Promise<Multistatus> {
  const props = Object.fromEntries(names.map((name) => [name, {}]));
  return answered(http, url, limit, (fetch) => propfind({ url: url.href, props, depth, fetch }));
}

const XMLNS = { 'xmlns:c': 'urn:ietf:params:xml:ns:caldav', 'xmlns:d': 'DAV:' };

/** @param filter of the VEVENTs; empty: each of them */
export function calendarQuery(
  http: CalendarHttp,
  url: URL,
  filter: object,
  limit: AbortSignal,
): Promise<Multistatus> {
  const events = { _attributes: { name: 'VEVENT' }, ...filter };
  const body = {
    'c:calendar-query': {
      _attributes: XMLNS,
      'd:prop': { 'd:getetag': {}, 'c:calendar-data': {} },
      'c:filter': { 'c:comp-filter': { _attributes: { name: 'VCALENDAR' }, 'c:comp-filter': events } },
    },
  };
  const init = { method: 'REPORT' as const, headers: { Depth: '1' }, body };
  return answered(http, url, limit, (fetch) => davRequest({ url: url.href, init, fetch }));
}

const WHOLE = /<\/(?:[\w.-]+:)?multistatus\s*>\s*$|<(?:[\w.-]+:)?multistatus[^<>]*\/>\s*$/;

const response = z.object({
  href: z.string().optional(),
  status: z.number(),
  props: z.record(z.string(), z.unknown()).optional(),
});

async function answered(
  http: CalendarHttp,
  url: URL,
  limit: AbortSignal,
  request: (fetch: typeof globalThis.fetch) => Promise<unknown>,
): Promise<Multistatus> {
  let headers: Answer['headers'] = {};
  const ours: typeof globalThis.fetch = async (_url, init = {}) => {
    const { method = '', body } = init;
    const question = {
      method,
      url,
      headers: textHeaders(init.headers),
      body: typeof body === 'string' ? body : '',
    };
    const answer = await http.ask(question, limit);
    headers = answer.headers;
    const isXml = /xml/i.test(headers['content-type'] ?? '');
    if (answer.status !== 207 || !isXml) {
      throw new MailError('refused', 'the server does not answer as a calendar server does');
    }
    // What was cut off reads as a shorter list.
    if (!WHOLE.test(answer.body)) throw notUnderstood();
    return new Response(answer.body, { status: 207, headers: { 'content-type': 'application/xml' } });
  };
  const read = z.array(response).safeParse(await request(ours));
  // Where the XML cannot be read, tsdav answers as if the server had named the address of the answer, which is none.
  if (!read.success || read.data.some(({ href }) => href === '')) throw notUnderstood();
  return {
    headers,
    resources: read.data.flatMap(({ href, status, props }) => {
      if (href === undefined || !URL.canParse(href, url)) return [];
      return status < 300 ? [{ url: new URL(href, url), props: props ?? {} }] : [];
    }),
  };
}

function notUnderstood(): MailError {
  return new MailError('refused', 'the answer of the calendar server cannot be read');
}

function textHeaders(headers: unknown): Record<string, string> {
  return Object.fromEntries(new Headers(z.record(z.string(), z.string()).parse(headers ?? {})));
}

/** The text of a property. tsdav makes numbers and truth values of what looks like them. */
export function propText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const cdata = z.object({ _cdata: z.union([z.string(), z.array(z.string())]) }).safeParse(value);
  if (!cdata.success) return undefined;
  return [cdata.data._cdata].flat().join('');
}

/** The addresses in a property such as `calendar-home-set`. */
export function propHrefs(value: unknown): string[] {
  const read = z.object({ href: z.unknown() }).safeParse(value);
  if (!read.success) return [];
  return [read.data.href].flat().flatMap((href) => propText(href) ?? []);
}

/** The names of the elements in a property such as `resourcetype`. */
export function propNames(value: unknown): string[] {
  const read = z.record(z.string(), z.unknown()).safeParse(value);
  return read.success ? Object.keys(read.data) : [];
}
