import { checkOptions } from '../../core/contract/options.ts';
import type { DocumentPlace } from '../../core/ports/calendar.ts';
import type { CalendarObjects } from '../../core/ports/calendar-objects.ts';
import { errorName, type Log } from '../../core/ports/log.ts';
import { type MailAccount, type MailCall, MailError, type Start } from '../../core/ports/mail.ts';
import type { Reader } from '../../core/ports/reader.ts';
import type { AllowPrivateServers } from '../remote/connect.ts';
import { withinCall } from '../remote/time-limit.ts';
import { addressOf } from './address.ts';
import { changeObject, type ObjectChange } from './change-object.ts';
import { asInfo, type FoundCalendar, type FoundCalendars, findCalendars, tagsIn } from './discover.ts';
import { findObjects, type UidTrust } from './find-objects.ts';
import { type CalendarHttp, calendarHttp } from './http.ts';
import { keptCalendars } from './kept-calendars.ts';
import { objectsInRange, type SeriesTrust } from './objects-in-range.ts';
import {
  type CaldavSettings,
  type CalendarServer,
  calendarSettings,
  type SignInCalendarServer,
} from './settings.ts';

const NO_CALENDAR =
  'the calendar server has no calendar for events yet; create one in a calendar program, then choose “Check now” under Accounts';

/** How long the list of calendars may be reused. */
const CALENDARS_MS = 5 * 60_000;

interface AccountState {
  /** Of the settings that it uses. */
  readonly revision: number;
  readonly http: CalendarHttp;
  /** Known about the server, so it applies to all its calendars. */
  trust: SeriesTrust;
  uidTrust: UidTrust;
  /** The calendars that it refused to list. */
  readonly refused: Set<string>;
  found: { readonly calendars: FoundCalendars; readonly until: number } | undefined;
}

export type { Secret } from '../remote/mail-server.ts';
export type { CaldavSettings, CalendarServer } from './settings.ts';

export interface CaldavOptions {
  /** Reads what calendar servers answer: the reader of the service. */
  readonly reader: Reader;
  readonly log?: Log;
  /** As for `imapMail`: whether accounts may name servers on this machine or in private networks. Default: false. */
  readonly allowPrivateServers?: AllowPrivateServers;
}

/**
 * Calendars on CalDAV servers (RFC 4791). The `settings` of an account resolve to an object whose `caldav` is a
 * `CalendarServer`. An account without it has no calendar.
 */
