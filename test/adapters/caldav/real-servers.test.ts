import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { decodedPath } from '../../../adapters/caldav/decoded.ts';
import { calendarReport } from '../../../adapters/caldav/report.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { eventsOn } from '../../events-on.ts';
import {
  type CalendarUser,
  makeCalendar,
  objectNamed,
  putObject,
  removeCalendar,
} from '../../servers/calendar-user.ts';
import { CYRUS_CALENDAR_PROGRAMS, type Cyrus, startCyrus } from '../../servers/cyrus.ts';
import { PASSWORD } from '../../servers/mail-users.ts';
import { missingPrograms, titledWithout } from '../../servers/missing-servers.ts';
import { RADICALE_PROGRAMS, type Radicale, startRadicale } from '../../servers/radicale.ts';

const READING = { reader: inlineReader(), ownerId: 'o' };

function accountOf(user: CalendarUser, change: Readonly<Record<string, string>> = {}, email = user.user) {
  const calendar = eventsOn(caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }));
  onTestFinished(() => calendar.close());
  const caldav = { url: user.url, user: user.user, pass: PASSWORD, ...change };
  const account = { ownerId: 'o', accountId: 1, email, settings: async () => ({ caldav }) };
  const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 20_000 };
  return { calendar, call, caldav };
}

const states = (findings: readonly { check: string; state: string }[]) =>
  Object.fromEntries(findings.map(({ check, state }) => [check, state]));

