import { accountCache } from '../../core/accounts/account-cache.ts';
import { checkOptions } from '../../core/contract/options.ts';
import { jsonBytes } from '../../core/memory/json-bytes.ts';
import type { DocumentPlace, MissingCalendar } from '../../core/ports/calendar.ts';
import type { CalendarObjects } from '../../core/ports/calendar-objects.ts';
import { errorName, type Log } from '../../core/ports/log.ts';
import { type MailAccount, type MailCall, MailError, type Start } from '../../core/ports/mail.ts';
import type { Reader } from '../../core/ports/reader.ts';
import type { AllowPrivateServers } from '../remote/connect.ts';
import { openAccounts } from '../remote/open-accounts.ts';
import { withinCall } from '../remote/time-limit.ts';
import { addressOf } from './address.ts';
import { changeObject, type ObjectChange } from './change-object.ts';
import { asInfo, type FoundCalendar, type FoundCalendars, findCalendars, tagsIn } from './discover.ts';
import { findObjects, type UidTrust } from './find-objects.ts';
import { calendarHttp } from './http.ts';
import { keptCalendars } from './kept-calendars.ts';
import { objectsInRange, type SeriesTrust } from './objects-in-range.ts';
import {
  type CaldavSettings,
  type CalendarServer,
  calendarSettings,
  type SignInCalendarServer,
} from './settings.ts';
import { hasFailed } from './status.ts';

const NO_CALENDAR =
  'the calendar server has no calendar for events yet; create one in a calendar program, then choose “Check now” under Accounts';

/** How long the list of calendars may be reused. */
const CALENDARS_MS = 5 * 60_000;

/** What is known of a server, so it applies to all calendars of the account. */
interface KnownServer {
  trust: SeriesTrust;
  uidTrust: UidTrust;
  /** The calendars that it refused to list, among those that were found. */
  readonly refused: Set<string>;
  found: { readonly calendars: FoundCalendars; readonly untilMs: number } | undefined;
}

