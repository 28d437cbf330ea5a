import type { CalendarAccess } from '../../core/ports/calendar.ts';
import { childrenOf, type XmlElement } from '../remote/xml.ts';
import { decodedPath } from './decoded.ts';
import { propHrefs, propNames, type Resource } from './multistatus.ts';

/** Who gets at a calendar, as far as its server tells. */

/** The properties that `accessOf` looks at. */
export const ABOUT_ACCESS = ['d:owner', 'd:acl', 'd:share-access', 'd:invite', 'cs:invite', 'oc:invite'];

export interface SharingServer {
  /** Of the owner. */
  readonly principal: URL;
  /** What it can do, of its DAV header in lower case. */
  readonly classes: ReadonlySet<string>;
}

/** Classes of servers on which one person can give another access to a calendar. */
const SHARING = ['calendarserver-sharing', 'resource-sharing', 'calendar-proxy', 'calendar-proxy-write'];

/**
 * Every way that is in use is looked at, and the first that names somebody else decides: the owner (RFC 3744 5.1), the
 * access list (5.5), and what has been shared (draft-pot-webdav-resource-sharing, caldav-sharing, Nextcloud).
 */
export function accessOf(resource: Resource, { principal, classes }: SharingServer): CalendarAccess {
  const own = pathOf(principal);
  const isOther = (href: string) =>
    !URL.canParse(href, resource.url) || pathOf(new URL(href, resource.url)) !== own;
  const types = propNames(resource, 'd:resourcetype');
  if (types.includes('cs:shared') || types.includes('cs:shared-owner')) return 'shared';
  if (propHrefs(resource, 'd:owner').some(isOther)) return 'shared';
  const shareAccess = propNames(resource, 'd:share-access');
  if (shareAccess.some((name) => name !== 'd:not-shared')) return 'shared';
  const invites = ['d:invite', 'cs:invite', 'oc:invite'].filter((name) => resource.props.has(name));
  const invited = invites.flatMap((name) => resource.props.get(name)?.children ?? []);
  if (invited.some(({ name }) => !name.endsWith(':organizer'))) return 'shared';
  const acl = resource.props.get('d:acl');
  if (childrenOf(acl, 'd:ace').some((ace) => givesOthersAccess(ace, isOther))) return 'shared';
  if (acl !== undefined || shareAccess.length > 0 || invites.length > 0) return 'own';
  // It has an access list and keeps it to itself.
  if (resource.refused.has('d:acl')) return 'unknown';
  return SHARING.some((name) => classes.has(name)) ? 'unknown' : 'own';
}

/** What lets nobody see or change what is in a calendar. */
const HARMLESS = new Set(['c:read-free-busy', 'd:read-current-user-privilege-set', 'd:unlock']);

function givesOthersAccess(ace: XmlElement, isOther: (href: string) => boolean): boolean {
  const granted = childrenOf(ace, 'd:grant')
    .flatMap((grant) => childrenOf(grant, 'd:privilege'))
    .flatMap(({ children }) => children);
  if (granted.every(({ name }) => HARMLESS.has(name) || /^c:schedule-/.test(name))) return false;
  const [principal] = childrenOf(ace, 'd:principal');
  // What is inverted, or cannot be read, may be anybody.
  const isOwner = (who: XmlElement) =>
    who.name === 'd:self' ||
    (who.name === 'd:property' && childrenOf(who, 'd:owner').length === 1) ||
    (who.name === 'd:href' && !isOther(who.text.trim()));
  return principal === undefined || principal.children.length === 0 || !principal.children.every(isOwner);
}

function pathOf({ origin, pathname }: URL): string {
  return `${origin}${decodedPath(new URL(pathname, origin))}`;
}
