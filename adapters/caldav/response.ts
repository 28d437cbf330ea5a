import { MailError, timedOut } from '../../core/ports/mail.ts';
import type { XmlElement } from '../../core/reading/xml-shapes.ts';
import { childrenOf, eachXmlPart, UnreadableXml } from '../remote/xml.ts';
import { resolvedUrl } from './address.ts';
import { decodedPath } from './decoded.ts';
import type { DavResponse, ResponseHead, ResponseReading } from './http.ts';

/** A resource of a calendar server, with the properties that it has. */
export interface Resource {
  /** As written by the server, made absolute. */
  readonly url: URL;
  /** Its decoded path. */
  readonly path: string;
  /** Only existing properties, by names such as `d:getetag`. */
  readonly props: ReadonlyMap<string, XmlElement>;
  /** The names of properties that exist and are not shown to the owner. */
  readonly notShown: ReadonlySet<string>;
}

export interface ReadResponse {
  readonly resources: readonly Resource[];
  /** Decoded paths of objects that the server listed and failed to return. */
  readonly failed: readonly string[];
  /** Decoded paths of those that no longer exist. */
  readonly gone: readonly string[];
}

/** The namespaces that are read, by prefix. Names of any other namespace begin with `other:`. */
export const NAMESPACES = {
  d: 'DAV:',
  c: 'urn:ietf:params:xml:ns:caldav',
  cs: 'http://calendarserver.org/ns/',
  oc: 'http://owncloud.org/ns',
};
const PREFIXES = Object.fromEntries(Object.entries(NAMESPACES).map(([prefix, uri]) => [uri, prefix]));

/** Lists show up to 50,000 events; there are few collections around them. */
const RESOURCES_MAX = 60_000;
const GONE = new Set([404, 410]);
/** RFC 6578 3.6: the server cut the list here. */
const CUT = 507;

/** @throws MailError if this is not the head of a multistatus response */
export function checkHead({ status, headers }: ResponseHead): void {
  if (status !== 207 || !/xml/i.test(headers['content-type'] ?? '')) {
    throw new MailError('refused', 'the server does not respond like a calendar server');
  }
}

/**
 * Reads a multistatus response, within limits: a hostile or broken server can cause neither more memory use than a large
 * calendar nor a long wait.
 * @param base of relative addresses
 */
export async function readResponse(
  response: DavResponse,
  base: URL,
  reading: ResponseReading,
  limit: AbortSignal,
): Promise<ReadResponse> {
  const resources: Resource[] = [];
  const failed: string[] = [];
  const gone: string[] = [];
  await eachPart(response, reading, limit, (part) => {
    if (part.name !== 'd:response') return;
    const [href] = childrenOf(part, 'd:href').map(({ text }) => text.trim());
    const code = statusOf(part) ?? 200;
    if (code === CUT)
      throw new MailError('refused', 'the calendar server returned only a part of the calendar');
    const url = href === undefined ? undefined : resolvedUrl(href, base);
    if (url === undefined) return;
    if (resources.length + failed.length + gone.length >= RESOURCES_MAX)
      throw new MailError('refused', 'the calendar server lists too many objects');
    const path = decodedPath(url);
    if (code >= 300) (GONE.has(code) ? gone : failed).push(path);
    else resources.push({ url, path, ...propsOf(part) });
  });
  return { resources, failed, gone };
}

/**
 * The status of the response to a change. Xandikos answers 207 and puts the actual status inside.
 * @throws MailError `outcome_unknown` if there is none inside
 */
export async function statusInside(
  response: DavResponse,
  reading: ResponseReading,
  limit: AbortSignal,
): Promise<number> {
  if (response.status !== 207) return response.status;
  const statuses: number[] = [];
  let cause: unknown;
  try {
    await eachPart(response, reading, limit, (part) => {
      const status = statusOf(part);
      if (status !== undefined) statuses.push(status);
    });
  } catch (error) {
    cause = error;
  }
  const [first] = statuses;
  if (first !== undefined) return first;
  throw new MailError('outcome_unknown', 'the calendar server does not say whether it made a change', {
    cause,
  });
}

async function eachPart(
  { headers, body: document }: DavResponse,
  { reader, ownerId }: ResponseReading,
  limit: AbortSignal,
  take: (part: XmlElement) => void,
): Promise<void> {
  const input = {
    document,
    contentType: headers['content-type'] ?? '',
    root: 'd:multistatus',
    prefixes: PREFIXES,
  };
  try {
    await eachXmlPart(reader, input, { ownerId, signal: limit }, take);
  } catch (error) {
    if (error instanceof MailError) throw error;
    if (limit.aborted) throw timedOut();
    const text = 'the response of the calendar server cannot be read';
    if (error instanceof UnreadableXml) throw new MailError('refused', text, { cause: error });
    throw new MailError('unavailable', `${text} now`, { cause: error });
  }
}

function propsOf(part: XmlElement): Pick<Resource, 'props' | 'notShown'> {
  const props = new Map<string, XmlElement>();
  const notShown = new Set<string>();
  for (const propstat of childrenOf(part, 'd:propstat')) {
    const code = statusOf(propstat) ?? 200;
    for (const prop of childrenOf(propstat, 'd:prop').flatMap(({ children }) => children)) {
      if (code < 300 && !props.has(prop.name)) props.set(prop.name, prop);
      if (code === 401 || code === 403) notShown.add(prop.name);
    }
  }
  return { props, notShown };
}

function statusOf(element: XmlElement): number | undefined {
  const [status] = childrenOf(element, 'd:status');
  const code = status && /^\s*HTTP\/\d(?:\.\d)? (\d{3})\b/.exec(status.text)?.[1];
  return code === undefined ? undefined : Number(code);
}
