import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { calendarContract } from '../../contracts/calendar.ts';
import { calendarObjectsContract } from '../../contracts/calendar-objects.ts';
import { eventsOn } from '../../events-on.ts';

const call: MailCall = {
  account: {
    ownerId: 'owner-1',
    accountId: 1,
    email: 'demo@countersign.test',
    settings: () => Promise.reject(new Error('The sandbox has no settings')),
  },
  signal: new AbortController().signal,
  deadlineMs: 5_000,
};

calendarObjectsContract('sandbox', async () => {
  const calendar = sandboxCalendar({ samples: [] });
  const { account } = call;
  return {
    calendar,
    account,
    put: (name, ics) => calendar.put(account, name, ics),
    object: async (name) => (await calendar.objects(account)).get(name),
    close: () => calendar.close(),
  };
});

calendarContract('the sandbox, through its documents', async () => {
  const objects = sandboxCalendar({ samples: [] });
  const events = eventsOn(objects);
  const { account, signal } = call;
  return {
    calendar: events,
    account,
    async put(event) {
      const writing = { timezone: 'Europe/Zurich', stamp: new Date(0), ownerId: account.ownerId, signal };
      await objects.put(account, `${event.uid}.ics`, await events.documents.create(event, writing));
    },
    close: () => events.close(),
  };
});

const calendar = eventsOn(sandboxCalendar({ now: () => new Date('2026-03-03T17:45:00Z') }));
const list = async (from: string, to: string) => {
  const range = { from: new Date(from), to: new Date(to), timezone: 'Europe/Berlin' };
  return (await calendar.list(call, range)).events;
};

describe('the sandbox calendar', () => {
  it('lists events that overlap the range, earliest first', async () => {
    const events = await list('2026-03-03T00:00:00Z', '2026-03-05T00:00:00Z');
    expect(events.map(({ title, start }) => [start.toISOString(), title])).toEqual([
      ['2026-03-03T08:30:00.000Z', 'Atlas stand-up'],
      ['2026-03-03T14:00:00.000Z', 'Maya / Alex'],
      ['2026-03-04T07:30:00.000Z', 'Budget, third quarter'],
      ['2026-03-04T14:20:00.000Z', 'Zahnarzt Dr. Yıldız'],
    ]);
  });

  it('treats ends as exclusive, and includes events that only overlap the range', async () => {
    expect(await list('2026-03-04T08:15:00Z', '2026-03-04T14:20:00Z')).toEqual([]);
    const night = await list('2026-03-12T01:00:00Z', '2026-03-12T02:00:00Z');
    expect(night.map(({ title }) => title)).toEqual(['Night train to Lisbon']);
  });

  it('expands a series, and names each of its instances', async () => {
    const events = await list('2026-03-03T00:00:00Z', '2026-03-18T00:00:00Z');
    const standUps = events.filter(({ uid }) => uid === 'stand-up@sample.countersign.test');
    expect(standUps.map(({ recurrenceId }) => recurrenceId)).toEqual([
      '20260303T083000Z',
      '20260310T083000Z',
      '20260317T083000Z',
    ]);
    expect(standUps.every(({ recurring }) => recurring)).toBe(true);
    expect(events.find(({ title }) => title === 'Atlas launch')).toMatchObject({
      recurrenceId: null,
      recurring: false,
    });
  });

  it('has a dozen events, some tentative or cancelled', async () => {
    const events = await list('2026-02-01T00:00:00Z', '2026-04-01T00:00:00Z');
    expect(new Set(events.map(({ uid }) => uid)).size).toBeGreaterThanOrEqual(12);
    expect(new Set(events.map(({ status }) => status))).toEqual(
      new Set(['confirmed', 'tentative', 'cancelled']),
    );
  });

  it('does nothing for a call that has ended', async () => {
    const ended = { ...call, signal: AbortSignal.abort() };
    const query = { from: new Date(0), to: new Date(), timezone: 'UTC' };
    await expect(calendar.list(ended, query)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('the journal of the sandbox calendar', () => {
  const ics = (uid: string) => object(uid, 'DTSTART:20260310T090000Z', 'DURATION:PT1H');
  const start = async () => true;

  function journalFile(): string {
    const folder = mkdtempSync(join(tmpdir(), 'cs-calendar-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, 'calendar.journal');
  }

  it('shows another process the same calendar, without a half-written line', async () => {
    const file = journalFile();
    const first = sandboxCalendar({ journalFile: file });
    const named = { calendar: 'Calendar', name: 'one.ics' };
    await first.write(call, { ...named, ics: ics('one'), ifMatch: null }, start);
    await first.write(call, { ...named, name: 'two.ics', ics: ics('two'), ifMatch: null }, start);
    const [two] = await first.withUid(call, { calendar: 'Calendar', uid: 'two' });
    await first.remove(call, { ...named, name: 'two.ics', ifMatch: two?.etag ?? '' }, start);
    const objects = await first.objects(call.account);
    await first.close();
    appendFileSync(file, '{"event":"removed","ownerId":"owner-1","accountId":1,"name":"one');
    const second = sandboxCalendar({ journalFile: file, now: () => new Date(0) });
    expect(await second.objects(call.account)).toEqual(objects);
    await second.close();
  });

  it('belongs to one account: another one has its own calendar', async () => {
    const own = sandboxCalendar({ samples: [] });
    await own.put(call.account, 'one.ics', ics('one'));
    expect(await own.objects({ ...call.account, accountId: 2 })).toEqual(new Map());
    expect(await own.objects({ ...call.account, ownerId: 'owner-2' })).toEqual(new Map());
  });
});