/** Some 10,000 calendars. */
const SERVERS_BYTES = 16 * 1024 * 1024;
/** Of the name of a refused calendar, besides its text. */
const NAME_BYTES = 50;

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
  const kept = keptCalendars();
  const servers = accountCache(SERVERS_BYTES, bytesOf);
  const accounts = openAccounts((account) =>
    calendarHttp(
      async () => {
        const server = await serverOf(account);
        if (server === undefined)
          throw new MailError('refused', 'this account no longer has a calendar server');
        return server;
      },
      { allowPrivateServers },
      { reader, ownerId: account.ownerId },
    ),
  );

  function knownServer(account: MailAccount): KnownServer {
    const begun = {
      trust: 'unknown',
      uidTrust: 'unknown',
      refused: new Set<string>(),
      found: undefined,
    } as const;
    return servers.get(account, '') ?? keepServer(account, begun);
  }

  /** The account may have been removed meanwhile. */
  function keepServer(account: MailAccount, server: KnownServer): KnownServer {
    if (accounts.has(account)) servers.set(account, '', server);
    return server;
  }

  /** Undefined: the account has no calendar server. */
  async function calendarsOf(
    { account }: MailCall,
    limit: AbortSignal,
    { fresh = false } = {},
  ): Promise<(FoundCalendars & { server: CalendarServer }) | undefined> {
    const server = await serverOf(account);
    if (server === undefined) return undefined;
    const known = knownServer(account);
    if (!fresh && known.found !== undefined && performance.now() < known.found.untilMs)
      return { ...known.found.calendars, server };
    const calendars = await findCalendars(accounts.of(account), new URL(server.url), account.email, limit);
    // The owner may be about to create the first one.
    const reusableMs = calendars.calendars.length === 0 ? 0 : CALENDARS_MS;
    known.found = { calendars: ownCopyOf(calendars), untilMs: performance.now() + reusableMs };
    const names = new Set(calendars.calendars.map(({ calendar }) => calendar));
    for (const name of known.refused) if (!names.has(name)) known.refused.delete(name);
    keepServer(account, known);
    return { ...known.found.calendars, server };
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
      await changeObject(accounts.of(call.account), addressOf(found, name), changed, start, limit);
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
        const { refused } = knownServer(call.account);
        const inList = all.calendars.filter(({ calendar }) => refused.has(calendar));
        return [...all.unusable, ...inList.map(({ name }) => ({ name, reason: 'refused' as const }))];
      });
    },

    async *inRange(call, range) {
      const http = accounts.of(call.account);
      const server = knownServer(call.account);
      const { trust } = server;
      const calendarsIn = ({ fresh }: { fresh: boolean }) =>
        withinCall(call, (limit) => calendarsOf(call, limit, { fresh }));
      const found = await calendarsIn({ fresh: false });
      if (found === undefined) return;
      // Before the objects: a change in between shows in the next list.
      const tags = await withinCall(call, (limit) => tagsIn(http, found.collections, limit));
      const fetched = (each: FoundCalendar) => {
        const known = { trust, kept: kept.get(call.account, each.calendar), ctag: tags.get(each.calendar) };
        return withinCall(call, (limit) => objectsInRange(http, each, range, known, limit));
      };
      const returned = new Set<string>();
      for (const { name, reason } of found.unusable) if (reason === 'refused') yield { name, reason };
      let isFresh = false;
      let waiting = [...found.calendars];
      while (waiting.length > 0) {
        const [each, ...others] = waiting;
        waiting = others;
        if (each === undefined || returned.has(each.calendar)) continue;
        try {
          const { seen, hasFailed: isFailing, kept: keeping, ...objects } = await fetched(each);
          // The account may have been removed meanwhile.
          if (accounts.has(call.account)) kept.set(call.account, each.calendar, keeping);
          returned.add(each.calendar);
          server.refused.delete(each.calendar);
          if (isFailing) {
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
              server.trust = strongest(server.trust, seen(all));
            },
          };
        } catch (error) {
          if (!(error instanceof MailError)) throw error;
          const reason = whyUnlisted(error, isFresh);
          if (reason !== undefined) {
            returned.add(each.calendar);
            if (reason === 'refused') server.refused.add(each.calendar);
            log?.warn('a calendar server does not list a calendar; the others are listed', {
              account_id: call.account.accountId,
              calendar: loggedName(each, returned.size),
              reason,
              ...errorName(error),
            });
            yield { name: each.name, reason, error };
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
        const server = knownServer(call.account);
        const known = { kept: kept.get(call.account, key.calendar), trust: server.uidTrust };
        const wanted = { uid: key.uid, documentName: key.documentName };
        const found = await findObjects(accounts.of(call.account), calendar, wanted, known, limit);
        server.uidTrust = found.trust;
        return found.objects;
      });
    },

    target(call) {
      return withinCall(call, async (limit) => {
        const all = await calendarsOf(call, limit);
        if (all === undefined) return undefined;
        const { server, serverDefault, calendars } = all;
        if (calendars.length === 0) throw new MailError('not_found', NO_CALENDAR, { trouble: 'no_calendar' });
        const { refused } = knownServer(call.account);
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
      accounts.forget(ownerId, accountId);
      for (const cache of [kept, servers]) cache.forget({ ownerId, accountId });
    },

    async close() {
      accounts.close();
    },
  };
}

/** Why one calendar is missing. Undefined: the failure is not of that calendar, or it no longer exists. */
function whyUnlisted(error: MailError, isFresh: boolean): MissingCalendar['reason'] | undefined {
  if (error.code === 'refused' || (isFresh && error.code === 'not_found')) return 'refused';
  return hasFailed(error) ? 'undeliverable' : undefined;
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

function bytesOf({ found, refused }: KnownServer): number {
  const names = [...refused].reduce((sum, name) => sum + NAME_BYTES + 2 * name.length, 0);
  return names + (found === undefined ? 0 : jsonBytes(found));
}

/** Its texts are cut out of the responses. */
function ownCopyOf(found: FoundCalendars): FoundCalendars {
  const { calendars, collections, ...others } = found;
  return {
    ...structuredClone(others),
    calendars: calendars.map((one) => ({ ...structuredClone(asInfo(one)), url: one.url })),
    collections,
  };
}

async function serverOf(account: MailAccount): Promise<SignInCalendarServer | undefined> {
  const read = calendarSettings.safeParse(await account.settings());
  if (!read.success)
    throw new MailError('refused', 'the settings of the calendar cannot be read', { cause: read.error });
  const { caldav } = read.data;
  return caldav && { ...caldav, accessToken: account.accessToken };
}
