import { expect, it } from 'vitest';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { MailError } from '../../core/ports/mail.ts';
import { eventsOn } from '../events-on.ts';
import {
  approvalIn,
  type Door,
  doorOf,
  expectFailure,
  ownDoor,
  refusedFields,
  resultIn,
  STRANGER,
} from './door.ts';
import { AUTUMN, newEvent, proposed } from './own-things.ts';
import { section } from './sections.ts';

// Calendar events: endpoints and states.

const someText: unknown = expect.stringMatching(/\S/);
const WIDE = '\u{1f4dc}';
const door = doorOf();

interface EventRow {
  readonly event_id: number;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly status: string;
}

async function eventNumbered({ call }: Door, event_id: number): Promise<EventRow | undefined> {
  const result = resultIn(await call('GET', '/v1/events?days=365'));
  return (result.events as EventRow[]).find((event) => event.event_id === event_id);
}

section('States: Calendar event', () => {
  it('a list reports how many objects of the calendar are unreadable', async () => {
    const calendar = eventsOn(sandboxCalendar());
    const own = await ownDoor({
      given: {
        calendar: {
          ...calendar,
          list: async (call, query) => ({ ...(await calendar.list(call, query)), unreadable: 2 }),
        },
      },
    });
    const listed = await own.call('GET', '/v1/events?days=30');
    expect(listed.json).toMatchObject({ status: 'ok', result: { unreadable: 2 } });
    const none = await own.call('GET', '/v1/events?days=0&only=future');
    expect(none.json.result).toHaveProperty('unreadable', 2);
    expect((await door().call('GET', '/v1/events')).json.result).not.toHaveProperty('unreadable');
  });

  it('created: confirmed; created with proposed: tentative, then confirmed by confirm', async () => {
    const own = await ownDoor({ opensAt: AUTUMN });
    expect((await eventNumbered(own, await newEvent(own)))?.status).toBe('confirmed');
    const event_id = await proposed(own);
    expect((await eventNumbered(own, event_id))?.status).toBe('tentative');
    const asked = await own.call('POST', `/v1/events/${event_id}/confirm`);
    expect(asked.status).toBe(202);
    await own.approve(approvalIn(asked).id);
    expect((await eventNumbered(own, event_id))?.status).toBe('confirmed');
  });

  it('deleted: it leaves the list', async () => {
    const own = await ownDoor({ opensAt: AUTUMN });
    const event_id = await newEvent(own);
    await own.approve(approvalIn(await own.call('DELETE', `/v1/events/${event_id}`)).id);
    expect(await eventNumbered(own, event_id)).toBeUndefined();
    expectFailure(await own.call('DELETE', `/v1/events/${event_id}`), 404, 'not_found', { reason: 'event' });
  });
});

section('Notes: Where the contract can be read in two ways', () => {
  it.each([
    ['does not exist: the offset before the gap', '2027-03-28T02:30', '2027-03-28T03:30:00+02:00'],
    ['exists twice: the first of the two', '2027-10-31T02:30', '2027-10-31T02:30:00+02:00'],
    ['exists once', '2027-01-04T09:00', '2027-01-04T09:00:00+01:00'],
  ])('a wall-clock time that %s', async (_name, start, shown) => {
    const own = await ownDoor({ opensAt: AUTUMN });
    const { service } = own.server;
    const { ownerId } = await service.owners.create({
      email: 'berlin@example.org',
      timezone: 'Europe/Berlin',
    });
    await service.accounts.connect({ ownerId, email: 'berlin@example.org', settings: {} });
    const key = await own.key({ ownerId, modes: { 'calendar:write': 'direct' } });
    const made = await own.call('POST', '/v1/events', { body: { title: 'At night', start }, key });
    expect(made.status).toBe(200);
    const result = resultIn(await own.call('GET', '/v1/events?days=365', { key }));
    expect(result).toMatchObject({
      timezone: 'Europe/Berlin',
      events: expect.arrayContaining([
        expect.objectContaining({ title: 'At night', start: shown }),
      ]) as unknown,
    });
  });
});

