import { MailError } from '../../core/ports/mail.ts';
import { BadXml, childrenOf, type XmlElement, xmlParts } from '../remote/xml.ts';
import { resolvedUrl } from './address.ts';
import { decodedPath } from './decoded.ts';
import type { BodySink, ResponseHead } from './http.ts';

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

/**
 * Reads a multistatus response as it arrives, within limits: a hostile or broken server can cause neither more memory
 * use than a large calendar nor a long wait.
 * @param base of relative addresses  @param done receives the response once it is complete
 */
export function responseSink(
  { status, headers }: ResponseHead,
  base: URL,
  mostBytes: number,
  done: (response: ReadResponse) => void,
): BodySink {
  if (status !== 207 || !/xml/i.test(headers['content-type'] ?? '')) {
    throw new MailError('refused', 'the server does not respond like a calendar server');
  }
  const resources: Resource[] = [];
  const failed: string[] = [];
  const gone: string[] = [];

  function take(part: XmlElement): void {
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
  }

  const xml = xmlParts('d:multistatus', PREFIXES, take);
  return {
    mostBytes,
    write: (text) => readable(() => xml.write(text)),
    end() {
      readable(() => xml.end());
      done({ resources, failed, gone });
    },
  };
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
