import { expect, it } from 'vitest';
import { MailError } from '../../../core/ports/mail.ts';
import { openCalendar, PLANNING } from '../calendar-scene.ts';
import { wordOf } from '../scene.ts';

// A calendar server that has no calendar yet.

/** The first account has none until `create` is called. */
async function open() {
  let isMissing = true;
  const scene = await openCalendar({
    calendarAs: (calendar) => ({
      ...calendar,
      async target(call) {
        if (isMissing && !call.account.email.startsWith('second'))
          throw new MailError('not_found', 'it has no calendar', { trouble: 'no_calendar' });
        return calendar.target(call);
      },
    }),
  });
  const calendarLeg = async () => {
    const health = await scene.service.accounts.health(scene.ownerId);
    return health.find(({ server, accountId }) => server === 'calendar' && accountId === 1);
  };
  const create = () => {
    isMissing = false;
  };
  return { scene, calendarLeg, create };
}

it('is reported once the account is connected, and works once a check finds a calendar', async () => {
  const { scene, calendarLeg, create } = await open();
  expect(await calendarLeg()).toMatchObject({ state: 'no_calendar', reason: 'it has no calendar' });
  expect(wordOf(await scene.key.call('create_event', PLANNING))).toBe('not_found');
  await scene.service.accounts.check(scene.ownerId, 1);
  expect(await calendarLeg()).toMatchObject({ state: 'no_calendar' });
  create();
  await scene.service.accounts.check(scene.ownerId, 1);
  expect(await calendarLeg()).toMatchObject({ state: 'working', reason: null });
});

it('does not hide the calendar of another account', async () => {
  const { scene } = await open();
  const email = 'second@countersign.test';
  await scene.service.accounts.connect({ ownerId: scene.ownerId, email, settings: {} });
  expect(wordOf(await scene.key.call('create_event', PLANNING))).toBe('pending_approval');
});
