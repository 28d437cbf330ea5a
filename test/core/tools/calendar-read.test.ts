import { describe, expect, it } from 'vitest';
import { MailError } from '../../../core/ports/mail.ts';
import { openCalendar, put, SERIES } from '../calendar-scene.ts';
import { detailsOf } from '../scene.ts';

describe('list_events', () => {
  it('numbers the calendar that failed, and passes on no text of its server', async () => {
    const scene = await openCalendar({
      calendarAs: (calendar) => ({
        ...calendar,
        list: async () => {
          throw new MailError('unavailable', 'the call ran out of time', { calendar: 2 });
        },
      }),
    });
    const failed = await scene.key.call('list_events');
    expect(failed).toMatchObject({
      code: 'upstream_mail_error',
      message: 'The mail or calendar server did not complete the operation. Nothing is reported as done.',
    });
    expect(detailsOf(failed)).toEqual({
      code: 'upstream_mail_error',
      account_id: 1,
      reason: 'unavailable',
      calendar: 2,
    });
  });

  it.each([1, 25])(
    'names %d calendars that the server refuses beside the events of the others',
    async (count) => {
      const names = Array.from({ length: count }, (_, index) => ({
        name: `Team ${index}`,
        reason: index % 2 === 0 ? ('refused' as const) : ('undeliverable' as const),
      }));
      const scene = await openCalendar({
        calendarAs: (calendar) => ({
          ...calendar,
          list: async (...asked) => ({ ...(await calendar.list(...asked)), missing: names }),
        }),
      });
      await put(scene, 'series.ics', SERIES);
      const listed = await scene.key.call('list_events', { days: 365 });
      const missing = names.map(({ name, reason }) => ({ account_id: 1, calendar: name, reason }));
      expect(listed).toMatchObject({
        result: {
          events: [{ title: 'Weekly' }, { title: 'Weekly' }, { title: 'Weekly' }],
          missing: missing.slice(0, 20),
          ...(count > 20 && { missing_count: count }),
          untrusted_fields: ['events[].title', 'missing[].calendar'],
        },
      });
    },
  );
});
