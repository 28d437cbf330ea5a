import { describe, expect, it } from 'vitest';
import type { Calendar } from '../../../core/ports/calendar.ts';
import { MailError } from '../../../core/ports/mail.ts';
import { object } from '../../contracts/calendar/scene.ts';
import {
  approved,
  eventsOf,
  invitations,
  numberOf,
  objectsOf,
  onlyObject,
  openCalendar,
  PLANNING,
  put,
  SECOND,
  SERIES,
  saying,
  sentCopies,
  startsOf,
} from '../calendar-scene.ts';
import { approvalOf, approve, detailsOf, FRIEND, OWN, STRANGER, shownOf, wordOf } from '../scene.ts';

describe('create_event', () => {
  it('adds the event to the calendar once the owner approves, and notifies nobody', async () => {
    const scene = await openCalendar();
    const filed = await scene.key.call('create_event', PLANNING);
    expect(wordOf(filed)).toBe('pending_approval');
    expect(await objectsOf(scene)).toEqual([]);
    const { approval } = await approve(scene, approvalOf(filed).id);
    expect(approval.state).toBe('executed');
    const [made] = await eventsOf(scene);
    expect(made).toMatchObject({
      title: 'Planning',
      start: new Date('2027-03-01T08:00:00Z'),
      end: new Date('2027-03-01T08:30:00Z'),
      status: 'confirmed',
    });
    expect(approval.result).toEqual({
      done: true,
      action: 'create',
      object_kind: 'event',
      object_id: await numberOf(scene, made?.uid ?? ''),
    });
    const lines = await onlyObject(scene);
    expect(lines).toContain('DTSTART;TZID=Europe/Zurich:20270301T090000');
    expect(lines).toContain('TZID:Europe/Zurich');
    expect(lines.filter((line) => /^(ORGANIZER|ATTENDEE)/.test(line))).toEqual([]);
    expect(scene.mail.transmitted()).toEqual([]);
  });

  it('invites its attendee with one message, and keeps a copy in Sent', async () => {
    const scene = await openCalendar();
    await approved(scene, 'create_event', { ...PLANNING, duration_min: 60, attendee: FRIEND });
    expect(await onlyObject(scene)).toEqual(
      expect.arrayContaining([
        `ORGANIZER:mailto:${OWN}`,
        expect.stringMatching(new RegExp(`^ATTENDEE;.*SCHEDULE-AGENT=CLIENT.*:mailto:${FRIEND}$`)),
      ]),
    );
    const [invitation, ...others] = await invitations(scene);
    expect(others).toEqual([]);
    expect(invitation).toMatchObject({
      to: [FRIEND],
      subject: 'Invitation: Planning',
      method: 'REQUEST',
    });
    expect(invitation?.text).toContain('Monday, 1 March 2027, 09:00 to 10:00 (Europe/Zurich, UTC+01:00)');
    expect(invitation?.lines).toContain('METHOD:REQUEST');
    expect(invitation?.lines).toContain('DTEND;TZID=Europe/Zurich:20270301T100000');
    expect(invitation?.lines.join()).not.toContain('SCHEDULE-AGENT');
    await expect.poll(() => sentCopies(scene)).toEqual(['Invitation: Planning']);
  });

  it.each([
    ['an ordinary time', '2027-03-01T09:00:30', '2027-03-01T08:00:30.000Z'],
    [
      'a time that the clock skips: the offset before the gap',
      '2027-03-28T02:30',
      '2027-03-28T01:30:00.000Z',
    ],
    ['a time that the clock shows twice: the first', '2027-10-31T02:30', '2027-10-31T00:30:00.000Z'],
  ])('reads %s', async (_what, start, instant) => {
    const scene = await openCalendar();
    await approved(scene, 'create_event', { ...PLANNING, start });
    expect((await eventsOf(scene)).map((made) => made.start.toISOString())).toEqual([instant]);
  });

  it('writes a time that the clock shows twice in UTC, and tells people which of the two it is', async () => {
    const scene = await openCalendar();
    const twice = { start: '2027-10-31T02:30', duration_min: 60, attendee: FRIEND };
    await approved(scene, 'create_event', { ...PLANNING, ...twice });
    const [invitation] = await invitations(scene);
    expect(invitation?.text).toContain('02:30 (UTC+02:00) to 02:30 (UTC+01:00), Europe/Zurich');
    const lines = await onlyObject(scene);
    expect(lines).toContain('DTSTART:20271031T003000Z');
    expect(lines).toContain('DTEND:20271031T013000Z');
  });

  it.each([
    [{ start: '2027-02-30T09:00' }, 'start'],
    [{ start: '2027-03-01 09:00' }, 'start'],
    [{ start: '2027-03-01T09:00Z' }, 'start'],
    [{ start: '2027-03-01T24:00' }, 'start'],
    [{ start: '0027-03-01T09:00' }, 'start'],
    [{ title: 'two\nlines' }, 'title'],
    [{ title: '' }, 'title'],
    [{ duration_min: 14 }, 'duration_min'],
    [{ duration_min: 481 }, 'duration_min'],
    [{ attendee: 'Maya <maya@atlas.example>' }, 'attendee'],
    [{ attendee: OWN }, 'attendee'],
    [{ proposed: true }, 'proposed'],
  ])('refuses %j', async (wrong, field) => {
    const scene = await openCalendar();
    expect(detailsOf(await scene.key.call('create_event', { ...PLANNING, ...wrong }))).toMatchObject({
      code: 'invalid_arguments',
      errors: [{ field }],
    });
  });

  it('takes the active account, or the first that has a calendar', async () => {
    const calendarAs = (calendar: Calendar): Calendar => ({
      ...calendar,
      target: async (call) => (call.account.accountId === 1 ? undefined : calendar.target(call)),
    });
    const scene = await openCalendar({ calendarAs });
    expect(detailsOf(await scene.key.call('create_event', PLANNING))).toEqual({
      code: 'not_found',
      reason: 'calendar',
    });
    const { ownerId } = scene;
    await scene.service.accounts.connect({ ownerId, email: 'two@countersign.test', settings: {} });
    const { id } = approvalOf(await scene.key.call('create_event', PLANNING));
    expect((await shownOf(scene, id)).account?.email).toBe('two@countersign.test');
  });
});