export function caldavCalendar(options: CaldavOptions): CalendarObjects<CaldavSettings> {
  checkOptions('caldavCalendar', options, {
    reader: ['required', 'object'],
    log: ['optional', 'object'],
    allowPrivateServers: ['optional', 'boolean', 'function'],
  });
  const { reader, log, allowPrivateServers = false } = options;
  const accounts = new Map<string, AccountState>();
  const kept = keptCalendars();

  function stateOf(account: MailAccount): AccountState {
    const key = keyOf(account.ownerId, account.accountId);
    const { revision = 0 } = account;
    const known = accounts.get(key);
    // A call that began before a change of the settings uses the new ones.
    if (known !== undefined && known.revision >= revision) return known;
    known?.http.close();
    kept.forget(account);
    const http = calendarHttp(
      async () => {
        const server = await serverOf(account);
        if (server === undefined)
          throw new MailError('refused', 'this account no longer has a calendar server');
        return server;
      },
      { allowPrivateServers },
      { reader, ownerId: account.ownerId },
    );
    const state: AccountState = {
      revision,
      http,
      trust: 'unknown',
      uidTrust: 'unknown',
      refused: new Set(),
      found: undefined,
    };
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
      // The owner may be about to create the first one.
      const reusableMs = calendars.calendars.length === 0 ? 0 : CALENDARS_MS;
      state.found = { calendars, until: performance.now() + reusableMs };
    }
    return { ...state.found.calendars, server };
  }

  /** Finds the calendar of that name. Refreshes the list once, so a new one is found. Undefined if none matches. */
  async function findCalendar(
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

  function change(
    call: MailCall,
    { calendar, name }: DocumentPlace,
    changed: ObjectChange,
    start: Start,
  ): Promise<void> {
    return withinCall(call, async (limit) => {
      const found = await findCalendar(call, limit, calendar);
      if (found === undefined) throw new MailError('not_found', 'there is no such calendar');
      await changeObject(stateOf(call.account).http, addressOf(found, name), changed, start, limit);
    });
  }

  return {
    calendars(call) {
      return withinCall(call, async (limit) => {
        const all = await calendarsOf(call, limit, { fresh: true });
        return all?.calendars.map(asInfo) ?? [];
      });
    },

    unusable(call) {
      return withinCall(call, async (limit) => {
        const all = await calendarsOf(call, limit);
        if (all === undefined) return [];
        const { refused } = stateOf(call.account);
        const inList = all.calendars.filter(({ calendar }) => refused.has(calendar));
        return [...all.unusable, ...inList.map(({ name }) => ({ name, reason: 'refused' as const }))];
      });
    },

    async *inRange(call, range) {
      const state = stateOf(call.account);
      const key = keyOf(call.account.ownerId, call.account.accountId);
      const trust = state.trust;
      const calendarsIn = ({ fresh }: { fresh: boolean }) =>
        withinCall(call, (limit) => calendarsOf(call, limit, { fresh }));
      const found = await calendarsIn({ fresh: false });
      if (found === undefined) return;
      // Before the objects: a change in between shows in the next list.
      const tags = await withinCall(call, (limit) => tagsIn(state.http, found.collections, limit));
      const fetched = (each: FoundCalendar) => {
        const known = { trust, kept: kept.get(call.account, each.calendar), ctag: tags.get(each.calendar) };
        return withinCall(call, (limit) => objectsInRange(state.http, each, range, known, limit));
      };
      const returned = new Set<string>();
      for (const { name, reason } of found.unusable) if (reason === 'refused') yield { refused: name };
      let isFresh = false;
      let waiting = [...found.calendars];
      while (waiting.length > 0) {
        const [each, ...others] = waiting;
        waiting = others;
        if (each === undefined || returned.has(each.calendar)) continue;
        try {
          const { seen, hasFailed, kept: keeping, ...objects } = await fetched(each);
          // The account may have been removed or changed meanwhile.
          if (accounts.get(key) === state) kept.set(call.account, each.calendar, keeping);
          returned.add(each.calendar);
          state.refused.delete(each.calendar);
          if (hasFailed) {
            log?.warn('a calendar server failed to filter a calendar; all of its objects were requested', {
              account_id: call.account.accountId,
              calendar: loggedName(each, returned.size),
              missing: objects.missing,
            });
          }
          yield {
            ...objects,
            calendar: each.calendar,
            learn(all) {
              state.trust = strongest(state.trust, seen(all));
            },
          };
        } catch (error) {
          if (!(error instanceof MailError)) throw error;
          if (error.code === 'refused' || (isFresh && error.code === 'not_found')) {
            returned.add(each.calendar);
            state.refused.add(each.calendar);
            log?.warn('a calendar server refused a calendar; the others are listed', {
              account_id: call.account.accountId,
              calendar: loggedName(each, returned.size),
              ...errorName(error),
            });
            yield { refused: each.name, error };
            continue;
          }
          if (error.code !== 'not_found') {
            const { code, message, trouble } = error;
            throw new MailError(code, message, { cause: error, trouble, calendar: returned.size + 1 });
          }
          // One of them no longer exists: continue with all that exist now.
          isFresh = true;
          waiting = [...((await calendarsIn({ fresh: true }))?.calendars ?? [])];
        }
      }
    },

    withUid(call, key) {
      return withinCall(call, async (limit) => {
        const calendar = await findCalendar(call, limit, key.calendar);
        if (calendar === undefined) return [];
        const state = stateOf(call.account);
        const known = { kept: kept.get(call.account, key.calendar), trust: state.uidTrust };
        const wanted = { uid: key.uid, documentName: key.documentName };
        const found = await findObjects(state.http, calendar, wanted, known, limit);
        state.uidTrust = found.trust;
        return found.objects;
      });
    },

    target(call) {
      return withinCall(call, async (limit) => {
        const all = await calendarsOf(call, limit);
        if (all === undefined) return undefined;
        const { server, serverDefault, calendars } = all;
        if (calendars.length === 0) throw new MailError('not_found', NO_CALENDAR, { trouble: 'no_calendar' });
        const { refused } = stateOf(call.account);
        const writable = calendars.filter((one) => one.writable && !refused.has(one.calendar));
        const named = (name: string | undefined) => writable.find(({ calendar }) => calendar === name);
        if (server.writeTo !== undefined) {
          const chosen = named(server.writeTo);
          // A calendar that the owner chose is never replaced by another one.
          if (chosen === undefined)
            throw new MailError('not_found', 'the calendar to write to no longer exists');
          return asInfo(chosen);
        }
        const target = named(serverDefault) ?? writable[0];
        return target && asInfo(target);
      });
    },

    write: (call, object, start) => change(call, object, object, start),
    remove: (call, object, start) => change(call, object, { ics: null, ifMatch: object.ifMatch }, start),

    async forget(ownerId, accountId) {
      const key = keyOf(ownerId, accountId);
      accounts.get(key)?.http.close();
      accounts.delete(key);
      kept.forget({ ownerId, accountId });
    },

    async close() {
      for (const { http } of accounts.values()) http.close();
      accounts.clear();
    },
  };
}

/** The last part of its path if it is a plain name. Otherwise its number among the account's calendars. */
function loggedName({ calendar }: FoundCalendar, number: number): string {
  const name = calendar.split('/').findLast((part) => part !== '') ?? '';
  return /^[\w-]{1,64}$/.test(name) ? name : String(number);
}

/** One calendar shows how its server treats all of them. If series are missed anywhere, that wins. */
function strongest(known: SeriesTrust, learnt: SeriesTrust): SeriesTrust {
  return (['misses_series', 'finds_series'] as const).find((one) => one === known || one === learnt) ?? known;
}

function keyOf(ownerId: string, accountId: number): string {
  return JSON.stringify([ownerId, accountId]);
}

async function serverOf(account: MailAccount): Promise<SignInCalendarServer | undefined> {
  const read = calendarSettings.safeParse(await account.settings());
  if (!read.success)
    throw new MailError('refused', 'the settings of the calendar cannot be read', { cause: read.error });
  const { caldav } = read.data;
  return caldav && { ...caldav, accessToken: account.accessToken };
}
