import { normalAddress } from '../../core/contract/schema.ts';
import type { CalendarInfo, UnusableCalendar } from '../../core/ports/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { PrivateServerRefused } from '../remote/connect.ts';
import {
  type Collection,
  calendarsOf,
  isCalendar,
  kindOf,
  nameOf,
  readCalendar,
} from './calendar-resource.ts';
import { decodedPart, decodedPath, nameIn } from './decoded.ts';
import type { CalendarHttp } from './http.ts';
import { type Multistatus, onlyOnce, properties, propHrefs, propText } from './multistatus.ts';
import type { Resource } from './response.ts';
import { hasFailed, StatusError } from './status.ts';

/** A calendar, with its address as the server writes it. */
export interface FoundCalendar extends CalendarInfo {
  readonly url: URL;
}

export function asInfo({ url: _url, ...info }: FoundCalendar): CalendarInfo {
  return info;
}

export interface FoundCalendars {
  readonly calendars: readonly FoundCalendar[];
  /** The collections that contain them. */
  readonly collections: readonly Collection[];
  /** Those that Countersign cannot use, and collections that the server refuses to show. */
  readonly unusable: readonly UnusableCalendar[];
  /** The `calendar` of the server's own default, if it has one (RFC 6638 9.2). */
  readonly serverDefault: string | undefined;
}

/**
 * Finds the account's calendars for events from any address of the server: its principal (RFC 5397), a calendar home, or
 * a calendar. If it is none of them, the well-known address (RFC 6764) may be.
 * @param email the account's own address: the organizer of the events that Countersign creates
 * @throws MailError `refused` if this is not a calendar server, or if it shows none of its calendars
 */
export async function findCalendars(
  http: CalendarHttp,
  root: URL,
  email: string,
  limit: AbortSignal,
): Promise<FoundCalendars> {
  const { principal, collections } = await findCollections(http, root, limit);
  const { found, refused, error } = await readCollections(http, collections, limit);
  const [first] = found;
  if (first === undefined) throw error ?? noCalendarServer();
  const hrefs = (name: string) => (principal === undefined ? [] : propHrefs(principal, name));
  // Without an outbox the server notifies nobody (RFC 6638 2.1), whatever its capabilities.
  const hasOutbox = hrefs('c:schedule-outbox-URL').length > 0;
  const addresses = userAddresses(hrefs('c:calendar-user-address-set'));
  const self = normalAddress(email);
  // The server sends nothing about an event with a different organizer (RFC 6638 3.1). If it does not list its owner's
  // addresses (2.4.1), the answer is yes.
  const isOwnAddress = addresses.size === 0 || addresses.has(self);
  const ownAddresses = [...addresses]
    .filter((address) => address !== self && address.length <= ADDRESS_CHARS)
    .slice(0, ADDRESSES_MAX);
  const classes = classesOf(first.response.headers.dav);
  const options = classes.has('calendar-auto-schedule')
    ? classes
    : await optionsOf(http, first.collection.url, limit);
  const server = { principal: principal?.url, classes: new Set([...classes, ...options]) };
  const announces = hasOutbox && server.classes.has('calendar-auto-schedule');
  // A calendar may be in several homes.
  const resources = onlyOnce(found.flatMap(({ response }) => response.resources));
  const [inbox] = hrefs('c:schedule-inbox-URL');
  return {
    // In a fixed order: Radicale's order changes, and the first calendar may be the one to write to.
    calendars: resources
      .filter((resource) => kindOf(resource) === 'events')
      .map((resource) => ({
        ...readCalendar(resource, server),
        schedules: announces && isOwnAddress,
        answersOrganizers: announces,
        ...(ownAddresses.length > 0 && { ownAddresses }),
      }))
      .sort((a, b) => (a.calendar < b.calendar ? -1 : 1)),
    collections: found.map(({ collection }) => collection),
    unusable: [
      ...refused.map((name): UnusableCalendar => ({ name, reason: 'refused' })),
      ...resources.flatMap((resource) => {
        const kind = kindOf(resource);
        return kind === 'events' || kind === 'none' ? [] : { name: nameOf(resource), reason: kind };
      }),
    ],
    serverDefault: inbox && (await defaultIn(http, inbox, limit)),
  };
}

/**
 * The tags of the calendars, by the `calendar` of their CalendarInfo. A tag changes with each change of an object
 * (calendarserver-ctag). Empty if the server has none.
 */
export async function tagsIn(
  http: CalendarHttp,
  collections: readonly Collection[],
  limit: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const tags = new Map<string, string>();
  for (const { url, depth } of collections) {
    try {
      const { resources } = await properties(http, url, ['cs:getctag'], depth, limit);
      for (const one of resources) {
        const tag = propText(one, 'cs:getctag');
        if (tag) tags.set(one.path, tag);
      }
    } catch (error) {
      // The list finds out whether the server works.
      if (!isRefused(error) && !hasFailed(error)) throw error;
    }
  }
  return tags;
}

