import * as z from 'zod';
import type { CalendarEvent } from '../calendar/event.ts';
import { accountsOf, nameAccountOnFailure } from '../call/mailbox.ts';
import { pageFields, skipped } from '../call/paging.ts';
import { cursor, normalAddress } from '../contract/schema.ts';
import { timestamp } from '../contract/shapes.ts';
import { thirdParty, writtenBy } from '../contract/text-author.ts';
import type { ShownPassage } from '../provenance/read-record.ts';
import { shortened } from '../text/shortened.ts';
import { isoIn, startOfDay } from '../time/time-zone.ts';
import { defineRead } from './define-tool.ts';
import { missingCalendar, missingCalendars, missingFields } from './missing-parts.ts';
import { pageShape } from './result-shapes.ts';

const TITLE_CHARS = 500;

export const listEvents = defineRead({
  name: 'list_events',
  title: 'List calendar events',
  words: { verb: 'list calendar events', past: 'Listed calendar events' },
  description:
    'Lists calendar events around now, earliest first. Counts whole days in the time zone of the owner. Returns the event_id that the other event tools take.',
  group: 'calendar:read',
  errors: ['no_mail_account_connected', 'not_found', 'upstream_mail_error'],
  kind: 'read',
  input: z.strictObject({
    days: z
      .int()
      .min(0)
      .max(365)
      .default(7)
      .meta({ description: 'Days ahead; default 7. 0: until tonight.' }),
    past_days: z.int().min(1).max(365).default(1).meta({ description: 'Days back; default 1.' }),
    only: z.enum(['all', 'past', 'future']).default('all'),
    cursor: cursor.optional(),
  }),
  output: z.object({
    events: z.array(
      z.object({
        event_id: z.int().min(1).max(2147483647),
        title: thirdParty(z.string()),
        start: timestamp,
        end: timestamp,
        status: writtenBy('countersign', z.string()).meta({
          description: 'confirmed, or tentative while it is proposed.',
        }),
        past: z.boolean().meta({ description: 'Whether it has ended.' }),
        recurring: z.boolean().meta({ description: 'Whether it is one of a series.' }),
        left_out: z
          .array(writtenBy('countersign', z.string()))
          .optional()
          .meta({ description: 'Parts of the event that cannot be read and are missing here.' }),
      }),
    ),
    timezone: writtenBy('owner', z.string()).meta({ description: 'IANA name of the zone of the user.' }),
    unreadable: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Calendar objects that cannot be read: their events are missing here.' }),
    ...missingCalendars,
    ...pageShape,
  }),
  async run(args, context) {
    const { owner, now, ports } = context;
    const { timezone } = owner;
    const { calendar } = ports;
    const none = { events: [], total: 0, returned: 0, has_more: false, timezone };
    if (calendar === undefined)
      return { kind: 'empty', result: { ...none, reason: 'no_calendar_connected' } };
    const from = startOfDay(now, timezone, -args.past_days);
    const to = startOfDay(now, timezone, args.days + 1);
    const found = await Promise.all(
      accountsOf(context, undefined).map(async (account) => {
        const {
          events,
          unreadable,
          missing: unlisted = [],
        } = await nameAccountOnFailure(
          account,
          'calendar',
          calendar.list(context.mailCall(account), { from, to, timezone }),
        );
        const numbers = await ports.storage.eventNumbers(owner.ownerId, account.accountId, events);
        const numbered = events.map((event, index) => ({ event, number: numberAt(numbers, index) }));
        const missing = unlisted.map((one) => missingCalendar(account.accountId, one));
        return { unreadable, missing, events: numbered };
      }),
    );
    const unreadable = found.reduce((sum, account) => sum + account.unreadable, 0);
    const missing = found.flatMap((account) => account.missing);
    const besides = {
      ...(unreadable > 0 && { unreadable }),
      ...missingFields(context, missing),
    };
    const listed = found
      .flatMap(({ events }) => events)
      .map((one) => ({ ...one, past: one.event.end <= now }))
      .filter(({ past }) => args.only === 'all' || past === (args.only === 'past'))
      .sort((a, b) => a.event.start.getTime() - b.event.start.getTime() || a.number - b.number);
    const rows = listed.map(({ event, number, past }) => ({
      event_id: number,
      title: shortened(event.title, TITLE_CHARS),
      start: isoIn(event.start, timezone),
      end: isoIn(event.end, timezone),
      status: event.status,
      past,
      recurring: event.recurring,
      ...(event.leftOut.length === 0 ? {} : { left_out: [...event.leftOut] }),
    }));
    if (rows.length === 0) {
      const calendars = await Promise.all(
        accountsOf(context, undefined).map((account) =>
          nameAccountOnFailure(account, 'calendar', calendar.calendars(context.mailCall(account))),
        ),
      );
      const reason = calendars.flat().length === 0 ? 'no_calendar_connected' : 'no_events';
      return { kind: 'empty', result: { ...none, ...besides, reason } };
    }
    const skip = skipped(context, args.cursor);
    const rest = rows.slice(skip);
    context.read(listed.slice(skip).map(({ event, number }) => eventPassage(number, event)));
    return {
      kind: 'cut',
      most: rest.length,
      at: (n) => ({
        events: rest.slice(0, n),
        timezone,
        ...besides,
        ...pageFields(context, skip, rest.length, n),
      }),
    };
  },
});

/** Without an organizer, the owner or a program entered it, and a program may have changed it since. */
function eventPassage(number: number, { title, organizer }: CalendarEvent): ShownPassage {
  return {
    kind: 'event',
    id: `event:${number}`,
    title,
    author: organizer === null ? '' : normalAddress(organizer.address),
    quoting: null,
    origin: organizer === null ? 'record' : 'person',
    receivedMs: null,
    isListed: true,
    text: title,
  };
}

function numberAt(numbers: readonly number[], index: number): number {
  const number = numbers[index];
  if (number === undefined) throw new Error('the number of an event is missing');
  return number;
}
