import { describe, expect, it } from 'vitest';
import { calendarOf, event } from '../../contracts/calendar/scene.ts';
import {
  approved,
  type CalendarScene,
  eventsOf,
  numberOf,
  objectsOf,
  openCalendar,
  put,
} from '../calendar-scene.ts';
import { approvalOf, approve, detailsOf } from '../scene.ts';

// Two objects of one calendar with the same UID: copied birthdays on DAViCal and sabre/dav. Each is an event of its own.

const birthday = (name: string) =>
  calendarOf(
    event(
      'birthday',
      `SUMMARY:Birthday of ${name}`,
      'DTSTART:20270310T090000Z',
      'DURATION:PT1H',
      `X-OF:${name}`,
    ),
  );
const [CLEO, DORA] = [birthday('Cleo'), birthday('Dora')];

interface Row {
  readonly event_id: number;
  readonly title: string;
}

async function opened(objects: Readonly<Record<string, string>>) {
  const scene = await openCalendar();
  for (const [name, ics] of Object.entries(objects)) await put(scene, name, ics);
  return scene;
}

async function rowsOf(scene: CalendarScene): Promise<readonly Row[]> {
  const listed = await scene.key.call('list_events', { days: 365 });
  if (listed.status !== 'ok') throw new Error('no list');
  return (listed.result as { events: Row[] }).events;
}

async function idOf(scene: CalendarScene, title: string): Promise<number> {
  const row = (await rowsOf(scene)).find((one) => one.title === title);
  if (row === undefined) throw new Error(`there is no ${title}`);
  return row.event_id;
}

describe('one UID in two objects', () => {
  it('is two events with their own numbers, which stay the same', async () => {
    const scene = await opened({ 'cleo.ics': CLEO, 'dora.ics': DORA });
    const rows = await rowsOf(scene);
    expect(rows.map(({ title }) => title).toSorted()).toEqual(['Birthday of Cleo', 'Birthday of Dora']);
    expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(2);
    expect(await rowsOf(scene)).toEqual(rows);
  });

  it.each(['Cleo', 'Dora'])('changing the event of %s changes nothing of the other', async (name) => {
    const scene = await opened({ 'cleo.ics': CLEO, 'dora.ics': DORA });
    const event_id = await idOf(scene, `Birthday of ${name}`);
    const { state } = await approved(scene, 'update_event', { event_id, title: 'Party' });
    expect(state).toBe('executed');
    const objects = await objectsOf(scene);
    expect(objects).toContain(name === 'Cleo' ? DORA : CLEO);
    expect(
      objects.filter((ics) => ics.includes('SUMMARY:Party') && ics.includes(`X-OF:${name}`)),
    ).toHaveLength(1);
  });

  it('cancelling one leaves the other, and both requests may wait at once', async () => {
    const scene = await opened({ 'cleo.ics': CLEO, 'dora.ics': DORA });
    const [cleo, dora] = [await idOf(scene, 'Birthday of Cleo'), await idOf(scene, 'Birthday of Dora')];
    const [first, second] = [
      approvalOf(await scene.key.call('cancel_event', { event_id: cleo })),
      approvalOf(await scene.key.call('cancel_event', { event_id: dora })),
    ];
    expect(second.id).not.toBe(first.id);
    expect((await approve(scene, first.id)).approval.state).toBe('executed');
    expect(await objectsOf(scene)).toEqual([DORA]);
    expect((await approve(scene, second.id)).approval.state).toBe('executed');
    expect(await objectsOf(scene)).toEqual([]);
  });

  it('is refused by a number from before there were two', async () => {
    const scene = await opened({ 'cleo.ics': CLEO });
    const event_id = await idOf(scene, 'Birthday of Cleo');
    await put(scene, 'dora.ics', DORA);
    for (const tool of ['update_event', 'cancel_event'])
      expect(
        detailsOf(
          await scene.key.call(tool, { event_id, ...(tool === 'update_event' && { title: 'Party' }) }),
        ),
      ).toMatchObject({ code: 'invalid_arguments', errors: [{ field: 'event_id', rule: 'not_unique' }] });
    expect(await objectsOf(scene)).toEqual([CLEO, DORA]);
  });

  it('keeps its number when the other one is gone', async () => {
    const scene = await opened({ 'cleo.ics': CLEO, 'dora.ics': DORA });
    const event_id = await idOf(scene, 'Birthday of Dora');
    await approved(scene, 'cancel_event', { event_id: await idOf(scene, 'Birthday of Cleo') });
    expect((await approved(scene, 'update_event', { event_id, title: 'Party' })).state).toBe('executed');
  });
});

describe('a changed instance in an object of its own, beside its series', () => {
  const SERIES = calendarOf(
    event('run', 'DTSTART:20270301T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=3'),
  );
  const override = (start: string) =>
    calendarOf(
      event('run', 'RECURRENCE-ID:20270308T090000Z', `DTSTART:${start}`, 'DURATION:PT1H', 'SUMMARY:Moved'),
    );

  it('is shown beside the instance of the series, and each can be changed alone', async () => {
    const scene = await opened({ 'series.ics': SERIES, 'moved.ics': override('20270308T140000Z') });
    const listed = await eventsOf(scene);
    expect(listed.map(({ start, documentName }) => [start.toISOString().slice(5, 13), documentName])).toEqual(
      [
        ['03-01T09', undefined],
        ['03-08T09', 'series.ics'],
        ['03-08T14', 'moved.ics'],
        ['03-15T09', undefined],
      ],
    );
    await approved(scene, 'cancel_event', { event_id: await idOf(scene, 'Moved') });
    expect(await objectsOf(scene)).toEqual([SERIES]);
  });

  it('outside of the list of its series is refused: the series answers for it too', async () => {
    const scene = await opened({ 'series.ics': SERIES, 'moved.ics': override('20271108T140000Z') });
    const event_id = await numberOf(scene, 'run', '20270308T090000Z');
    const failed = await scene.key.call('cancel_event', { event_id });
    expect(detailsOf(failed)).toMatchObject({ errors: [{ field: 'event_id', rule: 'not_unique' }] });
    expect(await objectsOf(scene)).toHaveLength(2);
  });
});
