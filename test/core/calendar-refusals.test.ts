import { describe, expect, it } from 'vitest';
import { calendarOf, event, object } from '../contracts/calendar/scene.ts';
import {
  approved,
  type CalendarScene,
  eventsOf,
  invitations,
  numberOf,
  objectsOf,
  openCalendar,
  PLANNING,
  put,
  SECOND,
  SERIES,
  saying,
} from './calendar-scene.ts';
import {
  approvalOf,
  approve,
  detailsOf,
  FRIEND,
  LOST,
  OWN,
  REFUSED,
  REFUSED_AFTER,
  resultOf,
  shownOf,
  wordOf,
} from './scene.ts';

describe('when something changes in between', () => {
  it('an event that was changed in the meantime stays as it is, and nobody is notified', async () => {
    const scene = await openCalendar();
    await put(scene, 'one.ics', object('one', 'DTSTART:20270301T080000Z', `ATTENDEE:mailto:${FRIEND}`));
    const event_id = await numberOf(scene, 'one');
    for (const [tool, args] of [
      ['update_event', { title: 'Other' }],
      ['cancel_event', {}],
    ] as const) {
      const { id } = approvalOf(await scene.key.call(tool, { event_id, ...args }));
      const changed = object('one', 'DTSTART:20270301T090000Z', `ATTENDEE:mailto:${FRIEND}`, `X-BY:${tool}`);
      await put(scene, 'one.ics', changed);
      const { approval } = await approve(scene, id);
      expect([approval.state, approval.error]).toEqual(['failed', 'target_changed']);
      expect(await objectsOf(scene)).toEqual([changed]);
    }
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it.each([REFUSED, REFUSED_AFTER])('a change whose message to %s is refused is undone', async (attendee) => {
    const scene = await openCalendar();
    const made = await approved(scene, 'create_event', { ...PLANNING, attendee });
    expect([made.state, made.error, await objectsOf(scene)]).toEqual(['failed', 'upstream_mail_error', []]);
    for (const before of [
      object('one', 'DTSTART:20270301T080000Z', 'DURATION:PT1H', `ATTENDEE:mailto:${attendee}`),
      SERIES.replaceAll('UID:series', 'UID:one').replace(FRIEND, attendee),
    ]) {
      await put(scene, 'one.ics', before);
      const event_id = await numberOf(scene, 'one', before.includes('RRULE') ? SECOND : null);
      for (const [tool, args] of [
        ['update_event', { title: 'Other' }],
        ['cancel_event', {}],
      ] as const) {
        const { state } = await approved(scene, tool, { event_id, ...args });
        expect([tool, state, await objectsOf(scene)]).toEqual([tool, 'failed', [before]]);
      }
    }
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it.each([
    ['update_event', { title: 'Other' }],
    ['cancel_event', {}],
  ])(
    '%s does not overwrite a change that somebody else made while its message failed',
    async (tool, args) => {
      const scene: CalendarScene = await openCalendar({
        mailAs: (mail) => ({
          ...mail,
          async transmit(...asked) {
            const [stored = ''] = await objectsOf(scene);
            await put(scene, 'one.ics', stored.replace('X-ATLAS-TICKET', 'X-BY:another\r\nX-ATLAS-TICKET'));
            return mail.transmit(...asked);
          },
        }),
      });
      await put(scene, 'one.ics', SERIES.replace(FRIEND, REFUSED));
      const event_id = await numberOf(scene, 'series', SECOND);
      const { state } = await approved(scene, tool, { event_id, ...args });
      expect([state, (await objectsOf(scene)).join().includes('X-BY:another')]).toEqual([
        'outcome_unknown',
        true,
      ]);
    },
  );

  it('an event whose message may have gone out stays, and its outcome is unknown', async () => {
    const scene = await openCalendar();
    const made = await approved(scene, 'create_event', { ...PLANNING, attendee: LOST });
    expect(made.state).toBe('outcome_unknown');
    expect(await eventsOf(scene)).toHaveLength(1);
  });
});

describe('attendees without a mail address', () => {
  it('are not written to, and do not prevent changes of the event', async () => {
    const scene = await openCalendar();
    const attendees = ['ATTENDEE:mailto:jürgen@example.org', 'ATTENDEE:urn:uuid:4711', 'ATTENDEE:mailto:%zz'];
    await put(scene, 'one.ics', object('one', 'DTSTART:20270301T080000Z', ...attendees));
    const event_id = await numberOf(scene, 'one');
    const { id } = approvalOf(await scene.key.call('update_event', { event_id, title: 'Other' }));
    const shown = await shownOf(scene, id);
    expect(shown.event?.notices).toEqual({
      byServer: [],
      byMail: [],
      notYet: [],
      unreachable: ['mailto:jürgen@example.org', 'urn:uuid:4711', 'mailto:%zz'],
    });
    expect((await approve(scene, id)).approval.state).toBe('executed');
    expect(scene.mail.transmitted()).toEqual([]);
  });
});

it.each(['update_event', 'cancel_event'])(
  '%s names the owner to attendees of an event without an organizer',
  async (tool) => {
    const scene = await openCalendar();
    const uid = String.raw`one\,two`;
    await put(scene, 'one.ics', object(uid, 'DTSTART:20270301T080000Z', `ATTENDEE:mailto:${FRIEND}`));
    const args = tool === 'update_event' ? { title: 'Other' } : {};
    const event_id = await numberOf(scene, 'one,two');
    const { id } = approvalOf(await scene.key.call(tool, { event_id, ...args }));
    const shown = await shownOf(scene, id);
    expect(shown.event?.notices.byMail).toEqual([FRIEND]);
    const { state } = (await approve(scene, id)).approval;
    const [told] = await invitations(scene);
    expect([state, told?.to, told?.lines]).toEqual([
      'executed',
      [FRIEND],
      expect.arrayContaining([`ORGANIZER:mailto:${OWN}`]),
    ]);
  },
);

it.each(['update_event', 'cancel_event'])(
  'an attendee whose name contains a control character makes nothing fail: %s',
  async (tool) => {
    const scene = await openCalendar();
    const attendee = `ATTENDEE;CN="Ada\u0007":mailto:${FRIEND}`;
    await put(scene, 'one.ics', object('one', 'DTSTART:20270301T080000Z', attendee));
    const event_id = await numberOf(scene, 'one');
    const args = tool === 'update_event' ? { start: '2027-03-02T09:00' } : {};
    const outcome = await scene.key.call(tool, { event_id, ...args });
    if (tool === 'cancel_event') return expect(wordOf(outcome)).toBe('pending_approval');
    expect(detailsOf(outcome)).toMatchObject({
      code: 'invalid_arguments',
      errors: [{ field: 'event_id', rule: 'unreadable' }],
    });
  },
);

it('an attendee who is listed twice in an event is notified once', async () => {
  const scene = await openCalendar();
  const twice = [`ATTENDEE:mailto:${FRIEND}`, `ATTENDEE;CUTYPE=ROOM:MAILTO:${FRIEND.toUpperCase()}`];
  await put(scene, 'one.ics', object('one', 'DTSTART:20270301T080000Z', `ORGANIZER:mailto:${OWN}`, ...twice));
  const event_id = await numberOf(scene, 'one');
  expect((await approved(scene, 'update_event', { event_id, title: 'Other' })).state).toBe('executed');
  expect((await invitations(scene)).map(({ to }) => to)).toEqual([[FRIEND]]);
});

describe('a repeated request', () => {
  it('is one request while it waits', async () => {
    const scene = await openCalendar();
    const first = approvalOf(await scene.key.call('create_event', PLANNING));
    expect(approvalOf(await scene.key.call('create_event', PLANNING)).id).toBe(first.id);
    expect(approvalOf(await scene.key.call('propose_event', PLANNING)).id).not.toBe(first.id);
  });

  it('is refused, like another change of the same event, while one waits', async () => {
    const scene = await openCalendar();
    await put(scene, 'series.ics', SERIES);
    const event_id = await numberOf(scene, 'series', SECOND);
    const waiting = approvalOf(await scene.key.call('update_event', { event_id, title: 'Other' }));
    const other = await numberOf(scene, 'series', '20270315T080000Z');
    for (const [tool, args] of [
      ['update_event', { event_id, title: 'Other' }],
      ['cancel_event', { event_id }],
      ['cancel_event', { event_id: other }],
    ] as const) {
      expect(detailsOf(await scene.key.call(tool, args))).toEqual({
        code: 'pending_exists_for_target',
        approval_id: waiting.id,
      });
    }
  });
});

describe('an event number', () => {
  it.each(['update_event', 'cancel_event', 'confirm_event'])(
    'that does not exist is not found: %s',
    async (tool) => {
      const scene = await openCalendar();
      await put(scene, 'series.ics', SERIES);
      const args = tool === 'update_event' ? { title: 'Other' } : {};
      const gone = await numberOf(scene, 'gone');
      const wholeSeries = await numberOf(scene, 'series');
      for (const event_id of [gone, wholeSeries, 4711]) {
        expect(detailsOf(await scene.key.call(tool, { event_id, ...args }))).toEqual({
          code: 'not_found',
          reason: 'event',
        });
      }
      const removed = await numberOf(scene, 'series', SECOND);
      await scene.service.accounts.connect({
        ownerId: scene.ownerId,
        email: 'two@countersign.test',
        settings: {},
      });
      await scene.service.accounts.remove(scene.ownerId, 1);
      expect(wordOf(await scene.key.call(tool, { event_id: removed, ...args }))).toBe('not_found');
    },
  );

  it('of a read-only calendar is refused before the owner is asked', async () => {
    const scene = await openCalendar({ calendarAs: saying({ writable: false }) });
    await put(scene, 'one.ics', object('one', 'DTSTART:20270301T080000Z', 'STATUS:TENTATIVE'));
    const event_id = await numberOf(scene, 'one');
    for (const tool of ['update_event', 'cancel_event', 'confirm_event']) {
      const args = tool === 'update_event' ? { title: 'Other' } : {};
      expect(detailsOf(await scene.key.call(tool, { event_id, ...args }))).toMatchObject({
        errors: [{ field: 'event_id', rule: 'read_only' }],
      });
    }
  });

  it('of an event with too much other content is refused', async () => {
    const scene = await openCalendar();
    await put(scene, 'one.ics', object('one', 'DTSTART:20270301T080000Z', `ATTACH:${'x'.repeat(1_100_000)}`));
    const event_id = await numberOf(scene, 'one');
    expect(detailsOf(await scene.key.call('cancel_event', { event_id }))).toMatchObject({
      errors: [{ field: 'event_id', rule: 'too_large' }],
    });
  });

  it('of a series with a THISANDFUTURE override is refused', async () => {
    const scene = await openCalendar();
    const future = event(
      'series',
      'RECURRENCE-ID;RANGE=THISANDFUTURE:20270322T080000Z',
      'DTSTART:20270322T100000Z',
    );
    const whole = event('series', 'DTSTART:20270315T080000Z', 'RRULE:FREQ=WEEKLY;COUNT=3');
    await put(scene, 'series.ics', calendarOf(whole, future));
    const event_id = await numberOf(scene, 'series', '20270329T080000Z');
    expect(detailsOf(await scene.key.call('cancel_event', { event_id }))).toMatchObject({
      errors: [{ field: 'event_id', rule: 'split_series' }],
    });
  });
});

it('list_events has the number that create_event returned', async () => {
  const scene = await openCalendar();
  const start = `${new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)}T09:00`;
  const { result } = await approved(scene, 'create_event', { title: 'Soon', start });
  expect(resultOf(await scene.key.call('list_events'))).toMatchObject({
    total: 1,
    timezone: 'Europe/Zurich',
    events: [{ event_id: result?.object_id, title: 'Soon', status: 'confirmed', past: false }],
  });
});

it('list_events cuts a long title', async () => {
  const scene = await openCalendar();
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  await put(scene, 'long.ics', object('long', `DTSTART;VALUE=DATE:${today}`, `SUMMARY:${'🗓'.repeat(501)}`));
  expect(resultOf(await scene.key.call('list_events'))).toMatchObject({
    events: [{ title: `${'🗓'.repeat(499)}…` }],
  });
});
