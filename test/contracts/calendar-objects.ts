import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CalendarObjects } from '../../core/ports/calendar-objects.ts';
import type { MailAccount, MailCall } from '../../core/ports/mail.ts';
import { eventsOn } from '../events-on.ts';
import { changePromises } from './calendar/changes.ts';
import { listPromises } from './calendar/lists.ts';
import { readPromises } from './calendar/reads.ts';
import { type CalendarScene, object } from './calendar/scene.ts';

/** An empty calendar for one test: the one that receives new events. */
export interface CalendarObjectsUnderTest {
  readonly calendar: CalendarObjects;
  readonly account: MailAccount;
  /** Stores an object as another program would. Replaces an object of the same name. */
  put(name: string, ics: string): Promise<void>;
  /** The server turns times without a zone into times of its own zone. Default: false. */
  readonly knowsNoFloatingTimes?: boolean;
  /** Returns the stored object, or undefined if there is none. */
  object(name: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * The contract of the CalendarObjects port, as core reads it.
 * @param open  opens a separate calendar for each test
 */
export function calendarObjectsContract(name: string, open: () => Promise<CalendarObjectsUnderTest>): void {
  describe(`${name}: calendar objects contract`, () => {
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
      it('names the calendar that receives new events, and reports that it is writable', async () => {
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
      it('is unavailable, and neither changes nor starts anything', async () => {
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
