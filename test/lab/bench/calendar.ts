import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import { eventsOn } from '../../events-on.ts';
import { asUser, type CalendarUser, objectNamed } from '../../servers/calendar-user.ts';
import { PASSWORD } from '../../servers/mail-users.ts';
import { missingPrograms } from '../../servers/missing-servers.ts';
import { RADICALE_PROGRAMS, startRadicale } from '../../servers/radicale.ts';
import { benchReader } from './bench-reader.ts';
import { alternate, medianMs } from './rounds.ts';
import type { Row } from './table.ts';

const EVENTS = 5000;
const SERIES = 200;
const ROUNDS = 5;
const CALLS_A_ROUND = 3;

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2025, 0, 1, 9);
const WEEK = { from: new Date('2026-03-02T00:00:00Z'), to: new Date('2026-03-09T00:00:00Z') };

/** One week of a large calendar on Radicale, against the bare REPORT for that week. */
export async function calendar(): Promise<Row[]> {
  const missing = missingPrograms(RADICALE_PROGRAMS);
  if (missing.length > 0) throw new Error(`The benchmark needs ${missing.join(', ')}.`);
  const radicale = await startRadicale();
  const reader = benchReader();
  const port = eventsOn(caldavCalendar({ reader, allowPrivateServers: true }), { reader });
  try {
    const user = await radicale.addUser();
    await fill(user);
    const caldav = { url: user.url, user: user.user, pass: PASSWORD };
    const call = (): MailCall => ({
      account: { ownerId: 'bench', accountId: 1, email: user.user, settings: async () => ({ caldav }) },
      signal: new AbortController().signal,
      deadlineMs: 120_000,
    });
    const list = () => port.list(call(), { ...WEEK, timezone: 'Europe/Zurich' });
    const startMs = performance.now();
    const { length } = (await list()).events;
    const firstMs = performance.now() - startMs;
    const rounds = await alternate(
      ROUNDS,
      () => medianMs(CALLS_A_ROUND, () => bareReport(user)),
      () => medianMs(CALLS_A_ROUND, list),
    );
    return [
      {
        name: `a week (${length} events) of ${EVENTS} events with ${SERIES} series, Calendar port against bare REPORT`,
        unit: 'ms',
        ...rounds,
        bound: { most: 1.5 },
      },
      { name: '  the first list, which asks for the series by themselves', unit: 'ms', ours: firstMs },
    ];
  } finally {
    await port.close();
    await reader.close();
    await radicale.stop();
  }
}

/** In one request, which Radicale splits by UID. */
async function fill(user: CalendarUser): Promise<void> {
  const stamp = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
  const events = Array.from({ length: EVENTS }, (_, index) => {
    // Two years of events, six or seven a day.
    const startMs = FIRST_MS + (index % 730) * DAY_MS + (index % 8) * 3_600_000;
    const rule = index < SERIES ? ['RRULE:FREQ=WEEKLY'] : [];
    const times = [`DTSTART:${stamp(startMs)}`, `DTEND:${stamp(startMs + 1_800_000)}`, ...rule];
    const text = [`SUMMARY:Meeting ${index}`, `DESCRIPTION:${'About this and that. '.repeat(10)}`];
    return [
      'BEGIN:VEVENT',
      `UID:event-${index}`,
      'DTSTAMP:20250101T000000Z',
      ...times,
      ...text,
      'END:VEVENT',
    ];
  });
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//countersign//bench//EN'];
  const body = [...head, ...events.flat(), 'END:VCALENDAR', ''].join('\r\n');
  const answer = await asUser(user, 'PUT', user.calendarUrl, { body, 'content-type': 'text/calendar' });
  if (!answer.ok) throw new Error(`the calendar was not filled: ${answer.status}`);
  if ((await objectNamed(user, '')) === undefined) throw new Error('the calendar was not filled');
}

async function bareReport(user: CalendarUser): Promise<void> {
  const body = `<?xml version="1.0"?><c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">
<d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">
<c:time-range start="20260302T000000Z" end="20260309T000000Z"/></c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`;
  const headers = { body, depth: '1', 'content-type': 'application/xml' };
  const answer = await asUser(user, 'REPORT', user.calendarUrl, headers);
  const text = await answer.text();
  if (answer.status !== 207 || !text.includes('BEGIN:VEVENT')) throw new Error('Radicale showed no events');
}