describe('a key in direct mode', () => {
  it('runs at once, and the result says so', async () => {
    const scene = await openCalendar();
    const key = await scene.addKey('full', { 'calendar:write': 'direct' });
    const done = await key.call('create_event', { ...PLANNING, attendee: FRIEND });
    expect(done).toMatchObject({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: { approval: { state: 'executed', tool: 'create_event', action: 'create' } },
    });
    expect(await invitations(scene)).toHaveLength(1);
  });

  it.each(['create_event', 'propose_event'])('waits in %s for an attendee never written to', async (tool) => {
    const scene = await openCalendar();
    const key = await scene.addKey('full', { 'calendar:write': 'direct' });
    const filed = await key.call(tool, { ...PLANNING, attendee: STRANGER });
    const shown = await scene.service.approvals.show(scene.ownerId, approvalOf(filed).id);
    expect(shown?.approval.reasons).toEqual(['first_time_recipient']);
  });

  it('waits if the title seems to contain a secret', async () => {
    const scene = await openCalendar();
    const key = await scene.addKey('full', { 'calendar:write': 'direct' });
    const filed = await key.call('create_event', { ...PLANNING, title: 'Your one-time code is 493817' });
    const shown = await scene.service.approvals.show(scene.ownerId, approvalOf(filed).id);
    expect(shown?.approval.reasons).toEqual(['secret']);
  });

  it('is counted against the send limit by what it sends', async () => {
    const scene = await openCalendar({
      limits: { callsPerMinute: 1e6, callsPerDay: 1e6, directSendsPer10Min: 1 },
    });
    const key = await scene.addKey('full', { 'calendar:write': 'direct' });
    const words: string[] = [];
    for (const [index, attendee] of [undefined, undefined, FRIEND, undefined, FRIEND].entries()) {
      const title = `Event ${index}`;
      words.push(wordOf(await key.call('create_event', { ...PLANNING, title, attendee })));
    }
    expect(words).toEqual(['ok', 'ok', 'ok', 'ok', 'pending_approval']);
  });

  it('waits before it creates the same event again', async () => {
    const scene = await openCalendar();
    const key = await scene.addKey('full', { 'calendar:write': 'direct' });
    expect(wordOf(await key.call('create_event', PLANNING))).toBe('ok');
    const again = await key.call('create_event', { ...PLANNING, duration_min: 30 });
    const shown = await scene.service.approvals.show(scene.ownerId, approvalOf(again).id);
    expect(shown?.approval.reasons).toEqual(['likely_repeat']);
  });
});

