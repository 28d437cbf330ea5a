// A calendar in one JSON file, as an example of a provider without iCalendar. It implements the Calendar port with
// nothing but this package, and passes `calendarContract` of countersign/testing.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { MailError, plainDocuments, plainEvent } from 'countersign/adapter';

const CALENDAR = {
  calendar: 'Calendar',
  name: 'Calendar',
  writable: true,
  // It notifies nobody: attendees get mail.
  schedules: false,
  answersOrganizers: false,
  access: 'own',
};

/** @param file  `{ "<name>": "<document>", … }`; created with the first event */
export function jsonCalendar(file) {
  const stored = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});

  function store(documents) {
    writeFileSync(`${file}.new`, JSON.stringify(documents, null, 2));
    renameSync(`${file}.new`, file);
  }

  async function begin(start) {
    if (!(await start())) throw new MailError('not_started', 'the change was cancelled before it started');
  }

  /** @throws MailError unless the stored document is the one that the condition names */
  function refuseOther(document, ifMatch) {
    if (document === undefined && ifMatch !== null) throw new MailError('not_found', 'the event is gone');
    const etag = document === undefined ? null : etagOf(document);
    if (etag !== ifMatch) throw new MailError('conflict', 'the event has changed');
  }

  return {
    documents: plainDocuments,

    async calendars({ signal }) {
      refuseEnded(signal);
      return [CALENDAR];
    },

    async target({ signal }) {
      refuseEnded(signal);
      return CALENDAR;
    },

    async list({ signal }, { from, to }) {
      refuseEnded(signal);
      const found = Object.values(stored()).map(plainEvent);
      const events = found
        .filter((event) => event !== undefined)
        .filter(({ start, end }) => start < to && (end > from || (+end === +start && +start === +from)))
        .map((event) => ({ ...event, calendar: CALENDAR.calendar, leftOut: [] }))
        .sort((a, b) => a.start - b.start);
      return { events, unreadable: found.length - found.filter((event) => event !== undefined).length };
    },

    async read({ signal }, { calendar, uid, recurrenceId }) {
      refuseEnded(signal);
      if (calendar !== CALENDAR.calendar) return undefined;
      for (const [name, document] of Object.entries(stored())) {
        const event = plainEvent(document);
        if (event?.uid !== uid || event.recurrenceId !== recurrenceId) continue;
        const place = { calendar, name };
        return { event, locked: null, place, etag: etagOf(document), document, calendar: CALENDAR };
      }
      return undefined;
    },

    async write({ signal }, { name, document, ifMatch }, start) {
      refuseEnded(signal);
      refuseOther(stored()[name], ifMatch);
      await begin(start);
      const documents = stored();
      refuseOther(documents[name], ifMatch);
      store({ ...documents, [name]: document });
    },

    async remove({ signal }, { name, ifMatch }, start) {
      refuseEnded(signal);
      await begin(start);
      const { [name]: document, ...others } = stored();
      refuseOther(document, ifMatch);
      store(others);
    },

    // There are no connections.
    async forget() {},
    async close() {},

    /** Stores an event as another program would. */
    put(event) {
      store({ ...stored(), [`${event.uid}.json`]: JSON.stringify(event) });
    },
  };
}

function etagOf(document) {
  return createHash('sha256').update(document).digest('hex').slice(0, 16);
}

function refuseEnded(signal) {
  if (signal.aborted) throw new MailError('unavailable', 'the call was ended before anything was done');
}