const noRadicale = missingPrograms(RADICALE_PROGRAMS);
describe.skipIf(noRadicale.length > 0)(titledWithout(noRadicale, 'a calendar on Radicale'), () => {
  let radicale: Radicale;
  beforeAll(async () => {
    radicale = await startRadicale();
  });
  afterAll(() => radicale?.stop());

  it('refuses a wrong password', async () => {
    const { calendar, call } = accountOf(await radicale.addUser(), { pass: 'wrong' });
    await expect(calendar.calendars(call)).rejects.toMatchObject({ code: 'auth' });
  });

  it('is found from any address of the server, but not from one that does not exist', async () => {
    const user = await radicale.addUser();
    const path = decodedPath(new URL(user.calendarUrl));
    for (const url of [user.url, `${user.url}.well-known/caldav`, user.calendarUrl]) {
      const { calendar, call } = accountOf(user, { url });
      expect((await calendar.calendars(call)).map((one) => one.calendar)).toEqual([path]);
    }
  });

  it('lets exactly one of two simultaneous changes of an event win', async () => {
    const user = await radicale.addUser();
    await putObject(user, 'one.ics', object('one', 'DTSTART:20260310T090000Z'));
    const { calendar, call } = accountOf(user);
    const key = { calendar: decodedPath(new URL(user.calendarUrl)), uid: 'one', recurrenceId: null };
    const stored = await calendar.read(call, key, 'UTC');
    const texts = ['20260311', '20260312'].map((day) => object('one', `DTSTART:${day}T090000Z`));
    const written = await Promise.allSettled(
      texts.map((document) =>
        calendar.write(
          call,
          { ...key, name: 'one.ics', document, ifMatch: stored?.etag ?? '' },
          async () => true,
        ),
      ),
    );
    expect(written.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(written.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
    const winner = written.findIndex(({ status }) => status === 'fulfilled');
    expect((await objectNamed(user, 'one.ics'))?.includes(`DTSTART:2026031${winner + 1}T`)).toBe(true);
  });

  it('is one of several: all are read, and only the chosen one is written to, even after it is deleted', async () => {
    const user = await radicale.addUser();
    const work = { ...user, calendarUrl: user.calendarUrl.replace('/calendar/', '/work/') };
    await makeCalendar(work, 'Arbeit & Beruf');
    await putObject(user, 'a.ics', object('a', 'DTSTART:20260310T090000Z'));
    await putObject(work, 'b.ics', object('b', 'DTSTART:20260310T100000Z'));
    const writeTo = decodedPath(new URL(work.calendarUrl));
    const { calendar, call } = accountOf(user, { writeTo });
    const query = { from: new Date('2026-03-10'), to: new Date('2026-03-11'), timezone: 'UTC' };
    expect((await calendar.list(call, query)).events.map(({ uid }) => uid)).toEqual(['a', 'b']);
    expect(await calendar.target(call)).toMatchObject({ calendar: writeTo, name: 'Arbeit & Beruf' });
    const lost = accountOf(user, { writeTo: '/elsewhere/' });
    await expect(lost.calendar.target(lost.call)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that does not exist yet is reported, with what to do, and found once it was created', async () => {
    const user = await radicale.addUser();
    await removeCalendar(user);
    const { calendar, call } = accountOf(user);
    expect(await calendar.calendars(call)).toEqual([]);
    await expect(calendar.target(call)).rejects.toMatchObject({
      code: 'not_found',
      trouble: 'no_calendar',
      message: expect.stringContaining('create one in a calendar program') as unknown,
    });
    await makeCalendar(user);
    expect(await calendar.target(call)).toMatchObject({ writable: true });
  });

  it('continues without a calendar that was removed', async () => {
    const user = await radicale.addUser();
    const work = { ...user, calendarUrl: user.calendarUrl.replace('/calendar/', '/work/') };
    await makeCalendar(work);
    await putObject(user, 'a.ics', object('a', 'DTSTART:20260310T090000Z'));
    await putObject(work, 'b.ics', object('b', 'DTSTART:20260310T100000Z'));
    const { calendar, call } = accountOf(user);
    const query = { from: new Date('2026-03-10'), to: new Date('2026-03-11'), timezone: 'UTC' };
    expect((await calendar.list(call, query)).events.map(({ uid }) => uid)).toEqual(['a', 'b']);
    await removeCalendar(work);
    expect((await calendar.list(call, query)).events.map(({ uid }) => uid)).toEqual(['a']);
  });

  it('is examined', async () => {
    const { caldav, call } = accountOf(await radicale.addUser());
    const { email } = call.account;
    const limit = new AbortController().signal;
    expect(
      states(await calendarReport(caldav, email, { allowPrivateServers: true }, READING, limit)),
    ).toEqual({
      sign_in: 'good',
      calendars: 'good',
      write_to: 'good',
      scheduling: 'lacking',
    });
    expect(
      states(
        await calendarReport(
          { ...caldav, writeTo: '/elsewhere/' },
          email,
          { allowPrivateServers: true },
          READING,
          limit,
        ),
      ).write_to,
    ).toBe('broken');
    expect(
      states(
        await calendarReport(
          { ...caldav, pass: 'wrong' },
          email,
          { allowPrivateServers: true },
          READING,
          limit,
        ),
      ),
    ).toEqual({
      sign_in: 'broken',
    });
  });
});

describe.skipIf(noRadicale.length > 0)(titledWithout(noRadicale, 'a Radicale whose hook fails'), () => {
  let folder: string;
  let hookFails: string;
  let radicale: Radicale;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cs-hook-'));
    hookFails = join(folder, 'fails');
    chmodSync(folder, 0o755);
    radicale = await startRadicale({ hook: `test ! -e ${hookFails}` });
  });
  afterAll(async () => {
    await radicale?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has already stored an object when it answers 500, so the outcome is unknown', async () => {
    const user = await radicale.addUser();
    const { calendar, call } = accountOf(user);
    const place = { calendar: decodedPath(new URL(user.calendarUrl)), name: 'one.ics' };
    writeFileSync(hookFails, '');
    const document = object('one', 'DTSTART:20260310T090000Z');
    await expect(
      calendar.write(call, { ...place, document, ifMatch: null }, async () => true),
    ).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(await objectNamed(user, 'one.ics')).toContain('UID:one');
  });
});

const noCyrus = missingPrograms(CYRUS_CALENDAR_PROGRAMS);
describe.skipIf(noCyrus.length > 0)(titledWithout(noCyrus, 'a calendar on Cyrus'), () => {
  let cyrus: Cyrus;
  beforeAll(async () => {
    cyrus = await startCyrus({ calendars: true });
  });
  afterAll(() => cyrus?.stop());

  it('notifies attendees itself, and names its default calendar', async () => {
    const user = cyrus.calendarOf(await cyrus.addUser());
    const { calendar, call, caldav } = accountOf(user);
    expect(await calendar.target(call)).toMatchObject({
      calendar: decodedPath(new URL(user.calendarUrl)),
      writable: true,
      schedules: true,
    });
    const report = await calendarReport(
      caldav,
      user.user,
      { allowPrivateServers: true },
      READING,
      new AbortController().signal,
    );
    expect(states(report)).toMatchObject({ sign_in: 'good', scheduling: 'good' });
  });

  it('notifies nobody in the name of an address that is not its user’s', async () => {
    const user = cyrus.calendarOf(await cyrus.addUser());
    const elsewhere = 'mine@elsewhere.example';
    const { calendar, call, caldav } = accountOf(user, {}, elsewhere);
    expect(await calendar.target(call)).toMatchObject({ writable: true, schedules: false });
    const report = await calendarReport(
      caldav,
      elsewhere,
      { allowPrivateServers: true },
      READING,
      new AbortController().signal,
    );
    expect(states(report)).toMatchObject({ sign_in: 'good', scheduling: 'lacking' });
  });
});