describe('propose_event', () => {
  it('notifies its attendee only once it is confirmed, with one message', async () => {
    const scene = await openCalendar();
    const { result } = await approved(scene, 'propose_event', { ...PLANNING, attendee: FRIEND });
    expect(result).toMatchObject({ done: true, action: 'propose', object_kind: 'event' });
    expect(await eventsOf(scene)).toMatchObject([{ status: 'tentative' }]);
    expect((await onlyObject(scene)).join('\n')).toMatch(/ATTENDEE;.*SCHEDULE-AGENT=NONE/);
    expect(scene.mail.transmitted()).toEqual([]);

    const event_id = result?.object_id;
    await approved(scene, 'update_event', { event_id, start: '2027-03-02T09:00' });
    expect(scene.mail.transmitted()).toEqual([]);
    await approved(scene, 'confirm_event', { event_id });
    expect(await eventsOf(scene)).toMatchObject([
      { status: 'confirmed', start: new Date('2027-03-02T08:00:00Z') },
    ]);
    expect((await onlyObject(scene)).join('\n')).toMatch(/ATTENDEE;.*SCHEDULE-AGENT=CLIENT/);
    expect(await invitations(scene)).toMatchObject([
      { to: [FRIEND], method: 'REQUEST', subject: 'Invitation: Planning' },
    ]);
    expect(detailsOf(await scene.key.call('confirm_event', { event_id }))).toMatchObject({
      code: 'invalid_arguments',
      errors: [{ field: 'event_id', rule: 'confirmed' }],
    });
  });

  it('notifies nobody when it is cancelled', async () => {
    const scene = await openCalendar();
    const { result } = await approved(scene, 'propose_event', { ...PLANNING, attendee: FRIEND });
    await approved(scene, 'cancel_event', { event_id: result?.object_id });
    expect(await objectsOf(scene)).toEqual([]);
    expect(scene.mail.transmitted()).toEqual([]);
  });
});

