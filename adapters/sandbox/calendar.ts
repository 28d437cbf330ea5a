import { createHash } from 'node:crypto';
import { accountKey } from '../../core/accounts/account-cache.ts';
import { checkOptions } from '../../core/contract/options.ts';
import { containsUid, uidsIn } from '../../core/ical/uid-lines.ts';
import type { CalendarInfo, DocumentPlace } from '../../core/ports/calendar.ts';
import type { CalendarObjects } from '../../core/ports/calendar-objects.ts';
import { type MailAccount, MailError } from '../../core/ports/mail.ts';
import { begin } from './begin.ts';
import { refuseEnded } from './ended-call.ts';
import { type CalendarJournalEntry, calendarEntry, openJournal, record } from './journal.ts';
import { type SampleEvent, sampleEvents } from './sample-events.ts';
import { sampleObject } from './sample-object.ts';

export interface SandboxCalendarOptions {
  /** The events of a new calendar. */
  readonly samples?: readonly SampleEvent[];
  readonly now?: () => Date;
  /**
   * Records every event, so that a sandbox in another process with the same file shows the same calendars.
   */
  readonly journalFile?: string;
}

/** The sandbox, with what another program can do to it. */
export interface SandboxCalendar extends CalendarObjects {
  /** Stores an object, replacing any other of its name. */
  put(account: MailAccount, name: string, ics: string): Promise<void>;
  /** Returns the stored objects by name. */
  objects(account: MailAccount): Promise<ReadonlyMap<string, string>>;
}

const CALENDAR: CalendarInfo = {
  calendar: 'Calendar',
  name: 'Calendar',
  writable: true,
  schedules: false,
  answersOrganizers: false,
  access: 'own',
};

/**
 * A calendar in memory for every account, with sample events around the day on which it was opened. It
 * notifies nobody: attendees are written to by mail.
 *
 * If the journal cannot be written, the error is `outcome_unknown`, because the entry may or may not be on
 * disk.
 */
export function sandboxCalendar(options: SandboxCalendarOptions = {}): SandboxCalendar {
  checkOptions('sandboxCalendar', options, {
    samples: ['optional', 'object'],
    now: ['optional', 'function'],
    journalFile: ['optional', 'string'],
  });
  const { samples = sampleEvents(), now = () => new Date(), journalFile } = options;
  const journal = openJournal<CalendarJournalEntry>(journalFile, calendarEntry);
  const [first] = journal.entries;
  const openedAt = first?.event === 'opened' ? new Date(first.at) : now();
  if (first === undefined) journal.append({ event: 'opened', at: openedAt.toISOString() });
  const calendars = new Map<string, Map<string, string>>();

  type Account = Pick<MailAccount, 'ownerId' | 'accountId'>;

  function objectsOf(account: Account): Map<string, string> {
    const key = accountKey(account);
    const objects = calendars.get(key) ?? opened(account);
    calendars.set(key, objects);
    return objects;
  }

  function opened({ ownerId, accountId }: Account): Map<string, string> {
    const objects = new Map(samples.map((sample) => [`${sample.uid}.ics`, sampleObject(sample, openedAt)]));
    for (const entry of journal.entries) {
      if (entry.event === 'opened' || entry.ownerId !== ownerId || entry.accountId !== accountId) continue;
      if (entry.event === 'stored') objects.set(entry.name, entry.ics);
      else objects.delete(entry.name);
    }
    return objects;
  }

  function store(account: Account, name: string, ics: string): void {
    const { ownerId, accountId } = account;
    const objects = objectsOf(account);
    record(journal, { event: 'stored', ownerId, accountId, name, ics });
    objects.set(name, ics);
  }

  return {
    async calendars(call) {
      refuseEnded(call);
      return [CALENDAR];
    },

    async target(call) {
      refuseEnded(call);
      return CALENDAR;
    },

    async *inRange(call) {
      refuseEnded(call);
      yield {
        calendar: CALENDAR.calendar,
        objects: [...objectsOf(call.account)].map(([name, ics]) => ({ name, ics })),
        missing: 0,
      };
    },

    async withUid(call, { calendar, uid, documentName }) {
      refuseEnded(call);
      if (calendar !== CALENDAR.calendar) return [];
      return [...objectsOf(call.account)]
        .filter(([name, ics]) => name === (documentName ?? name) && containsUid(ics, uid))
        .map(([name, ics]) => ({ place: { calendar, name }, etag: etagOf(ics), ics, calendar: CALENDAR }));
    },

    async write(call, { name, calendar, ics, ifMatch }, start) {
      refuseEnded(call);
      inCalendar(calendar);
      const uid = uidOf(ics);
      const objects = objectsOf(call.account);
      const twin = [...objects].find(([other, text]) => other !== name && uidOf(text) === uid);
      // What another program stored twice can still be changed.
      if (twin !== undefined && !objects.has(name))
        throw new MailError('refused', 'Another object has the same UID.');
      await begin(start);
      held(objects, name, ifMatch);
      store(call.account, name, ics);
    },

    async remove(call, { name, calendar, ifMatch }, start) {
      refuseEnded(call);
      inCalendar(calendar);
      await begin(start);
      const objects = objectsOf(call.account);
      held(objects, name, ifMatch);
      const { ownerId, accountId } = call.account;
      record(journal, { event: 'removed', ownerId, accountId, name });
      objects.delete(name);
    },

    // There are no connections. The calendar belongs to the server and stays.
    async forget() {},

    async close() {
      journal.close();
    },

    async put(account, name, ics) {
      store(account, name, ics);
    },

    async objects(account) {
      return new Map(objectsOf(account));
    },
  };
}

function inCalendar(calendar: DocumentPlace['calendar']): void {
  if (calendar !== CALENDAR.calendar) throw new MailError('not_found', 'There is no such calendar.');
}

/** If-Match, or If-None-Match: * if it is null. */
function held(objects: ReadonlyMap<string, string>, name: string, ifMatch: string | null): void {
  const there = objects.get(name);
  if (ifMatch !== null && there === undefined) throw new MailError('not_found', 'The object is gone.');
  const etag = there === undefined ? null : etagOf(there);
  if (etag !== ifMatch) throw new MailError('conflict', 'The object has changed.');
}

/** @throws MailError `refused` if it contains no event, or several events that do not belong together */
function uidOf(ics: string): string {
  const [uid, ...others] = uidsIn(ics);
  if (uid === undefined || others.length > 0) throw new MailError('refused', 'An object holds one event.');
  return uid;
}

function etagOf(ics: string): string {
  return `"${createHash('sha256').update(ics, 'utf8').digest('hex').slice(0, 16)}"`;
}
