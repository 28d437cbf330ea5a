import type { CalendarEvent } from '../calendar/event.ts';
import type { Calendar, EventDocuments, MissingCalendar, StoredEvent } from '../ports/calendar.ts';
import type { CalendarObjects, ObjectSeen } from '../ports/calendar-objects.ts';
import { MailError } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import { expansionsOf, keptExpansions } from './kept-expansions.ts';
import { readingOf, readWithin } from './read-message.ts';
import { readRange } from './read-range.ts';

/** A range with more events is refused: a list never leaves out events silently. */
const EVENTS_MAX = 50_000;

type ReadingPorts = Pick<Ports, 'reader' | 'clock' | 'log'>;

/**
 * Builds a Calendar on a store of iCalendar objects. The reader reads the untrusted objects, within its limits. An
 * object that cannot be read does not hide the others.
 */
export function objectCalendar(objects: CalendarObjects, ports: ReadingPorts): Calendar {
  const documents = objectDocuments(ports);
  const kept = keptExpansions();
  return {
    documents,
    calendars: (call) => objects.calendars(call),
    unusable: async (call) => (await objects.unusable?.(call)) ?? [],
    target: (call) => objects.target(call),

    async list(call, query) {
      const reading = readRange(ports, query, readingOf(call));
      const events: CalendarEvent[] = [];
      const missing: MissingCalendar[] = [];
      let isAnswered = false;
      let failure: MailError | undefined;
      let [broken, cut] = [0, 0];
      for await (const part of objects.inRange(call, query)) {
        if ('reason' in part) {
          const { name, reason, error } = part;
          missing.push({ name, reason });
          failure ??= error;
          continue;
        }
        isAnswered = true;
        const texts = part.objects.map(({ ics }) => ics);
        const list = JSON.stringify([part.calendar, query]);
        const found = await reading(texts, kept.get(call.account, list));
        kept.set(call.account, list, expansionsOf(texts, found));
        part.learn?.(found.map((one) => seenAs(one)));
        broken += part.missing;
        const listed: ListedEvent[] = [];
        for (const [index, one] of found.entries()) {
          if (one === null) broken += 1;
          else if (one.cut) cut += 1;
          const documentName = part.objects[index]?.name ?? '';
          for (const event of one?.events ?? [])
            listed.push({ documentName, event: { calendar: part.calendar, ...event } });
        }
        if (events.length + listed.length > EVENTS_MAX) {
          throw new MailError('refused', 'there are too many events in that time');
        }
        for (const event of identified(listed)) events.push(event);
      }
      // A failure is never an empty list.
      if (!isAnswered && failure !== undefined) throw failure;
      if (broken + cut > 0) {
        const { accountId } = call.account;
        ports.log.warn('calendar objects were left out of a list', { account_id: accountId, broken, cut });
      }
      events.sort((a, b) => a.start.getTime() - b.start.getTime() || (a.uid < b.uid ? -1 : 1));
      return { events, unreadable: broken + cut, ...(missing.length > 0 && { missing }) };
    },

    async read(call, key, timezone): Promise<StoredEvent | undefined> {
      const found = await objects.withUid(call, key);
      let event: StoredEvent | undefined;
      for (const { ics, ...stored } of found) {
        const reread = await documents.read(ics, key, { timezone, ...readingOf(call) });
        if (reread.kind !== 'event') continue;
        // Another object has the same event, so it is not certain which one is meant.
        if (event !== undefined) return { ...event, locked: 'not_unique' };
        const { event: facts, locked, invitations } = reread;
        event = { ...stored, document: ics, event: facts, locked, invitations };
      }
      return event;
    },

    write: (call, { document, ...object }, start) => objects.write(call, { ...object, ics: document }, start),
    remove: (call, object, start) => objects.remove(call, object, start),
    forget(ownerId, accountId) {
      kept.forget({ ownerId, accountId });
      return objects.forget(ownerId, accountId);
    },
    close: () => objects.close(),
  };
}

interface ListedEvent {
  readonly documentName: string;
  readonly event: CalendarEvent;
}

/** Names the document of each event of one calendar that several documents have. */
function identified(listed: readonly ListedEvent[]): CalendarEvent[] {
  const keyOf = ({ event: { uid, recurrenceId } }: ListedEvent) => JSON.stringify([uid, recurrenceId]);
  const firstIn = new Map<string, string>();
  const doubled = new Set<string>();
  for (const one of listed) {
    const key = keyOf(one);
    const first = firstIn.get(key);
    if (first === undefined) firstIn.set(key, one.documentName);
    else if (first !== one.documentName) doubled.add(key);
  }
  return listed.map((one) =>
    doubled.has(keyOf(one)) ? { ...one.event, documentName: one.documentName } : one.event,
  );
}

type Found = Awaited<ReturnType<ReturnType<typeof readRange>>>[number];

function seenAs(found: Found): ObjectSeen {
  if (found === null) return 'unreadable';
  if (found.events.length === 0) return 'nothing_in_range';
  return found.isFollowed ? 'followed_into_range' : 'in_range';
}

function objectDocuments(ports: ReadingPorts): EventDocuments {
  return {
    async read(ics, { uid, recurrenceId }, { timezone, ...reading }) {
      const input = { ics, uid, recurrenceId, timezone };
      const read = await readWithin(ports, reading, 'event', input);
      return read.kind === 'read' ? read.value : { kind: 'unreadable' };
    },
    async create(event, { timezone, stamp, ...reading }) {
      const read = await readWithin(ports, reading, 'createdEvent', { event, timezone, stamp });
      if (read.kind === 'read' && read.value !== null) return read.value;
      throw new Error('the event cannot be written so that it reads as intended');
    },
    async change(ics, { before, after }, { timezone, stamp, ...reading }) {
      const input = { ics, before, after, timezone, stamp };
      const read = await readWithin(ports, reading, 'changedEvent', input);
      return read.kind === 'read' ? (read.value ?? undefined) : undefined;
    },
    async without(ics, { uid, recurrenceId }, { timezone, stamp, ...reading }) {
      const input = { ics, uid, recurrenceId, timezone, stamp };
      const read = await readWithin(ports, reading, 'objectWithout', input);
      return read.kind === 'read' ? read.value?.left : undefined;
    },
  };
}