describe('update_event', () => {
  it('changes the given fields, and notifies all attendees with one message', async () => {
    const scene = await openCalendar();
    await put(
      scene,
      'one.ics',
      object(
        'one',
        'SUMMARY;LANGUAGE=en:Planning',
        'DTSTART:20270301T080000Z',
        'DURATION:PT1H',
        'SEQUENCE:2',
        'LOCATION:Room 4\\, left',
        'DESCRIPTION:Bring\\nthe plans',
        `ORGANIZER;CN=Demo:MAILTO:${OWN.toUpperCase()}`,
        `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${OWN}`,
        `ATTENDEE;CN=Maya;PARTSTAT=ACCEPTED:mailto:${FRIEND}`,
        'ATTENDEE;CUTYPE=ROOM:urn:uuid:4711',
        'X-ATLAS-TICKET:4711',
      ),
    );
    const event_id = await numberOf(scene, 'one');
    await approved(scene, 'update_event', { event_id, title: 'Plans; new', attendee: STRANGER });
    const lines = await onlyObject(scene);
    expect(lines).toEqual(
      expect.arrayContaining([
        'SUMMARY:Plans\\; new',
        'DTSTART:20270301T080000Z',
        'DURATION:PT1H',
        'SEQUENCE:3',
        'LOCATION:Room 4\\, left',
        'X-ATLAS-TICKET:4711',
        `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${OWN}`,
        `ATTENDEE;CN=Maya;PARTSTAT=ACCEPTED;SCHEDULE-AGENT=CLIENT:mailto:${FRIEND}`,
      ]),
    );
    const [told, ...others] = await invitations(scene);
    expect(others).toEqual([]);
    expect(told).toMatchObject({ to: [FRIEND, STRANGER], method: 'REQUEST' });
    expect(told?.subject).toBe('Updated invitation: Plans; new');
    expect(told?.text).toContain('Where: Room 4, left');
    expect(told?.text).toContain('Bring\nthe plans');
    expect(told?.lines).toContain('SEQUENCE:3');
    expect(told?.lines.join()).not.toContain('X-ATLAS-TICKET');
  });

  it('moves an event in time: nobody has agreed to the new time yet', async () => {
    const scene = await openCalendar();
    const { result } = await approved(scene, 'create_event', { ...PLANNING, attendee: FRIEND });
    const event_id = result?.object_id;
    const [agreed = ''] = await objectsOf(scene);
    const [first] = await eventsOf(scene);
    await put(scene, `${first?.uid.split('@')[0]}.ics`, agreed.replace('NEEDS-ACTION', 'ACCEPTED'));
    await approved(scene, 'update_event', { event_id, duration_min: 45 });
    expect((await onlyObject(scene)).join('\n')).toMatch(/ATTENDEE;.*PARTSTAT=NEEDS-ACTION/);
    await approved(scene, 'update_event', { event_id, start: '2027-07-01T17:15' });
    expect(await eventsOf(scene)).toMatchObject([
      { start: new Date('2027-07-01T15:15:00Z'), end: new Date('2027-07-01T16:00:00Z') },
    ]);
    expect((await invitations(scene)).map(({ subject }) => subject)).toEqual([
      'Invitation: Planning',
      'Updated invitation: Planning',
      'Updated invitation: Planning',
    ]);
  });

  it('changes one instance of a series, and nothing else of it', async () => {
    const scene = await openCalendar();
    await put(scene, 'series.ics', SERIES);
    const event_id = await numberOf(scene, 'series', SECOND);
    await approved(scene, 'update_event', { event_id, start: '2027-03-23T15:00' });
    expect(await startsOf(scene)).toEqual([
      '2027-03-15T08:00 Weekly',
      '2027-03-23T14:00 Weekly',
      '2027-03-29T07:00 Weekly',
    ]);
    const lines = await onlyObject(scene);
    const [master, override] = lines.join('\n').split('END:VEVENT');
    expect(master).toContain(SERIES.replaceAll('\r\n', '\n').split('END:VEVENT')[0]);
    expect(override).toContain('RECURRENCE-ID;TZID=Europe/Zurich:20270322T090000');
    expect(override).toContain('X-ATLAS-TICKET;X-KIND="a:b":4711');
    expect(override).toContain('BEGIN:VALARM');
    expect(override).toContain('SEQUENCE:5');
    expect(override).not.toContain('RRULE');
    const [told] = await invitations(scene);
    expect(told?.lines).toContain('RECURRENCE-ID;TZID=Europe/Zurich:20270322T090000');
    expect(told?.lines.join()).not.toContain('COUNT=3');
    expect(told?.text).toContain('This is only about this one event of the series.');

    // Again, on the override that is there now.
    await approved(scene, 'update_event', { event_id, title: 'Other' });
    expect(await startsOf(scene)).toContain('2027-03-23T14:00 Other');
    expect((await objectsOf(scene)).join().match(/RECURRENCE-ID/g)).toHaveLength(1);
  });

  it('gives an event of whole days a time only with a length', async () => {
    const scene = await openCalendar();
    await put(scene, 'day.ics', object('day', 'DTSTART;VALUE=DATE:20270301', 'DTEND;VALUE=DATE:20270302'));
    const event_id = await numberOf(scene, 'day');
    for (const [args, field] of [
      [{ duration_min: 60 }, 'duration_min'],
      [{ start: '2027-03-01T09:00' }, 'start'],
    ] as const) {
      expect(detailsOf(await scene.key.call('update_event', { event_id, ...args }))).toMatchObject({
        errors: [{ field, rule: 'all_day' }],
      });
    }
    await approved(scene, 'update_event', { event_id, title: 'Holiday' });
    expect(await eventsOf(scene)).toMatchObject([{ allDay: true, title: 'Holiday' }]);
    await approved(scene, 'update_event', { event_id, start: '2027-03-01T09:00', duration_min: 60 });
    expect(await eventsOf(scene)).toMatchObject([{ allDay: false, start: new Date('2027-03-01T08:00:00Z') }]);
  });

  it('refuses to change nothing', async () => {
    const scene = await openCalendar();
    const { result } = await approved(scene, 'create_event', PLANNING);
    const event_id = result?.object_id;
    for (const args of [{}, { title: 'Planning' }, { start: '2027-03-01T09:00', duration_min: 30 }]) {
      expect(detailsOf(await scene.key.call('update_event', { event_id, ...args }))).toMatchObject({
        code: 'invalid_arguments',
        errors: [{ field: 'event_id' }],
      });
    }
  });
});

