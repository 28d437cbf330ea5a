import type { CalendarAccess } from '../../core/ports/calendar.ts';
import { childrenOf, type XmlElement } from '../remote/xml.ts';
import { decodedPath } from './decoded.ts';
import { propHrefs, propNames, type Resource } from './multistatus.ts';

/** Finds out who can access a calendar, as far as its server reports it. */

/** The properties that `accessOf` reads. */
export const ABOUT_ACCESS = ['d:owner', 'd:acl', 'd:share-access', 'd:invite', 'cs:invite', 'oc:invite'];

export interface SharingServer {
  /** The owner's principal. */
  readonly principal: URL;
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
  // The server has an access list and does not show it.
  if (resource.refused.has('d:acl')) return 'unknown';
  return SHARING.some((name) => classes.has(name)) ? 'unknown' : 'own';
}

/** Privileges that let nobody see or change the contents of a calendar. */
const HARMLESS = new Set(['c:read-free-busy', 'd:read-current-user-privilege-set', 'd:unlock']);

function givesOthersAccess(ace: XmlElement, isOther: (href: string) => boolean): boolean {
  const granted = childrenOf(ace, 'd:grant')
    .flatMap((grant) => childrenOf(grant, 'd:privilege'))
    .flatMap(({ children }) => children);
  if (granted.every(({ name }) => HARMLESS.has(name) || /^c:schedule-/.test(name))) return false;
  const [principal] = childrenOf(ace, 'd:principal');
  // An inverted or unreadable entry may mean anyone.
  const isOwner = (who: XmlElement) =>
    who.name === 'd:self' ||
    (who.name === 'd:property' && childrenOf(who, 'd:owner').length === 1) ||
    (who.name === 'd:href' && !isOther(who.text.trim()));
  return principal === undefined || principal.children.length === 0 || !principal.children.every(isOwner);
}

function pathOf({ origin, pathname }: URL): string {
  return `${origin}${decodedPath(new URL(pathname, origin))}`;
}
