import type { UnusableReason } from '../../core/calendar/why-unusable.ts';
import type { CalendarInfo } from '../../core/ports/calendar.ts';
import { childrenOf } from '../remote/xml.ts';
import { ABOUT_ACCESS, accessOf, type SharingServer } from './access.ts';
import { nameIn } from './decoded.ts';
import type { CalendarHttp } from './http.ts';
import { type Multistatus, namesIn, properties, propText } from './multistatus.ts';
import type { Resource } from './response.ts';
import { mayAskSimpler } from './status.ts';

/** Reads what a server says about its calendars. */

const ABOUT_CALENDARS = [
  'd:resourcetype',
  'd:displayname',
  'd:current-user-privilege-set',
  'c:supported-calendar-component-set',
];

/** A collection that may contain calendars, or a calendar of its own. */
export interface Collection {
  readonly url: URL;
  /** `1`: a calendar home. `0`: a calendar. */
  readonly depth: '0' | '1';
}

/**
 * Reads the calendars of a collection. SOGo answers 501 to a request for the access lists of a whole home. They are
 * then requested for each calendar.
 */
export async function calendarsOf(
  http: CalendarHttp,
  { url, depth }: Collection,
  limit: AbortSignal,
): Promise<Multistatus> {
  try {
    return await properties(http, url, [...ABOUT_CALENDARS, ...ABOUT_ACCESS], depth, limit);
  } catch (error) {
    if (!mayAskSimpler(error)) throw error;
  }
  const all = await properties(http, url, ABOUT_CALENDARS, depth, limit);
  const resources: Resource[] = [];
  for (const one of all.resources) resources.push(isCalendar(one) ? await withAccess(http, one, limit) : one);
  return { ...all, resources };
}

async function withAccess(http: CalendarHttp, calendar: Resource, limit: AbortSignal): Promise<Resource> {
  try {
    const [access] = (await properties(http, calendar.url, ABOUT_ACCESS, '0', limit)).resources;
    const props = new Map([...calendar.props, ...(access?.props ?? [])]);
    return { ...calendar, props, notShown: access?.notShown ?? NO_ACCESS_LIST };
  } catch (error) {
    if (!mayAskSimpler(error)) throw error;
    return { ...calendar, notShown: NO_ACCESS_LIST };
  }
}

const NO_ACCESS_LIST: ReadonlySet<string> = new Set(['d:acl']);

export type CalendarKind = 'events' | Exclude<UnusableReason, 'refused'> | 'none';

/** Whether a resource is a calendar for events. A subscribed one (calendarserver-subscribed) holds none itself. */
export function kindOf(resource: Resource): CalendarKind {
  if (namesIn(resource.props.get('d:resourcetype')).includes('cs:subscribed')) return 'subscribed';
  if (!isCalendar(resource)) return 'none';
  const components = childrenOf(resource.props.get('c:supported-calendar-component-set'), 'c:comp');
  // Without this property, a calendar accepts all components (RFC 4791 5.2.3).
  if (components.length === 0) return 'events';
  const names = components.map(({ attributes }) => attributes.name?.toUpperCase());
  return names.includes('VEVENT') ? 'events' : 'no_events';
}

export function isCalendar({ props }: Resource): boolean {
  return namesIn(props.get('d:resourcetype')).includes('c:calendar');
}

/** What a calendar says about itself, with its address as the server writes it. */
export interface ReadCalendar extends Pick<CalendarInfo, 'calendar' | 'name' | 'writable' | 'access'> {
  readonly url: URL;
}

export function readCalendar(resource: Resource, server: SharingServer): ReadCalendar {
  const { url } = resource;
  const access = accessOf(resource, server);
  return { url, calendar: resource.path, name: nameOf(resource), writable: isWritable(resource), access };
}

/** The display name, or the last part of the address. */
export function nameOf(resource: Resource): string {
  return propText(resource, 'd:displayname') || nameIn(resource.path);
}

const WRITING = new Set(['d:write', 'd:write-content', 'd:all']);

/** RFC 3744 5.4. If the server does not report it, the first write will show it. */
function isWritable({ props }: Resource): boolean {
  const granted = props.get('d:current-user-privilege-set');
  if (granted === undefined) return true;
  return childrenOf(granted, 'd:privilege').some((one) => namesIn(one).some((name) => WRITING.has(name)));
}