describe('cancel_event', () => {
  it('removes the event, and notifies its attendees of the cancellation', async () => {
    const scene = await openCalendar();
    const { result } = await approved(scene, 'create_event', { ...PLANNING, attendee: FRIEND });
    const cancelled = await approved(scene, 'cancel_event', { event_id: result?.object_id });
    expect(cancelled.result).toMatchObject({ done: true, action: 'cancel', object_id: result?.object_id });
    expect(await objectsOf(scene)).toEqual([]);
    const [, told] = await invitations(scene);
    expect(told).toMatchObject({ to: [FRIEND], subject: 'Cancelled: Planning', method: 'CANCEL' });
    expect(told?.lines).toEqual(expect.arrayContaining(['STATUS:CANCELLED', 'SEQUENCE:1']));
    expect(detailsOf(await scene.key.call('cancel_event', { event_id: result?.object_id }))).toEqual({
      code: 'not_found',
      reason: 'event',
    });
  });

  it('takes one instance out of a series, changed or not', async () => {
    const scene = await openCalendar();
    await put(scene, 'series.ics', SERIES);
    const event_id = await numberOf(scene, 'series', SECOND);
    await approved(scene, 'update_event', { event_id, title: 'Other' });
    await approved(scene, 'cancel_event', { event_id });
    expect(await startsOf(scene)).toEqual(['2027-03-15T08:00 Weekly', '2027-03-29T07:00 Weekly']);
    await approved(scene, 'cancel_event', { event_id: await numberOf(scene, 'series', '20270329T070000Z') });
    expect(await startsOf(scene)).toEqual(['2027-03-15T08:00 Weekly']);
    const lines = await onlyObject(scene);
    expect(lines.filter((line) => line.startsWith('EXDATE'))).toEqual([
      'EXDATE;TZID=Europe/Zurich:20270322T090000',
      'EXDATE;TZID=Europe/Zurich:20270329T090000',
    ]);
    const told = await invitations(scene);
    expect(told.map(({ method }) => method)).toEqual(['REQUEST', 'CANCEL', 'CANCEL']);
    expect(told[2]?.lines).toContain('RECURRENCE-ID;TZID=Europe/Zurich:20270329T090000');
  });
});

describe("somebody else's event", () => {
  const FOREIGN = object(
    'foreign',
    'DTSTART:20270301T080000Z',
    'DURATION:PT1H',
    'STATUS:TENTATIVE',
    `ORGANIZER:mailto:${STRANGER}`,
    `ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:${OWN}`,
    `ATTENDEE:mailto:${FRIEND}`,
  );

  it('cannot be changed, but can be removed from the calendar', async () => {
    const scene = await openCalendar();
    await put(scene, 'foreign.ics', FOREIGN);
    const event_id = await numberOf(scene, 'foreign');
    for (const [tool, args] of [
      ['update_event', { title: 'Mine' }],
      ['confirm_event', {}],
    ] as const) {
      expect(detailsOf(await scene.key.call(tool, { event_id, ...args }))).toMatchObject({
        code: 'invalid_arguments',
        errors: [{ field: 'event_id', rule: 'organizer' }],
      });
    }
    const { state } = await approved(scene, 'cancel_event', { event_id });
    expect([state, await objectsOf(scene), scene.mail.transmitted()]).toEqual(['executed', [], []]);
  });
});

describe('an event that the owner organizes under another address', () => {
  const ALIAS = 'alias@example.org';
  const BY_ALIAS = object(
    'alias',
    'DTSTART:20270301T080000Z',
    'DURATION:PT1H',
    `ORGANIZER:mailto:${ALIAS}`,
    `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${ALIAS}`,
    `ATTENDEE:mailto:${FRIEND}`,
  );

  it.each([
    ['the server that knows the address writes to the attendees', true],
    ['a server that writes to nobody leaves that to Countersign', false],
  ])('is changed as their own: %s', async (_what, answersOrganizers) => {
    const change = { schedules: false, answersOrganizers, ownAddresses: [ALIAS] };
    const scene = await openCalendar({ calendarAs: saying(change) });
    await put(scene, 'alias.ics', BY_ALIAS);
    const event_id = await numberOf(scene, 'alias');
    await approved(scene, 'update_event', { event_id, title: 'Mine' });
    const lines = await onlyObject(scene);
    expect(lines).toContain('SUMMARY:Mine');
    expect(lines.filter((line) => line.startsWith('ORGANIZER'))).toEqual([`ORGANIZER:mailto:${ALIAS}`]);
    const told = scene.mail.transmitted().map(({ to }) => to);
    expect(told).toEqual(answersOrganizers ? [] : [[FRIEND]]);
    const args = { event_id, attendee: ALIAS };
    expect(detailsOf(await scene.key.call('update_event', args))).toMatchObject({
      code: 'invalid_arguments',
    });
  });
});

