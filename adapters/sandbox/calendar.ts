import { createHash } from 'node:crypto';
import { BrokenObject, eventInObject, expandObject } from '../../core/ical/expand.ts';
import { readObject } from '../../core/ical/object.ts';
import type {
  Calendar,
  CalendarInfo,
  EventKey,
  ObjectPlace,
  StoredEvent,
} from '../../core/ports/calendar.ts';
import { type MailAccount, MailError, type Start } from '../../core/ports/mail.ts';
import { refuseEnded } from './ended-call.ts';
import { type CalendarJournalEntry, calendarEntry, openJournal } from './journal.ts';
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
export interface SandboxCalendar extends Calendar {
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

  function record(entry: CalendarJournalEntry): void {
    try {
      journal.append(entry);
    } catch (cause) {
      throw new MailError('outcome_unknown', 'The journal of the sandbox cannot be written.', { cause });
    }
  }

  function store(account: Account, name: string, ics: string): void {
    const { ownerId, accountId } = account;
    const objects = objectsOf(account);
    record({ event: 'stored', ownerId, accountId, name, ics });
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

    async list(call, { from, to, timezone }) {
      refuseEnded(call);
      const reading = { from, to, timezone, calendar: CALENDAR.calendar };
      const expanded = [...objectsOf(call.account).values()].map((ics) => expandObject(ics, reading));
      const events = expanded
        .flatMap((object) => object.events)
        .sort((a, b) => a.start.getTime() - b.start.getTime() || (a.uid < b.uid ? -1 : 1));
      return { events, unreadable: expanded.filter(({ cut }) => cut).length };
    },

    async read(call, key, timezone) {
      refuseEnded(call);
      if (key.calendar !== CALENDAR.calendar) return undefined;
      return foundIn(objectsOf(call.account), key, timezone);
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
      record({ event: 'removed', ownerId, accountId, name });
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

async function begin(start: Start): Promise<void> {
  if (!(await start())) throw new MailError('not_started', 'It was not to be started any more.');
}

function inCalendar(calendar: ObjectPlace['calendar']): void {
  if (calendar !== CALENDAR.calendar) throw new MailError('not_found', 'There is no such calendar.');
}

/** If-Match, or If-None-Match: * where it is null. */
function held(objects: ReadonlyMap<string, string>, name: string, ifMatch: string | null): void {
  const there = objects.get(name);
  if (ifMatch !== null && there === undefined) throw new MailError('not_found', 'The object is gone.');
  const etag = there === undefined ? null : etagOf(there);
  if (etag !== ifMatch) throw new MailError('conflict', 'The object is another than it was.');
}

function foundIn(
  objects: ReadonlyMap<string, string>,
  key: EventKey,
  timezone: string,
): StoredEvent | undefined {
  const { calendar } = CALENDAR;
  for (const [name, ics] of objects) {
    const event = eventInObject(ics, key, { calendar, timezone });
    if (event !== undefined) {
      return { event, place: { calendar, name }, etag: etagOf(ics), ics, calendar: CALENDAR };
    }
  }
  return undefined;
}

/** @throws MailError `refused` where it holds no event, or events that are not one */
function uidOf(ics: string): string {
  const uids = new Set(eventsOf(ics).map(({ uid }) => uid));
  const [uid] = uids;
  if (uid === undefined || uids.size > 1) throw new MailError('refused', 'An object holds one event.');
  return uid;
}

function eventsOf(ics: string): ReturnType<typeof readObject> {
  try {
    return readObject(ics);
  } catch (cause) {
    if (!(cause instanceof BrokenObject)) throw cause;
    throw new MailError('refused', 'This is no calendar object.', { cause });
  }
}

function etagOf(ics: string): string {
  return `"${createHash('sha256').update(ics, 'utf8').digest('hex').slice(0, 16)}"`;
}
