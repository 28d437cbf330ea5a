import * as z from 'zod';
import { normalAddress } from '../../core/contract/schema.ts';
import type { CalendarAccess, CalendarInfo } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { PrivateServerRefused } from '../remote/connect.ts';
import { ABOUT_ACCESS, accessOf } from './access.ts';
import { decodedPart, decodedPath } from './decoded.ts';
import type { CalendarHttp } from './http.ts';
import { elementsIn, namesIn, properties, propHrefs, propText, type Resource } from './multistatus.ts';
import { FailedOnRequest } from './status.ts';

/** A calendar, with its address as the server writes it. */
export interface FoundCalendar extends CalendarInfo {
  readonly url: URL;
}

export function asInfo({ url: _url, ...info }: FoundCalendar): CalendarInfo {
  return info;
}

export interface FoundCalendars {
  readonly calendars: readonly FoundCalendar[];
  /** The collection that contains them. */
  readonly home: URL;
  /** The `calendar` of the server's own default, if it has one (RFC 6638 9.2). */
  readonly serverDefault: string | undefined;
}

/**
 * Finds the account's calendars for events from any address of the server: first the principal (RFC 5397), by the
 * well-known address (RFC 6764) if this one does not name it, then the calendar home (RFC 4791 6.2.1) and its contents.
 * @param email the account's own address: the organizer of the events that Countersign creates
 * @throws MailError `refused` if this is not a calendar server
 */
export async function findCalendars(
  http: CalendarHttp,
  root: URL,
  email: string,
  limit: AbortSignal,
): Promise<FoundCalendars> {
  const principal = await findPrincipal(http, root, limit);
  const about = await onlyOne(http, principal, ABOUT_PRINCIPAL, limit);
  const [home] = propHrefs(about, 'calendarHomeSet');
  if (home === undefined) throw noCalendarServer();
  const homeUrl = new URL(home, principal);
  const { resources, headers } = await properties(http, homeUrl, ABOUT_CALENDARS, '1', limit);
  // Without an outbox the server notifies nobody (RFC 6638 2.1), whatever its capabilities.
  const hasOutbox = propHrefs(about, 'scheduleOutboxURL').length > 0;
  const isOwnAddress = isCalendarUser(propHrefs(about, 'calendarUserAddressSet'), email);
  const classes = classesOf(headers.dav);
  const options = classes.has('calendar-auto-schedule') ? classes : await optionsOf(http, homeUrl, limit);
  const server = { principal, classes: new Set([...classes, ...options]) };
  const announces = hasOutbox && server.classes.has('calendar-auto-schedule');
  // In a fixed order: Radicale's order changes, and the first calendar may be the one to write to.
  const calendars = resources
    .filter(holdsEvents)
    .map((resource) => ({
      ...foundCalendar(resource, accessOf(resource, server)),
      schedules: announces && isOwnAddress,
      answersOrganizers: announces,
    }))
    .sort((a, b) => (a.calendar < b.calendar ? -1 : 1));
  const [inbox] = propHrefs(about, 'scheduleInboxURL');
  return {
    calendars,
    home: homeUrl,
    serverDefault: inbox && (await defaultIn(http, new URL(inbox, principal), limit)),
  };
}

/**
 * The tags of the calendars, by the `calendar` of their CalendarInfo. A tag changes with each change of an object
 * (calendarserver-ctag). Empty if the server has none.
 */
export async function tagsIn(
  http: CalendarHttp,
  home: URL,
  limit: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  try {
    const { resources } = await properties(http, home, ['cs:getctag'], '1', limit);
    const tagged = resources.map((one) => [decodedPath(one.url), propText(one, 'getctag') ?? ''] as const);
    return new Map(tagged.filter(([, tag]) => tag !== ''));
  } catch (error) {
    // The list finds out whether the server works.
    const isAnswered = error instanceof MailError && ['refused', 'not_found'].includes(error.code);
    if (isAnswered || error instanceof FailedOnRequest) return new Map();
    throw error;
  }
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
      const [href] = propHrefs(found, 'currentUserPrincipal');
      if (href !== undefined) return new URL(href, url);
    } catch (error) {
      // Not the right address. For any other error, a different address would not help.
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
 * Whether the server takes this address for the owner's. It sends nothing about an event with a different organizer
 * (RFC 6638 3.1). If a server does not list its owner's addresses (2.4.1), the answer is yes.
 */
function isCalendarUser(addresses: readonly string[], email: string): boolean {
  const self = normalAddress(email);
  return addresses.length === 0 || addresses.some((uri) => normalAddress(mailAddress(uri)) === self);
}

function mailAddress(uri: string): string {
  return decodedPart(uri.trim().replace(/^mailto:/i, ''));
}

/** Many servers report their capabilities only to OPTIONS (RFC 4918 18). */
async function optionsOf(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const { headers } = await http.query({ method: 'OPTIONS', url, headers: {}, body: '' }, limit);
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

/** The default calendar. A server that has none, or does not show it, has no default; that is not a failure. */
async function defaultIn(http: CalendarHttp, inbox: URL, limit: AbortSignal): Promise<string | undefined> {
  try {
    const found = await onlyOne(http, inbox, ['c:schedule-default-calendar-URL'], limit);
    const [href] = propHrefs(found, 'scheduleDefaultCalendarURL');
    return href === undefined ? undefined : decodedPath(new URL(href, inbox));
  } catch (error) {
    if (error instanceof MailError && ['refused', 'not_found'].includes(error.code)) return undefined;
    throw error;
  }
}

function holdsEvents({ props }: Resource): boolean {
  if (!namesIn(props.resourcetype).includes('calendar')) return false;
  const components = elementsIn(props.supportedCalendarComponentSet, 'comp');
  // Without this property, a calendar accepts all components (RFC 4791 5.2.3).
  if (components.length === 0) return true;
  return components.some((comp) => {
    const read = component.safeParse(comp);
    return read.success && read.data._attributes.name.toUpperCase() === 'VEVENT';
  });
}

const component = z.object({ _attributes: z.object({ name: z.string() }) });

function foundCalendar(
  resource: Resource,
  access: CalendarAccess,
): Omit<FoundCalendar, 'schedules' | 'answersOrganizers'> {
  const { url } = resource;
  const calendar = decodedPath(url);
  const lastPart = calendar.split('/').filter(Boolean).at(-1) ?? calendar;
  const name = propText(resource, 'displayname');
  return { url, calendar, name: name ? name : lastPart, writable: isWritable(resource), access };
}

const WRITING = new Set(['write', 'writeContent', 'all']);

/** RFC 3744 5.4. If the server does not report it, the first write will show it. */
function isWritable({ props: { currentUserPrivilegeSet: granted } }: Resource): boolean {
  if (granted === undefined) return true;
  return elementsIn(granted, 'privilege').some((one) => namesIn(one).some((name) => WRITING.has(name)));
}

function noCalendarServer(): MailError {
  return new MailError('refused', 'there is no calendar server at this address');
}
