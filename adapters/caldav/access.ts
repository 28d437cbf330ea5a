import type { CalendarAccess } from '../../core/ports/calendar.ts';
import { decodedPath } from './decoded.ts';
import { elementsIn, namesIn, propHrefs, type Resource, textOf } from './multistatus.ts';

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
  const { resourcetype, shareAccess, invite, acl, notShown } = resource.props;
  const types = namesIn(resourcetype);
  if (types.includes('shared') || types.includes('sharedOwner')) return 'shared';
  if (propHrefs(resource, 'owner').some(isOther)) return 'shared';
  if (namesIn(shareAccess).some((name) => name !== 'notShared')) return 'shared';
  if (namesIn(invite).some((name) => name !== 'organizer')) return 'shared';
  if (elementsIn(acl, 'ace').some((ace) => givesOthersAccess(ace, isOther))) return 'shared';
  if (acl !== undefined || namesIn(shareAccess).length > 0 || invite !== undefined) return 'own';
  // The server has an access list and does not show it.
  if (namesIn(notShown).includes('acl')) return 'unknown';
  return SHARING.some((name) => classes.has(name)) ? 'unknown' : 'own';
}

/** Privileges that let nobody see or change the contents of a calendar. */
const HARMLESS = new Set(['readFreeBusy', 'readCurrentUserPrivilegeSet', 'unlock']);

function givesOthersAccess(ace: unknown, isOther: (href: string) => boolean): boolean {
  const granted = elementsIn(ace, 'grant')
    .flatMap((grant) => elementsIn(grant, 'privilege'))
    .flatMap(namesIn);
  if (granted.every((name) => HARMLESS.has(name) || name.startsWith('schedule'))) return false;
  const [principal] = elementsIn(ace, 'principal');
  const who = namesIn(principal);
  const isOwner = (name: string) =>
    elementsIn(principal, name).every(
      (one) =>
        name === 'self' ||
        (name === 'property' && namesIn(one).join() === 'owner') ||
        (name === 'href' && !isOther(textOf(one))),
    );
  // An inverted or unreadable entry may mean anyone.
  return who.length === 0 || !who.every(isOwner);
}

function pathOf({ origin, pathname }: URL): string {
  return `${origin}${decodedPath(new URL(pathname, origin))}`;
}
