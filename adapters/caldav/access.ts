import type { CalendarAccess } from '../../core/ports/calendar.ts';
import type { XmlElement } from '../../core/reading/xml-shapes.ts';
import { childrenOf } from '../remote/xml.ts';
import { resolvedUrl } from './address.ts';
import { decodedPath } from './decoded.ts';
import { namesIn, propHrefs } from './multistatus.ts';
import type { Resource } from './response.ts';

/** Finds out who can access a calendar, as far as its server reports it. */

/** The properties that `accessOf` reads. */
export const ABOUT_ACCESS = ['d:owner', 'd:acl', 'd:share-access', 'd:invite', 'cs:invite', 'oc:invite'];

const INVITES = ABOUT_ACCESS.filter((name) => name.endsWith(':invite'));

export interface SharingServer {
  /** The owner’s principal. Undefined: the server shows none. */
  readonly principal: URL | undefined;
  /** Its capabilities: the classes of its DAV header, in lower case. */
  readonly classes: ReadonlySet<string>;
}

/** Classes of servers that let one person give another access to a calendar. */
const SHARING = ['calendarserver-sharing', 'resource-sharing', 'calendar-proxy', 'calendar-proxy-write'];

/**
 * Checks every sharing method in use. The first that names somebody else decides: the owner (RFC 3744 5.1), the access
 * list (5.5), and the shares (draft-pot-webdav-resource-sharing, caldav-sharing, Nextcloud).
 */
export function accessOf(resource: Resource, { principal, classes }: SharingServer): CalendarAccess {
  const own = principal && pathOf(principal);
  const isOther = (url: URL | undefined) => url === undefined || pathOf(url) !== own;
  const { props, notShown } = resource;
  const types = namesIn(props.get('d:resourcetype')).map(localName);
  if (types.includes('shared') || types.includes('shared-owner')) return 'shared';
  if (own === undefined) return 'unknown';
  if (propHrefs(resource, 'd:owner').some(isOther)) return 'shared';
  const shareAccess = namesIn(props.get('d:share-access'));
  if (shareAccess.some((name) => name !== 'd:not-shared')) return 'shared';
  const invites = INVITES.flatMap((name) => props.get(name) ?? []);
  if (invites.flatMap(namesIn).some((name) => localName(name) !== 'organizer')) return 'shared';
  const acl = props.get('d:acl');
  const hrefIsOther = (href: XmlElement) => isOther(resolvedUrl(href.text.trim(), resource.url));
  if (childrenOf(acl, 'd:ace').some((ace) => givesOthersAccess(ace, hrefIsOther))) return 'shared';
  if (acl !== undefined || shareAccess.length > 0 || invites.length > 0) return 'own';
  // The server has an access list and does not show it.
  if (notShown.has('d:acl')) return 'unknown';
  return SHARING.some((name) => classes.has(name)) ? 'unknown' : 'own';
}

/** Privileges that let nobody see or change the contents of a calendar. */
const HARMLESS = new Set(['c:read-free-busy', 'd:read-current-user-privilege-set', 'd:unlock']);

function givesOthersAccess(ace: XmlElement, hrefIsOther: (href: XmlElement) => boolean): boolean {
  const granted = childrenOf(ace, 'd:grant')
    .flatMap((grant) => childrenOf(grant, 'd:privilege'))
    .flatMap(namesIn);
  if (granted.every((name) => HARMLESS.has(name) || name.startsWith('c:schedule'))) return false;
  const [principal] = childrenOf(ace, 'd:principal');
  const who = principal?.children ?? [];
  const isOwner = (one: XmlElement) =>
    one.name === 'd:self' ||
    (one.name === 'd:property' && namesIn(one).join() === 'd:owner') ||
    (one.name === 'd:href' && !hrefIsOther(one));
  // An inverted or unreadable entry may mean anyone.
  return who.length === 0 || !who.every(isOwner);
}

/** Servers disagree on the namespace of what they share. A name of an unknown one keeps its prefix. */
function localName(name: string): string {
  return name.startsWith('other:') ? name : name.slice(name.indexOf(':') + 1);
}

function pathOf({ origin, pathname }: URL): string {
  return `${origin}${decodedPath(new URL(pathname, origin))}`;
}
