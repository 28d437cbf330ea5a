import { MailError } from '../../core/ports/mail.ts';
import { BadXml, childrenOf, type XmlElement, xmlParts, xmlText } from '../remote/xml.ts';
import { decodedPath } from './decoded.ts';
import type { BodySink, ResponseHead } from './http.ts';

/**
 * Reads a multistatus response as it arrives, within limits: a hostile or broken server can cause neither more memory
 * use than a large calendar nor a long wait. Writes it anew for tsdav, which would lose some of it:
 * - It reads a response that was cut off, or is no XML, without an error.
 * - It has no namespaces, and no properties that the server refuses to show.
 * - It turns `1.50` and `TRUE` into a number and a boolean, and keeps a part of a text that contains a comment or CDATA.
 * - Its queries throw everything away if the server fails on one object.
 * - It parses a whole response at once, and nothing else runs meanwhile.
 */
export interface ReadResponse {
  /** Short documents for tsdav. At least one. All text is CDATA, and what is unknown is named `other-…`. */
  readonly documents: readonly string[];
  /** Decoded paths of objects that the server listed and failed to return. */
  readonly failed: readonly string[];
  /** Decoded paths of those that no longer exist. */
  readonly gone: readonly string[];
}

/** The property that lists what exists and is not shown to the owner. */
const NOT_SHOWN = 'd:not-shown';

/** The prefixes of names. tsdav drops them. */
const NAMESPACES = {
  d: 'DAV:',
  c: 'urn:ietf:params:xml:ns:caldav',
  cs: 'http://calendarserver.org/ns/',
  oc: 'http://owncloud.org/ns',
};
const PREFIXES = Object.fromEntries(Object.entries(NAMESPACES).map(([prefix, uri]) => [uri, prefix]));
const XMLNS = Object.entries(NAMESPACES)
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');

/** tsdav parses one document in about 10 ms. */
const DOCUMENT_CHARS = 256 * 1024;
/** Lists show up to 50,000 events; there are few collections around them. */
const RESOURCES_MAX = 60_000;
const GONE = new Set([404, 410]);
/** RFC 6578 3.6: the server cut the list here. */
const CUT = 507;

/** @param base of relative addresses  @param done receives the response once it is complete */
export function responseSink(
  { status, headers }: ResponseHead,
  base: URL,
  mostBytes: number,
  done: (response: ReadResponse) => void,
): BodySink {
  if (status !== 207 || !/xml/i.test(headers['content-type'] ?? '')) {
    throw new MailError('refused', 'the server does not respond like a calendar server');
  }
  const documents: string[] = [];
  const failed: string[] = [];
  const gone: string[] = [];
  let resources = 0;
  let current = '';

  function endDocument(): void {
    documents.push(`<d:multistatus ${XMLNS}>${current}</d:multistatus>`);
    current = '';
  }

  function take(part: XmlElement): void {
    if (part.name !== 'd:response') return;
    const [href] = childrenOf(part, 'd:href').map(({ text }) => text.trim());
    const code = statusOf(part) ?? 200;
    if (code === CUT)
      throw new MailError('refused', 'the calendar server returned only a part of the calendar');
    if (href === undefined || !URL.canParse(href, base)) return;
    const url = new URL(href, base);
    if (code >= 300) {
      (GONE.has(code) ? gone : failed).push(decodedPath(url));
      return;
    }
    resources += 1;
    if (resources > RESOURCES_MAX)
      throw new MailError('refused', 'the calendar server lists too many objects');
    current += resourceXml(url, part);
    if (current.length > DOCUMENT_CHARS) endDocument();
  }

  const xml = xmlParts('d:multistatus', PREFIXES, take);
  return {
    mostBytes,
    write: (text) => readable(() => xml.write(text)),
    end() {
      readable(() => xml.end());
      if (current !== '' || documents.length === 0) endDocument();
      done({ documents, failed, gone });
    },
  };
}

function resourceXml(url: URL, part: XmlElement): string {
  const propstats = childrenOf(part, 'd:propstat');
  const propsWith = (hasStatus: (code: number) => boolean) =>
    propstats
      .filter((propstat) => hasStatus(statusOf(propstat) ?? 200))
      .flatMap((propstat) => childrenOf(propstat, 'd:prop'))
      .flatMap(({ children }) => children);
  const shown = propsWith((code) => code < 300).map(elementXml);
  const refused = propsWith((code) => code === 401 || code === 403).map(({ name }) => `<${tagOf(name)}/>`);
  const props = `${shown.join('')}<${NOT_SHOWN}>${refused.join('')}</${NOT_SHOWN}>`;
  return `<d:response><d:href>${xmlText(url.href)}</d:href><d:propstat><d:prop>${props}</d:prop></d:propstat></d:response>`;
}

function elementXml({ name, attributes, children, text }: XmlElement): string {
  const tag = tagOf(name);
  const named = attributes.get('name');
  const attribute = named === undefined ? '' : ` name="${xmlText(named)}"`;
  const plain = children.length > 0 ? '' : text.trim();
  const content = plain === '' ? '' : `<![CDATA[${plain.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
  return `<${tag}${attribute}>${content}${children.map(elementXml).join('')}</${tag}>`;
}

/** Elements of other namespaces keep their place, but cannot pass for known ones. */
function tagOf(name: string): string {
  const [prefix = '', local = ''] = name.split(':');
  if (prefix in NAMESPACES && /^[A-Za-z][\w-]*$/.test(local)) return name;
  return `d:other-${local.replace(/[^\w-]/g, '')}`;
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
