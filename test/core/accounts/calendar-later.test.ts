import { describe, expect, it } from 'vitest';
import { MailError } from '../../../core/ports/mail.ts';
import { openCalendar } from '../calendar-scene.ts';

// A calendar that cannot be connected does not keep the mailbox from being saved.

/** The second account's calendar has this fault. */
async function open(fault: { error: Error | undefined }) {
  const scene = await openCalendar({
    calendarAs: (calendar) => ({
      ...calendar,
      async target(call) {
        if (fault.error !== undefined && call.account.email.startsWith('second')) throw fault.error;
        return calendar.target(call);
      },
    }),
  });
  const { accounts } = scene.service;
  const calendarLeg = async () =>
    (await accounts.health(scene.ownerId)).find(
      ({ server, accountId }) => server === 'calendar' && accountId === 2,
    );
  const connect = () =>
    accounts.connect({ ownerId: scene.ownerId, email: 'second@countersign.test', settings: {} });
  const change = () => accounts.changeSettings({ ownerId: scene.ownerId, accountId: 2, settings: {} });
  return { scene, accounts, calendarLeg, connect, change };
}

const DOWN = new MailError('unavailable', 'nothing listens there', { trouble: 'nothing_listens' });

describe('a new mailbox whose calendar cannot be connected', () => {
  it.each([
    ['is down', DOWN, 'nothing_listens'],
    ['refuses the password', new MailError('auth', 'refused'), 'password_refused'],
    ['is no calendar server', new MailError('refused', 'there is no calendar server'), 'other'],
  ])('is saved, and says what is wrong: the server %s', async (_what, error, state) => {
    const { calendarLeg, connect, accounts, scene } = await open({ error });
    expect(await connect()).toEqual({ accountId: 2 });
    expect(await calendarLeg()).toMatchObject({ state, reason: error.message, workedAt: null });
    expect(await accounts.list(scene.ownerId)).toHaveLength(2);
  });

  it('works as soon as its server does', async () => {
    const fault: { error: Error | undefined } = { error: DOWN };
    const { scene, accounts, calendarLeg, connect } = await open(fault);
    await connect();
    fault.error = undefined;
    await accounts.check(scene.ownerId, 2);
    expect(await calendarLeg()).toMatchObject({ state: 'working', reason: null });
  });

  it('can have other servers or a new password before its calendar works', async () => {
    const fault: { error: Error | undefined } = { error: DOWN };
    const { calendarLeg, connect, change } = await open(fault);
    await connect();
    await change();
    expect(await calendarLeg()).toMatchObject({ state: 'nothing_listens' });
    fault.error = undefined;
    await change();
    expect(await calendarLeg()).toMatchObject({ state: 'working' });
    // Its server still works without a calendar.
    fault.error = new MailError('not_found', 'it has no calendar', { trouble: 'no_calendar' });
    await change();
    expect(await calendarLeg()).toMatchObject({ state: 'no_calendar' });
    fault.error = undefined;
    await change();
    // One that has worked is not lost to a wrong address.
    fault.error = DOWN;
    await expect(change()).rejects.toThrow(DOWN);
    expect(await calendarLeg()).toMatchObject({ state: 'working' });
  });

  it('is not saved if the failure is a fault of the program', async () => {
    const { scene, accounts, connect } = await open({ error: new TypeError('a mistake') });
    await expect(connect()).rejects.toThrow('a mistake');
    expect(await accounts.list(scene.ownerId)).toHaveLength(1);
  });
});
