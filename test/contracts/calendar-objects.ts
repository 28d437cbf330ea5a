import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CalendarObjects } from '../../core/ports/calendar-objects.ts';
import type { MailAccount, MailCall } from '../../core/ports/mail.ts';
import { eventsOn } from '../events-on.ts';
import { changePromises } from './calendar/changes.ts';
import { listPromises } from './calendar/lists.ts';
import { readPromises } from './calendar/reads.ts';
import { type CalendarScene, object } from './calendar/scene.ts';

/** A calendar for one test: empty, the one that new events are put into. */
export interface CalendarObjectsUnderTest {
  readonly calendar: CalendarObjects;
  readonly account: MailAccount;
  /** Stores an object in it as another program would: a new one, or in place of the one of that name. */
  put(name: string, ics: string): Promise<void>;
  /** The object as it lies there; undefined where there is none. */
  object(name: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * What every adapter of the CalendarObjects port must do, as core reads it.
 * @param open  gives a calendar of its own to each test
 */
export function calendarObjectsContract(name: string, open: () => Promise<CalendarObjectsUnderTest>): void {
  describe(`${name}: the contract of a store of calendar objects`, () => {
    let opened: CalendarObjectsUnderTest;
    let scene: CalendarScene;

    beforeEach(async () => {
      opened = await open();
      const { account, calendar: given } = opened;
      const calendar = eventsOn(given);
      const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 20_000 };
      const target = await calendar.target(call);
      scene = { box: opened, calendar, call, target: target?.calendar ?? '' };
    });
    afterEach(() => opened?.close());

    describe('calendars', () => {
      it('names the calendar that new events are put into, and says that it can be written to', async () => {
        const { calendar, call } = scene;
        const target = await calendar.target(call);
        expect(target).toMatchObject({ writable: true });
        expect(target?.name).not.toBe('');
        expect(['own', 'shared', 'unknown']).toContain(target?.access);
        expect(await calendar.calendars(call)).toContainEqual(target);
      });
    });

    listPromises(() => scene);
    readPromises(() => scene);
    changePromises(() => scene);

    describe('a call that has ended', () => {
      it('is unavailable, and nothing is done or begun', async () => {
        const { box, calendar, target } = scene;
        await box.put('there.ics', object('there', 'DTSTART:20260310T090000Z', 'DTEND:20260310T100000Z'));
        const before = await box.object('there.ics');
        const call = { ...scene.call, signal: AbortSignal.abort() };
        const timezone = 'Europe/Zurich';
        const place = { calendar: target, name: 'there.ics' };
        const begun = { times: 0 };
        const start = async () => {
          begun.times++;
          return true;
        };
        const ifMatch = '"1"';
        const document = object('there', 'DTSTART:20260310T110000Z');
        const asked = [
          () => calendar.calendars(call),
          () => calendar.list(call, { from: new Date(0), to: new Date(1), timezone }),
          () => calendar.read(call, { calendar: target, uid: 'there', recurrenceId: null }, timezone),
          () => calendar.write(call, { ...place, document, ifMatch }, start),
          () => calendar.remove(call, { ...place, ifMatch }, start),
        ];
        for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
        expect(begun.times).toBe(0);
        expect(await box.object('there.ics')).toBe(before);
      });
    });
  });
}