const ABOUT_PRINCIPAL = [
  'c:calendar-home-set',
  'c:calendar-user-address-set',
  'c:schedule-outbox-URL',
  'c:schedule-inbox-URL',
];
const ABOUT_ADDRESS = ['d:current-user-principal', 'd:resourcetype', ...ABOUT_PRINCIPAL];

interface FoundCollections {
  /** Undefined: the server shows none, as some do for shared and single calendars. */
  readonly principal: Resource | undefined;
  readonly collections: readonly Collection[];
}

async function findCollections(http: CalendarHttp, root: URL, limit: AbortSignal): Promise<FoundCollections> {
  const tried: string[] = [];
  let isDown = false;
  for (const url of [root, new URL('/.well-known/caldav', root)]) {
    try {
      const found = await collectionsAt(http, url, limit);
      if (found.collections.length > 0) return found;
      tried.push(`${url.pathname} (no calendars)`);
    } catch (error) {
      if (!isElsewhere(error)) throw error;
      isDown ||= error.code === 'unavailable';
      tried.push(`${url.pathname} (${error instanceof StatusError ? error.status : error.message})`);
    }
  }
  throw noCalendarServer(tried, isDown ? 'unavailable' : 'refused');
}

/** Whether the address may be the wrong one. A refused password is never tried at another. */
function isElsewhere(error: unknown): error is MailError {
  if (error instanceof PrivateServerRefused) return false;
  return isRefused(error) || (error instanceof StatusError && error.status >= 500);
}

async function collectionsAt(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<FoundCollections> {
  const about = await onlyOne(http, url, ABOUT_ADDRESS, limit);
  const [href] = propHrefs(about, 'd:current-user-principal');
  const principal = href === undefined ? about : await onlyOne(http, href, ABOUT_PRINCIPAL, limit);
  const homes = propHrefs(principal, 'c:calendar-home-set');
  if (homes.length > 0) {
    const collections = homes.map((home): Collection => ({ url: home, depth: '1' }));
    return { principal, collections };
  }
  const self: Collection = { url: about.url, depth: isCalendar(about) ? '0' : '1' };
  const holdsCalendars =
    isCalendar(about) || (await calendarsOf(http, self, limit)).resources.some(isCalendar);
  return {
    principal: href === undefined ? undefined : principal,
    collections: holdsCalendars ? [self] : [],
  };
}

interface ReadCollection {
  readonly collection: Collection;
  readonly response: Multistatus;
}

/** Reads all of them. If the server refuses one, the others are still read. */
async function readCollections(
  http: CalendarHttp,
  collections: readonly Collection[],
  limit: AbortSignal,
): Promise<{ found: readonly ReadCollection[]; refused: readonly string[]; error: MailError | undefined }> {
  const found: ReadCollection[] = [];
  const refused: string[] = [];
  let error: MailError | undefined;
  for (const collection of collections) {
    try {
      const response = await calendarsOf(http, collection, limit);
      found.push({ collection, response });
      for (const path of response.failed) refused.push(nameIn(path));
    } catch (cause) {
      if (!isRefused(cause)) throw cause;
      error ??= cause;
      refused.push(nameIn(decodedPath(collection.url)));
    }
  }
  return { found, refused, error };
}

function isRefused(error: unknown): error is MailError {
  return error instanceof MailError && ['refused', 'not_found'].includes(error.code);
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

/** The addresses of the owner as events write them. One on the server itself is written with its host, or without. */
function userAddresses(urls: readonly URL[]): ReadonlySet<string> {
  const written = urls.flatMap((url) =>
    url.protocol.startsWith('http') ? [url.pathname, url.href] : [mailAddress(url.href)],
  );
  return new Set(written.map(normalAddress));
}

const ADDRESSES_MAX = 20;
const ADDRESS_CHARS = 320;

function mailAddress(uri: string): string {
  return decodedPart(uri.replace(/^mailto:/i, ''));
}

/** Many servers report their capabilities only to OPTIONS (RFC 4918 18). */
async function optionsOf(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const { headers } = await http.query({ method: 'OPTIONS', url, headers: {}, body: '' }, limit);
    return classesOf(headers.dav);
  } catch (error) {
    if (isRefused(error)) return new Set();
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
    const [href] = propHrefs(found, 'c:schedule-default-calendar-URL');
    return href && decodedPath(href);
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

function noCalendarServer(
  tried: readonly string[] = [],
  code: 'refused' | 'unavailable' = 'refused',
): MailError {
  const what = tried.length === 0 ? '' : `; tried ${tried.join(' and ')}`;
  return new MailError(code, `there is no calendar server at this address${what}`);
}
