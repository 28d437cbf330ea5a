import { expect, it } from 'vitest';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { type MailCall, MailError } from '../../core/ports/mail.ts';
import { openTestService, testClock } from '../open-service.ts';

it('gives the mailbox and the calendar of an account one limit of 30 s together', async () => {
  const clock = testClock();
  let isCalendarAsked = false;
  const timers: { ms: number; task: () => void; stopped: boolean }[] = [];
  const { service, ownerId } = await openTestService({
    clock: {
      ...clock,
      after(ms, task) {
        const timer = { ms, task, stopped: false };
        timers.push(timer);
        return () => {
          timer.stopped = true;
        };
      },
    },
    mail: { ...sandboxMail(), verify: async () => undefined },
    calendar: {
      ...sandboxCalendar(),
      target: ({ account, signal }: MailCall) =>
        // The first account of the scene connects immediately.
        account.email !== 'slow@example.org'
          ? Promise.resolve(undefined)
          : new Promise((_resolve, reject) => {
              isCalendarAsked = true;
              signal.addEventListener('abort', () => reject(new MailError('unavailable', 'too late')));
            }),
    },
  });
  timers.length = 0;
  const connecting = service.accounts.connect({ ownerId, email: 'slow@example.org', settings: {} });
  await expect.poll(() => isCalendarAsked).toBe(true);
  timers.find(({ ms }) => ms === 30_000)?.task();
  const { accountId } = await connecting;
  expect(await service.accounts.health(ownerId)).toContainEqual(
    expect.objectContaining({ accountId, server: 'calendar', state: 'other', reason: 'too late' }),
  );
  expect(timers.every(({ stopped }) => stopped)).toBe(true);
});