describe('a calendar whose server notifies attendees', () => {
  const scheduling = () => openCalendar({ calendarAs: saying({ schedules: true, answersOrganizers: true }) });

  it('notifies them itself: Countersign sends nothing', async () => {
    const scene = await scheduling();
    const { result } = await approved(scene, 'create_event', { ...PLANNING, attendee: STRANGER });
    const lines = await onlyObject(scene);
    expect(lines.find((line) => line.startsWith('ATTENDEE'))).not.toContain('SCHEDULE-AGENT');
    expect(lines).toContain(`ORGANIZER:mailto:${OWN}`);
    await approved(scene, 'update_event', { event_id: result?.object_id, title: 'Other' });
    await approved(scene, 'cancel_event', { event_id: result?.object_id });
    expect(scene.mail.transmitted()).toEqual([]);
    const known = await scene.storage.knownRecipients(scene.ownerId, 1, [STRANGER]);
    expect([...known.keys()]).toEqual([STRANGER]);
  });

  const invitedBy = async (calendarAs: (calendar: Calendar) => Calendar) => {
    const self = saying({ schedules: true, answersOrganizers: true });
    const scene = await openCalendar({ calendarAs: (calendar) => calendarAs(self(calendar)) });
    const approval = await approved(scene, 'create_event', { ...PLANNING, attendee: FRIEND });
    return { scene, approval };
  };
  /** A server that adds this to the attendees of what it stores. */
  const writing =
    (parameter: string) =>
    (calendar: Calendar): Calendar => ({
      ...calendar,
      write: (call, stored, start) => {
        const document = stored.document.replaceAll(/^ATTENDEE/gm, `ATTENDEE${parameter}`);
        return calendar.write(call, { ...stored, document }, start);
      },
    });

  it.each([
    ['has sent it', ';SCHEDULE-STATUS=1.1', undefined],
    ['has delivered it', ';SCHEDULE-STATUS="1.2,2.0"', undefined],
    ['could not deliver it', ';SCHEDULE-STATUS=5.1', 'not_delivered'],
    ['delivered it in part', ';SCHEDULE-STATUS="2.0,3.7"', 'not_delivered'],
    ['says nothing', '', 'not_confirmed'],
    ['says what nobody understands', ';SCHEDULE-STATUS=fine', 'not_confirmed'],
  ])('whose server %s', async (_what, parameter, invitations) => {
    const { approval } = await invitedBy(writing(parameter));
    expect([approval.state, approval.result?.invitations]).toEqual(['executed', invitations]);
  });

  it('is not asked about people whom it does not notify', async () => {
    const scene = await scheduling();
    const alone = await approved(scene, 'create_event', PLANNING);
    const proposed = await approved(scene, 'propose_event', { ...PLANNING, attendee: FRIEND });
    const cancelled = await approved(scene, 'cancel_event', { event_id: proposed.result?.object_id });
    for (const { state, result } of [alone, proposed, cancelled]) {
      expect([state, result?.invitations]).toEqual(['executed', undefined]);
    }
  });

  it('whose server says something about an earlier message says nothing about this one', async () => {
    const { scene, approval } = await invitedBy((calendar) => {
      const telling = writing(';SCHEDULE-STATUS=1.1')(calendar);
      return {
        ...calendar,
        write: (call, stored, start) =>
          (stored.ifMatch === null ? telling : calendar).write(call, stored, start),
      };
    });
    expect((await onlyObject(scene)).join()).toContain('SCHEDULE-STATUS=1.1');
    const args = { event_id: approval.result?.object_id, title: 'Later' };
    const changed = await approved(scene, 'update_event', args);
    expect((await onlyObject(scene)).join()).not.toContain('SCHEDULE-STATUS');
    expect([changed.state, changed.result?.invitations]).toEqual(['executed', 'not_confirmed']);
  });

  it('that cannot be read after the change has changed all the same', async () => {
    let isWritten = false;
    const { approval } = await invitedBy((calendar) => ({
      ...calendar,
      async write(...given) {
        await calendar.write(...given);
        isWritten = true;
      },
      async read(...given) {
        if (isWritten) throw new MailError('unavailable', 'the server is down');
        return calendar.read(...given);
      },
    }));
    expect([approval.state, approval.result?.invitations]).toEqual(['executed', 'not_confirmed']);
  });

  it('receives a proposal only when it is confirmed', async () => {
    const scene = await scheduling();
    const { result } = await approved(scene, 'propose_event', { ...PLANNING, attendee: FRIEND });
    expect((await onlyObject(scene)).join()).toContain('SCHEDULE-AGENT=NONE');
    await approved(scene, 'confirm_event', { event_id: result?.object_id });
    expect((await onlyObject(scene)).join()).not.toContain('SCHEDULE-AGENT');
    expect(scene.mail.transmitted()).toEqual([]);
  });
});
