import type { Calendar } from '../../core/ports/calendar.ts';
import type { Log } from '../../core/ports/log.ts';
import { type MailAccount, type MailCall, MailError, type Start } from '../../core/ports/mail.ts';
import type { AllowPrivateServers } from '../remote/connect.ts';
import { underCall } from '../remote/time-limit.ts';
import { asInfo, type FoundCalendar, type FoundCalendars, findCalendars } from './discover.ts';
import { eventsInRange, type SeriesTrust } from './events-in-range.ts';
import { findObject } from './find-object.ts';
import { type CalendarHttp, calendarHttp, type Question } from './http.ts';
import { properties, propText } from './multistatus.ts';
import { type CalendarServer, calendarSettings } from './settings.ts';
import { FailedWithin, failureOf } from './status.ts';

/** How long the list of calendars may be used again. */
const CALENDARS_MS = 5 * 60_000;
/** More events than this in one range are refused: a list is never silently shorter. */
const MOST_EVENTS = 50_000;

interface AccountState {
  readonly http: CalendarHttp;
  /** Of the server, and so of all its calendars. */
  trust: SeriesTrust;
  found: { readonly calendars: FoundCalendars; readonly until: number } | undefined;
}

export interface CaldavOptions {
  readonly log?: Log;
  /** As for `imapMail`: whether accounts may name servers on this machine or in private networks. Default false. */
  readonly allowPrivateServers?: AllowPrivateServers;
}

/**
 * Calendars on CalDAV servers (RFC 4791). The `settings` of an account resolve to an object whose `caldav` is a
 * `CalendarServer`; one without it has no calendar.
 *
 * An object that cannot be read does not hide the others: it is left out of the list, and the log is told how many.
 */
