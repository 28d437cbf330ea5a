import { expect, it } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { MailError } from '../../../core/ports/mail.ts';
import { eventsOn } from '../../events-on.ts';
import { openDashboard } from './open-dashboard.ts';

it('the accounts page says that a calendar server has no calendar, and what to do', async () => {
  const calendar = eventsOn(sandboxCalendar());
  const dashboard = await openDashboard({
    calendar: {
      ...calendar,
      target: async () => {
        throw new MailError('not_found', 'the server has no calendar; create one', {
          trouble: 'no_calendar',
        });
      },
    },
  });
  const { body } = await dashboard.send({
    path: '/accounts',
    headers: { cookie: await dashboard.cookie() },
  });
  const text = body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  expect(text).toContain('Calendar No calendar The server has no calendar; create one.');
  expect(text).toContain('Check now');
});
