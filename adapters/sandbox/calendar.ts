import { createHash } from 'node:crypto';
import { holdsUid, uidsIn } from '../../core/calendar/uid-lines.ts';
import type { CalendarInfo, DocumentPlace } from '../../core/ports/calendar.ts';
import type { CalendarObjects } from '../../core/ports/calendar-objects.ts';
import { type MailAccount, MailError } from '../../core/ports/mail.ts';
import { begin } from './begin.ts';
import { refuseEnded } from './ended-call.ts';
import { type CalendarJournalEntry, calendarEntry, openJournal, record } from './journal.ts';
import { SAMPLE_EVENTS, type SampleEvent } from './sample-events.ts';
import { sampleObject } from './sample-object.ts';

export interface SandboxCalendarOptions {
  /** The events of a new calendar. */
  readonly samples?: readonly SampleEvent[];
  readonly now?: () => Date;
  /** Keeps what happens, so that the sandbox of another process, given the same file, shows the same calendars. */
  readonly journalFile?: string;
}

/** The sandbox, with what another program does in it. */
export interface SandboxCalendar extends CalendarObjects {
  /** Stores an object, whatever was there. */
  put(account: MailAccount, name: string, ics: string): Promise<void>;
  /** The objects as they lie there, by name. */
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
 * A calendar in memory for every account that asks, with sample events around the day on which it was opened. It
 * tells nobody anything: attendees are written to by mail.
 *
 * A journal that cannot be written is `outcome_unknown`: what it should have kept may or may not be on disk.
 */
export function sandboxCalendar(options: SandboxCalendarOptions = {}): SandboxCalendar {
  const { samples = SAMPLE_EVENTS, now = () => new Date(), journalFile } = options;
  const journal = openJournal<CalendarJournalEntry>(journalFile, calendarEntry);
  const [first] = journal.entries;
  const openedAt = first?.event === 'opened' ? new Date(first.at) : now();
  if (first === undefined) journal.append({ event: 'opened', at: openedAt.toISOString() });
  const calendars = new Map<string, Map<string, string>>();

  type Account = Pick<MailAccount, 'ownerId' | 'accountId'>;

  function objectsOf({ ownerId, accountId }: Account): Map<string, string> {
    const key = JSON.stringify([ownerId, accountId]);
    const objects = calendars.get(key) ?? opened(ownerId, accountId);
    calendars.set(key, objects);
    return objects;
  }

  function opened(ownerId: string, accountId: number): Map<string, string> {
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
        objects: [...objectsOf(call.account).values()],
        missing: 0,
      };
    },

    async withUid(call, { calendar, uid }) {
      refuseEnded(call);
      if (calendar !== CALENDAR.calendar) return [];
      return [...objectsOf(call.account)]
        .filter(([, ics]) => holdsUid(ics, uid))
        .map(([name, ics]) => ({ place: { calendar, name }, etag: etagOf(ics), ics, calendar: CALENDAR }));
    },

    async write(call, { name, calendar, ics, ifMatch }, start) {
      refuseEnded(call);
      inCalendar(calendar);
      const uid = uidOf(ics);
      const objects = objectsOf(call.account);
      const twin = [...objects].find(([other, text]) => other !== name && uidOf(text) === uid);
      if (twin !== undefined) throw new MailError('refused', 'Another object has the same UID.');
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

    // There are no connections, and the calendar is the server's: it stays.
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

/** If-Match, or If-None-Match: * where it is null. */
function held(objects: ReadonlyMap<string, string>, name: string, ifMatch: string | null): void {
  const there = objects.get(name);
  if (ifMatch !== null && there === undefined) throw new MailError('not_found', 'The object is gone.');
  const etag = there === undefined ? null : etagOf(there);
  if (etag !== ifMatch) throw new MailError('conflict', 'The object has changed.');
}

/** @throws MailError `refused` where it holds no event, or events that are not one */
function uidOf(ics: string): string {
  const [uid, ...others] = uidsIn(ics);
  if (uid === undefined || others.length > 0) throw new MailError('refused', 'An object holds one event.');
  return uid;
}

function etagOf(ics: string): string {
  return `"${createHash('sha256').update(ics, 'utf8').digest('hex').slice(0, 16)}"`;
}