export function caldavCalendar({ log, allowPrivateServers = false }: CaldavOptions = {}): Calendar {
  const accounts = new Map<string, AccountState>();

  function stateOf(account: MailAccount): AccountState {
    const key = keyOf(account.ownerId, account.accountId);
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const http = calendarHttp(
      async () => {
        const server = await serverOf(account);
        if (server === undefined)
          throw new MailError('refused', 'this account has no calendar server any more');
        return server;
      },
      { allowPrivateServers },
    );
    const state: AccountState = { http, trust: 'unknown', found: undefined };
    accounts.set(key, state);
    return state;
  }

  /** Undefined: the account has no calendar server. */
  async function calendarsOf(
    { account }: MailCall,
    limit: AbortSignal,
    { fresh = false } = {},
  ): Promise<(FoundCalendars & { server: CalendarServer }) | undefined> {
    const server = await serverOf(account);
    if (server === undefined) return undefined;
    const state = stateOf(account);
    if (fresh || state.found === undefined || performance.now() >= state.found.until) {
      const calendars = await findCalendars(state.http, new URL(server.url), account.email, limit);
      state.found = { calendars, until: performance.now() + CALENDARS_MS };
    }
    return { ...state.found.calendars, server };
  }

  /** The calendar of that name, also when it was made a moment ago; undefined where there is none. */
  async function calendarNamed(
    call: MailCall,
    limit: AbortSignal,
    name: string,
  ): Promise<FoundCalendar | undefined> {
    for (const fresh of [false, true]) {
      const all = await calendarsOf(call, limit, { fresh });
      const found = all?.calendars.find(({ calendar }) => calendar === name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Asks every calendar of the account; when one of them is gone, all that there are now. */
  async function inEach<T>(
    call: MailCall,
    limit: AbortSignal,
    ask: (calendar: FoundCalendar) => Promise<T>,
  ): Promise<T[]> {
    const known = await calendarsOf(call, limit);
    try {
      return await Promise.all((known?.calendars ?? []).map(ask));
    } catch (error) {
      if (!(error instanceof MailError) || error.code !== 'not_found') throw error;
      const now = await calendarsOf(call, limit, { fresh: true });
      return Promise.all((now?.calendars ?? []).map(ask));
    }
  }

  async function objectUrl(call: MailCall, limit: AbortSignal, calendar: string, name: string): Promise<URL> {
    const found = await calendarNamed(call, limit, calendar);
    if (found === undefined) throw new MailError('not_found', 'there is no such calendar');
    const collection = found.url.href.endsWith('/') ? found.url.href : `${found.url.href}/`;
    return new URL(encodeURIComponent(name), collection);
  }

  /** Stores or deletes. What the server did not say for sure is looked up: who is to decide anew must know it. */
  async function change(call: MailCall, request: Question, start: Start, limit: AbortSignal): Promise<void> {
    const { http } = stateOf(call.account);
    try {
      await http.change(request, start, limit);
    } catch (error) {
      const replaced = request.headers['if-match'] ?? null;
      const mayBeGone = error instanceof MailError && error.code === 'conflict' && replaced !== null;
      if (!mayBeGone && !(error instanceof FailedWithin)) throw error;
      const now = await etagNow(http, request.url, limit);
      // Servers say 412 also of an object that is gone.
      if (mayBeGone && now === null) throw failureOf(404);
      if (error instanceof FailedWithin && now === replaced) throw failureOf(500);
      throw error;
    }
  }

  return {
    calendars(call) {
      return underCall(call, async (limit) => {
        const all = await calendarsOf(call, limit, { fresh: true });
        return all?.calendars.map(asInfo) ?? [];
      });
    },

    list(call, query) {
      return underCall(call, async (limit) => {
        const state = stateOf(call.account);
        const found = await inEach(call, limit, (each) =>
          eventsInRange(state.http, each, query, state.trust, limit),
        );
        const learnt = found.map((each) => each.trust);
        state.trust =
          (['misses_series', 'finds_series'] as const).find((one) => learnt.includes(one)) ?? state.trust;
        const broken = found.reduce((sum, each) => sum + each.broken, 0);
        const cut = found.reduce((sum, each) => sum + each.cut, 0);
        if (broken + cut > 0) {
          const { accountId } = call.account;
          log?.warn('calendar objects were left out of a list', { account_id: accountId, broken, cut });
        }
        const events = found.flatMap((each) => each.events);
        if (events.length > MOST_EVENTS)
          throw new MailError('refused', 'there are too many events in that time');
        events.sort((a, b) => a.start.getTime() - b.start.getTime() || (a.uid < b.uid ? -1 : 1));
        return { events, unreadable: broken + cut };
      });
    },

    read(call, key, timezone) {
      return underCall(call, async (limit) => {
        const calendar = await calendarNamed(call, limit, key.calendar);
        if (calendar === undefined) return undefined;
        return findObject(stateOf(call.account).http, calendar, key, timezone, limit);
      });
    },

    target(call) {
      return underCall(call, async (limit) => {
        const all = await calendarsOf(call, limit);
        if (all === undefined) return undefined;
        const { server, serverDefault, calendars } = all;
        const writable = calendars.filter(({ writable }) => writable);
        const named = (name: string | undefined) => writable.find(({ calendar }) => calendar === name);
        if (server.writeTo !== undefined) {
          const chosen = named(server.writeTo);
          // What the owner chose is not replaced by another.
          if (chosen === undefined)
            throw new MailError('not_found', 'the calendar to write to is not there any more');
          return asInfo(chosen);
        }
        const target = named(serverDefault) ?? writable[0];
        return target && asInfo(target);
      });
    },

    write(call, { calendar, name, ics, ifMatch }, start) {
      return underCall(call, async (limit) => {
        const url = await objectUrl(call, limit, calendar, name);
        const condition = ifMatch === null ? { 'if-none-match': '*' } : { 'if-match': ifMatch };
        const headers = { 'content-type': 'text/calendar; charset=utf-8', ...condition };
        await change(call, { method: 'PUT', url, headers, body: ics }, start, limit);
      });
    },

    remove(call, { calendar, name, ifMatch }, start) {
      return underCall(call, async (limit) => {
        const url = await objectUrl(call, limit, calendar, name);
        const headers = { 'if-match': ifMatch };
        await change(call, { method: 'DELETE', url, headers, body: '' }, start, limit);
      });
    },

    async forget(ownerId, accountId) {
      const key = keyOf(ownerId, accountId);
      accounts.get(key)?.http.close();
      accounts.delete(key);
    },

    async close() {
      for (const { http } of accounts.values()) http.close();
      accounts.clear();
    },
  };
}

/** Null: the object is not there. Undefined: that cannot be told. */
async function etagNow(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<string | null | undefined> {
  try {
    const [found] = (await properties(http, url, ['d:getetag'], '0', limit)).resources;
    return found === undefined ? null : propText(found, 'd:getetag');
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return error.code === 'not_found' ? null : undefined;
  }
}

function keyOf(ownerId: string, accountId: number): string {
  return JSON.stringify([ownerId, accountId]);
}

async function serverOf(account: MailAccount): Promise<CalendarServer | undefined> {
  const read = calendarSettings.safeParse(await account.settings());
  if (!read.success)
    throw new MailError('refused', 'the settings of the calendar cannot be read', { cause: read.error });
  return read.data.caldav;
}