section('Endpoints: Calendar events', () => {
  it.each([
    ['days=0', undefined],
    ['days=365', undefined],
    ['days=366', 'days'],
    ['days=-1', 'days'],
    ['past_days=1', undefined],
    ['past_days=365', undefined],
    ['past_days=0', 'past_days'],
    ['past_days=366', 'past_days'],
    ['only=all', undefined],
    ['only=past', undefined],
    ['only=future', undefined],
    ['only=some', 'only'],
  ])('GET /v1/events?%s', async (query, field) => {
    const answer = await door().call('GET', `/v1/events?${query}`);
    if (field === undefined) expect(answer.status).toBe(200);
    else expect(refusedFields(answer)).toContain(field);
  });

  it('GET /v1/events?only= lists past or future ones', async () => {
    const rows = async (only: string) => {
      const result = resultIn(await door().call('GET', `/v1/events?days=30&past_days=30&only=${only}`));
      return result.events as { event_id: number; past: boolean }[];
    };
    const [all, past, future] = [await rows('all'), await rows('past'), await rows('future')];
    expect(past.every((event) => event.past)).toBe(true);
    expect(future.every((event) => !event.past)).toBe(true);
    expect(all).toHaveLength(past.length + future.length);
    expect(past.length * future.length).toBeGreaterThan(0);
  });

  const bodies: [name: string, changes: object, field: string | undefined][] = [
    ['a title of 300 characters', { title: WIDE.repeat(300) }, undefined],
    ['a title of 301', { title: WIDE.repeat(301) }, 'title'],
    ['no title', { title: '' }, 'title'],
    ['a title with two lines', { title: 'a\nb' }, 'title'],
    ['a start with seconds', { start: '2027-01-04T09:00:30' }, undefined],
    ['a start with an offset', { start: '2027-01-04T09:00Z' }, 'start'],
    ['a start without a time', { start: '2027-01-04' }, 'start'],
    ['a start on a day that does not exist', { start: '2027-02-29T09:00' }, 'start'],
    ['the earliest start', { start: '1900-01-01T00:00' }, undefined],
    ['a start before it', { start: '1899-12-31T23:59' }, 'start'],
    ['the latest start', { start: '9998-12-31T23:59', duration_min: 480 }, undefined],
    ['a start after it', { start: '9999-01-01T00:00' }, 'start'],
    ['15 minutes', { duration_min: 15 }, undefined],
    ['480 minutes', { duration_min: 480 }, undefined],
    ['14 minutes', { duration_min: 14 }, 'duration_min'],
    ['481 minutes', { duration_min: 481 }, 'duration_min'],
    ['an attendee', { attendee: STRANGER }, undefined],
    ['an attendee with a name', { attendee: `Eve <${STRANGER}>` }, 'attendee'],
    ['an attendee of 255 characters', { attendee: `${'a'.repeat(243)}@example.org` }, 'attendee'],
    ['proposed', { proposed: true }, undefined],
    ['not proposed', { proposed: false }, undefined],
    ['proposed as text', { proposed: 'true' }, 'proposed'],
    ['an unknown property', { colour: 'red' }, 'colour'],
  ];
  it.each(bodies)('POST /v1/events with %s, row %#', async (_name, changes, field) => {
    const { call } = door();
    const body = {
      title: `Row ${JSON.stringify(changes).slice(0, 60)}`,
      start: '2027-01-04T09:00',
      ...changes,
    };
    const answer = await call('POST', '/v1/events', { body });
    if (field === undefined)
      expect({ status: answer.status, code: answer.json.code }).toEqual({ status: 202, code: undefined });
    else expect(refusedFields(answer)).toContain(field);
  });

  it.each(['title', 'start'])('POST /v1/events needs %s', async (field) => {
    const body: Record<string, unknown> = { title: 'x', start: '2027-01-04T09:00' };
    delete body[field];
    expect(refusedFields(await door().call('POST', '/v1/events', { body }))).toEqual([field]);
  });

  it('POST /v1/events, once approved: 30 minutes by default, in the zone of the user; its result names it', async () => {
    const own = await ownDoor({ opensAt: AUTUMN });
    const asked = await own.call('POST', '/v1/events', {
      body: { title: 'Boat', start: '2027-01-04T09:00' },
    });
    expect(approvalIn(asked)).toMatchObject({ tool: 'create_event', action: 'create' });
    await own.approve(approvalIn(asked).id);
    const ended = approvalIn(await own.call('GET', `/v1/approvals/${approvalIn(asked).id}`));
    expect(ended.result).toEqual({
      done: true,
      action: 'create',
      object_kind: 'event',
      object_id: expect.any(Number) as unknown,
    });
    const { object_id } = ended.result as { object_id: number };
    expect(await eventNumbered(own, object_id)).toMatchObject({
      title: 'Boat',
      start: '2027-01-04T09:00:00+00:00',
      end: '2027-01-04T09:30:00+00:00',
    });
  });

  it('POST /v1/events runs at once for a key in direct mode', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'calendar:write': 'direct' } });
    const body = { title: 'Boat', start: '2027-01-04T09:00' };
    const answer = await own.call('POST', '/v1/events', { body, key });
    expect(answer).toMatchObject({
      status: 200,
      json: { executed: true, auto_approved: true, result: { meaning: someText } },
    });
  });

  it('an attendee without earlier mail is held', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'calendar:write': 'direct' } });
    const body = { title: 'Boat', start: '2027-01-04T09:00', attendee: STRANGER };
    expect((await own.call('POST', '/v1/events', { body, key })).status).toBe(202);
  });

  it('POST /v1/events without a calendar, or with a chosen one that is gone: not_found, naming the calendar', async () => {
    const body = { title: 'Nowhere', start: '2027-01-04T09:00' };
    for (const isGone of [false, true]) {
      let isConnected = false;
      const target = async () => {
        if (isGone && isConnected) throw new MailError('not_found', 'the calendar is not there any more');
        return undefined;
      };
      const own = await ownDoor({ given: { calendar: { ...sandboxCalendar(), target } } });
      isConnected = true;
      expectFailure(await own.call('POST', '/v1/events', { body }), 404, 'not_found', { reason: 'calendar' });
    }
  });

  it('PATCH /v1/events/{event_id}, once approved, changes the given fields', async () => {
    const own = await ownDoor({ opensAt: AUTUMN });
    const event_id = await newEvent(own);
    const body = { title: 'Regatta', start: '2027-01-05T10:00', duration_min: 60 };
    const asked = await own.call('PATCH', `/v1/events/${event_id}`, { body });
    expect(asked.status).toBe(202);
    await own.approve(approvalIn(asked).id);
    expect(await eventNumbered(own, event_id)).toMatchObject({
      title: 'Regatta',
      start: '2027-01-05T10:00:00+00:00',
      end: '2027-01-05T11:00:00+00:00',
    });
  });

  it.each([
    [{}, 'event_id'],
    [{ title: '' }, 'title'],
    [{ start: 'tomorrow' }, 'start'],
    [{ duration_min: 5 }, 'duration_min'],
    [{ attendee: 'x' }, 'attendee'],
    [{ proposed: true }, 'proposed'],
    [{ event_id: 1 }, 'body.event_id'],
  ])('PATCH /v1/events/{event_id} with %j is refused', async (body, field) => {
    const event_id = await newEvent(door());
    expect(refusedFields(await door().call('PATCH', `/v1/events/${event_id}`, { body }))).toContain(field);
  });

  it.each([
    ['PATCH', '', { title: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/confirm', undefined],
  ] as const)(
    '%s /v1/events/{event_id}%s: 404 for an unknown number, 400 outside the range',
    async (method, path, body) => {
      const ask = (id: string) =>
        door().call(method, `/v1/events/${id}${path}`, body === undefined ? {} : { body });
      expectFailure(await ask('2147483647'), 404, 'not_found', { reason: 'event' });
      for (const id of ['0', '2147483648', 'x']) expect(refusedFields(await ask(id))).toContain('event_id');
    },
  );
});
