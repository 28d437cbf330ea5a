import { plainDocuments, plainEvent } from '../core/accounts/plain-documents.ts';
import type { EventFacts } from '../core/calendar/event.ts';
import type { Calendar, CalendarInfo } from '../core/ports/calendar.ts';
import { MailError } from '../core/ports/mail.ts';

/** A calendar in memory that knows nothing of iCalendar, and its contents. */
export function plainCalendar(info: Partial<CalendarInfo> = {}): {
  calendar: Calendar;
  events(): EventFacts[];
  /** Changes every event as another program would. */
  change(how: (event: EventFacts) => object): void;
} {
  const calendar: CalendarInfo = {
    ...{ calendar: 'Plain', name: 'Plain', writable: true, schedules: false, answersOrganizers: false },
    access: 'own',
    ...info,
  };
  const documents = new Map<string, { document: string; etag: string }>();
  let version = 0;
  const events = () => [...documents.values()].flatMap(({ document }) => plainEvent(document) ?? []);
  const store = (name: string, document: string) => {
    version += 1;
    documents.set(name, { document, etag: String(version) });
  };
  const hold = (name: string, ifMatch: string | null) => {
    const etag = documents.get(name)?.etag ?? null;
    if (etag !== ifMatch)
      throw new MailError(etag === null ? 'not_found' : 'conflict', 'the event has changed');
  };
  const begin = async (start: () => Promise<boolean>) => {
    if (!(await start())) throw new MailError('not_started', 'start returned false');
  };
  return {
    events,
    change(how) {
      for (const [name, { document }] of documents) {
        const event = plainEvent(document);
        if (event !== undefined) store(name, JSON.stringify(how(event)));
      }
    },
    calendar: {
      documents: plainDocuments,
      calendars: async () => [calendar],
      target: async () => calendar,
      async list(_call, { from, to }) {
        const touching = events().filter(({ start, end }) => start < to && end > from);
        const listed = touching.map((event) => ({ ...event, calendar: calendar.calendar, leftOut: [] }));
        return { events: listed, unreadable: 0 };
      },
      async read(_call, key) {
        for (const [name, { document, etag }] of documents) {
          const event = plainEvent(document);
          if (event === undefined || event.uid !== key.uid || event.recurrenceId !== key.recurrenceId)
            continue;
          return {
            event,
            locked: null,
            place: { calendar: calendar.calendar, name },
            etag,
            document,
            calendar,
          };
        }
        return undefined;
      },
      async write(_call, { name, document, ifMatch }, start) {
        hold(name, ifMatch);
        await begin(start);
        store(name, document);
      },
      async remove(_call, { name, ifMatch }, start) {
        hold(name, ifMatch);
        await begin(start);
        documents.delete(name);
      },
      forget: async () => {},
      close: async () => {},
    },
  };
}
