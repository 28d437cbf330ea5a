import { normalAddress } from '../../core/contract/schema.ts';
import type { CalendarAccess, CalendarInfo } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { PrivateServerRefused } from '../remote/connect.ts';
import { childrenOf } from '../remote/xml.ts';
import { ABOUT_ACCESS, accessOf } from './access.ts';
import { decodedPart, decodedPath } from './decoded.ts';
import type { CalendarHttp } from './http.ts';
import { properties, propHrefs, propNames, propText, type Resource } from './multistatus.ts';

/** A calendar, and where it lies as the server writes it. */
export interface FoundCalendar extends CalendarInfo {
  readonly url: URL;
}

export function asInfo({ url: _url, ...info }: FoundCalendar): CalendarInfo {
  return info;
}

export interface FoundCalendars {
  readonly calendars: readonly FoundCalendar[];
  /** `calendar` of the server's own default, where it names one (RFC 6638 9.2). */
  readonly serverDefault: string | undefined;
}

/**
 * From any address of the server to the account's calendars that hold events: principal (RFC 5397), by the well-known
 * address (RFC 6764) where this one knows none, its calendar home (RFC 4791 6.2.1), what lies in it.
 * @param email the account's own address: what the events that we make have as their organizer
 * @throws MailError `refused` where this is no calendar server
 */
export async function findCalendars(
  http: CalendarHttp,
  root: URL,
  email: string,
  limit: AbortSignal,
): Promise<FoundCalendars> {
  const principal = await findPrincipal(http, root, limit);
  const about = await onlyOne(http, principal, ABOUT_PRINCIPAL, limit);
  const [home] = propHrefs(about, 'c:calendar-home-set');
  if (home === undefined) throw noCalendarServer();
  const homeUrl = new URL(home, principal);
  const { resources, headers } = await properties(http, homeUrl, ABOUT_CALENDARS, '1', limit);
  // Without an outbox nobody is told (RFC 6638 2.1), whatever the server can do.
  const hasOutbox = propHrefs(about, 'c:schedule-outbox-URL').length > 0;
  const isOwnAddress = isCalendarUser(propHrefs(about, 'c:calendar-user-address-set'), email);
  const classes = classesOf(headers.dav);
  const options = classes.has('calendar-auto-schedule') ? classes : await optionsOf(http, homeUrl, limit);
  const server = { principal, classes: new Set([...classes, ...options]) };
  const announces = hasOutbox && server.classes.has('calendar-auto-schedule');
  // In an order of ours: Radicale's changes, and the first of them may be the one that is written to.
  const calendars = resources
    .filter(holdsEvents)
    .map((resource) => ({
      ...foundCalendar(resource, accessOf(resource, server)),
      schedules: announces && isOwnAddress,
      answersOrganizers: announces,
    }))
    .sort((a, b) => (a.calendar < b.calendar ? -1 : 1));
  const [inbox] = propHrefs(about, 'c:schedule-inbox-URL');
  return {
    calendars,
    serverDefault: inbox && (await defaultIn(http, new URL(inbox, principal), limit)),
  };
}

const ABOUT_PRINCIPAL = [
  'c:calendar-home-set',
  'c:calendar-user-address-set',
  'c:schedule-outbox-URL',
  'c:schedule-inbox-URL',
];
const ABOUT_CALENDARS = [
  'd:resourcetype',
  'd:displayname',
  'd:current-user-privilege-set',
  'c:supported-calendar-component-set',
  ...ABOUT_ACCESS,
];

async function findPrincipal(http: CalendarHttp, root: URL, limit: AbortSignal): Promise<URL> {
  for (const url of [root, new URL('/.well-known/caldav', root)]) {
    try {
      const found = await onlyOne(http, url, ['d:current-user-principal'], limit);
      const [href] = propHrefs(found, 'd:current-user-principal');
      if (href !== undefined) return new URL(href, url);
    } catch (error) {
      // This address is not the one; another trouble is not cured by asking another.
      const elsewhere = error instanceof MailError && ['refused', 'not_found'].includes(error.code);
      if (!elsewhere || error instanceof PrivateServerRefused) throw error;
    }
  }
  throw noCalendarServer();
}

async function onlyOne(
  http: CalendarHttp,
  url: URL,
  names: readonly string[],
  limit: AbortSignal,
): Promise<Resource> {
  const [resource] = (await properties(http, url, names, '0', limit)).resources;
  if (resource === undefined) throw noCalendarServer();
  return resource;
}

/**
 * Whether the server takes this address for the owner's. It tells nobody of an event whose organizer is somebody else
 * (RFC 6638 3.1). One that does not say which addresses these are (2.4.1) is taken at its word.
 */
function isCalendarUser(addresses: readonly string[], email: string): boolean {
  const self = normalAddress(email);
  return addresses.length === 0 || addresses.some((uri) => normalAddress(mailAddress(uri)) === self);
}

function mailAddress(uri: string): string {
  return decodedPart(uri.trim().replace(/^mailto:/i, ''));
}

/** Many servers say what they can do to OPTIONS only (RFC 4918 18). */
async function optionsOf(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const { headers } = await http.ask({ method: 'OPTIONS', url, headers: {}, body: '' }, limit);
    return classesOf(headers.dav);
  } catch (error) {
    if (error instanceof MailError && ['refused', 'not_found'].includes(error.code)) return new Set();
    throw error;
  }
}

function classesOf(dav: string | string[] | undefined): ReadonlySet<string> {
  const names = [dav ?? ''].flat().join().split(',');
  return new Set(names.map((name) => name.trim().toLowerCase()).filter((name) => name !== ''));
}

/** A server that has none, or does not show it, has no default: that is no failure. */
async function defaultIn(http: CalendarHttp, inbox: URL, limit: AbortSignal): Promise<string | undefined> {
  try {
    const found = await onlyOne(http, inbox, ['c:schedule-default-calendar-URL'], limit);
    const [href] = propHrefs(found, 'c:schedule-default-calendar-URL');
    return href === undefined ? undefined : decodedPath(new URL(href, inbox));
  } catch (error) {
    if (error instanceof MailError && ['refused', 'not_found'].includes(error.code)) return undefined;
    throw error;
  }
}

function holdsEvents(resource: Resource): boolean {
  if (!propNames(resource, 'd:resourcetype').includes('c:calendar')) return false;
  const components = childrenOf(resource.props.get('c:supported-calendar-component-set'), 'c:comp');
  // One that does not say holds everything (RFC 4791 5.2.3).
  if (components.length === 0) return true;
  return components.some(({ attributes }) => attributes.get('name')?.toUpperCase() === 'VEVENT');
}

function foundCalendar(
  resource: Resource,
  access: CalendarAccess,
): Omit<FoundCalendar, 'schedules' | 'answersOrganizers'> {
  const { url } = resource;
  const calendar = decodedPath(url);
  const lastPart = calendar.split('/').filter(Boolean).at(-1) ?? calendar;
  const name = propText(resource, 'd:displayname');
  return { url, calendar, name: name ? name : lastPart, writable: isWritable(resource), access };
}

const WRITING = new Set(['d:write', 'd:write-content', 'd:all']);

/** RFC 3744 5.4. Where the server does not say, it will when it is tried. */
function isWritable({ props }: Resource): boolean {
  const granted = props.get('d:current-user-privilege-set');
  if (granted === undefined) return true;
  return childrenOf(granted, 'd:privilege')
    .flatMap(({ children }) => children)
    .some(({ name }) => WRITING.has(name));
}

function noCalendarServer(): MailError {
  return new MailError('refused', 'there is no calendar server at this address');
}
