import { expect, it } from 'vitest';
import { doorOf, expectFailure, ownDoor, refusedFields, resultIn } from './door.ts';
import { newEvent, newTracker } from './own-things.ts';
import { section } from './sections.ts';

// Trackers: endpoints and states.

const someText: unknown = expect.stringMatching(/\S/);
const WIDE = '\u{1f4dc}';
const door = doorOf();

section('States: Tracker', () => {
  it('any status to any other; resolved sets resolved_at, leaving it clears it', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'trackers:remove': 'direct' } });
    const tracker_id = await newTracker(own);
    const states = ['waiting', 'resolved', 'open', 'resolved', 'waiting', 'waiting', 'open'];
    for (const status of states) {
      const answer = await own.call('PATCH', `/v1/trackers/${tracker_id}`, { body: { status }, key });
      expect({ status: answer.status, result: resultIn(answer) }).toEqual({
        status: 200,
        result: { tracker_id, status },
      });
      const tracker = resultIn(await own.call('GET', `/v1/trackers/${tracker_id}`));
      expect(tracker.status).toBe(status);
      expect(tracker.resolved_at !== null).toBe(status === 'resolved');
    }
  });

  it('a resolved one is no longer listed', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'trackers:remove': 'direct' } });
    const [gone, kept] = [await newTracker(own), await newTracker(own)];
    await own.call('PATCH', `/v1/trackers/${gone}`, { body: { status: 'resolved' }, key });
    expect(resultIn(await own.call('GET', '/v1/trackers')).trackers).toMatchObject([{ tracker_id: kept }]);
  });
});

section('Endpoints: Trackers', () => {
  it('POST /v1/trackers in mode direct: 201, its Location and its fields', async () => {
    const answer = await door().call('POST', '/v1/trackers', {
      body: { title: 'Boat', keywords: 'boat, sail', due: '2026-12-01' },
    });
    expect(answer.status).toBe(201);
    const result = resultIn(answer);
    expect(result).toEqual({
      tracker_id: expect.any(Number) as unknown,
      title: 'Boat',
      status: 'open',
      due_at: expect.stringMatching(/^2026-12-01T23:59:59/) as unknown,
      created: true,
      untrusted_fields: ['title'],
      untrusted_notice: someText,
    });
    expect(answer.headers.get('location')).toBe(`/v1/trackers/${String(result.tracker_id)}`);
  });

  it.each([
    ['title', 'x', true],
    ['title', WIDE.repeat(200), true],
    ['title', WIDE.repeat(201), false],
    ['title', '', false],
    ['keywords', WIDE.repeat(500), true],
    ['keywords', 'x'.repeat(501), false],
    ['due', '2028-02-29', true],
    ['due', '2027-02-29', false],
    ['due', '2027-2-1', false],
  ])('POST /v1/trackers: %s, row %#', async (field, value, taken) => {
    const answer = await door().call('POST', '/v1/trackers', { body: { title: 'Boat', [field]: value } });
    if (taken) expect(answer.status).toBe(201);
    else expect(refusedFields(answer)).toContain(field);
  });

  it.each(['Pacific/Auckland', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'POST /v1/trackers: due by the end of that day in %s',
    async (timezone) => {
      const { call, key, server } = door();
      const { ownerId } = await server.service.owners.create({
        email: `${timezone.slice(8)}@example.org`,
        timezone,
      });
      const asks = { key: await key({ ownerId }) };
      for (const due of ['2026-12-24', '0001-01-01', '9999-12-31']) {
        const made = await call('POST', '/v1/trackers', { ...asks, body: { title: 'Boat', due } });
        expect(resultIn(made).due_at).toMatch(new RegExp(`^${due}T23:59:59[+-]1[0-4]:\\d\\d$`));
      }
    },
  );

  it('each write, repeated with its Idempotency-Key, is answered with the same bytes', async () => {
    const own = await ownDoor();
    const tracker_id = await newTracker(own);
    const event_id = await newEvent(own);
    const writes = [
      ['POST', '/v1/trackers', { title: 'Once' }, 201],
      ['PATCH', `/v1/trackers/${tracker_id}`, { status: 'waiting' }, 200],
      ['POST', `/v1/trackers/${tracker_id}/notes`, { note: 'Once' }, 200],
      ['PATCH', `/v1/events/${event_id}`, { title: 'Once' }, 202],
    ] as const;
    for (const [at, [method, path, body, status]] of writes.entries()) {
      const asks = { body, idempotencyKey: `write-${at}` };
      const first = await own.call(method, path, asks);
      const again = await own.call(method, path, asks);
      expect({ status: first.status, replayed: first.headers.get('idempotent-replayed') }).toEqual({
        status,
        replayed: null,
      });
      expect(again).toMatchObject({ status, text: first.text });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
    }
    expect(resultIn(await own.call('GET', `/v1/trackers/${tracker_id}`))).toMatchObject({ total: 1 });
  });

  it('POST /v1/trackers in another mode is pending', async () => {
    const { call, key } = door();
    const asks = await key({ modes: { 'trackers:write': 'approval' } });
    expect((await call('POST', '/v1/trackers', { body: { title: 'Boat' }, key: asks })).status).toBe(202);
  });

  it('GET /v1/trackers lists active ones; an empty list has a reason', async () => {
    const own = await ownDoor();
    const none = await own.call('GET', '/v1/trackers');
    expect(none.json).toMatchObject({
      status: 'empty',
      result: { trackers: [], total: 0, returned: 0, reason: someText },
    });
    const tracker_id = await newTracker(own);
    expect(resultIn(await own.call('GET', '/v1/trackers'))).toMatchObject({
      total: 1,
      trackers: [{ tracker_id }],
    });
    expect(refusedFields(await own.call('GET', '/v1/trackers?status=open'))).toEqual(['status']);
  });

  it('PATCH to resolved needs trackers:remove; to the others, trackers:write', async () => {
    const { call, key } = door();
    const tracker_id = await newTracker(door());
    const patch = async (status: string, modes: object) =>
      call('PATCH', `/v1/trackers/${tracker_id}`, { body: { status }, key: await key({ modes }) });
    expectFailure(await patch('resolved', { 'trackers:remove': 'off' }), 403, 'not_permitted', {
      group: 'trackers:remove',
    });
    expectFailure(await patch('waiting', { 'trackers:write': 'off' }), 403, 'not_permitted', {
      group: 'trackers:write',
    });
    expect((await patch('waiting', { 'trackers:remove': 'off' })).status).toBe(200);
    expect((await patch('resolved', { 'trackers:write': 'off' })).status).toBe(202);
  });

  it.each([[{}], [{ status: 'closed' }], [{ status: 1 }]])('PATCH with %j is refused', async (body) => {
    const tracker_id = await newTracker(door());
    expect(refusedFields(await door().call('PATCH', `/v1/trackers/${tracker_id}`, { body }))).toContain(
      'status',
    );
  });

  it('POST notes: 200 with its link, or 202', async () => {
    const { call, key } = door();
    const path = `/v1/trackers/${await newTracker(door())}/notes`;
    const answer = await call('POST', path, { body: { note: 'By hand' } });
    expect(answer.status).toBe(200);
    expect(resultIn(answer)).toEqual({
      tracker_id: expect.any(Number) as unknown,
      link_id: expect.any(Number) as unknown,
      kind: 'note',
    });
    const asks = await key({ modes: { 'trackers:write': 'approval' } });
    expect((await call('POST', path, { body: { note: 'By hand' }, key: asks })).status).toBe(202);
  });

  it.each([
    ['x', true],
    [WIDE.repeat(10_000), true],
    ['x'.repeat(10_001), false],
    ['', false],
    ['a\u0007b', false],
  ])('POST notes, row %#', async (note, taken) => {
    const answer = await door().call('POST', `/v1/trackers/${await newTracker(door())}/notes`, {
      body: { note },
    });
    if (taken) expect(answer.status).toBe(200);
    else expect(refusedFields(answer)).toEqual(['note']);
  });

  it('POST links: a message, once, and an event', async () => {
    const own = await ownDoor();
    const tracker_id = await newTracker(own);
    const path = `/v1/trackers/${tracker_id}/links`;
    const id = await own.deliver();
    const linked = resultIn(await own.call('POST', path, { body: { message_id: id } }));
    expect(linked).toEqual({ tracker_id, link_id: expect.any(Number) as unknown, id, linked: true });
    expect(resultIn(await own.call('POST', path, { body: { message_id: id } }))).toEqual(linked);
    const event_id = await newEvent(own);
    const event = resultIn(await own.call('POST', path, { body: { event_id } }));
    expect(event).toMatchObject({ tracker_id, linked: true });
    expect(resultIn(await own.call('GET', `/v1/trackers/${tracker_id}`))).toMatchObject({ total: 2 });
  });

  it('POST links accepts exactly one of message_id and event_id', async () => {
    const own = await ownDoor();
    const path = `/v1/trackers/${await newTracker(own)}/links`;
    const message_id = await own.deliver();
    for (const body of [{}, { message_id, event_id: 1 }, { event_id: 0 }]) {
      expect(refusedFields(await own.call('POST', path, { body })).length).toBeGreaterThan(0);
    }
    expectFailure(await own.call('POST', path, { body: { event_id: 4711 } }), 404, 'not_found', {
      reason: 'event',
    });
    expectFailure(
      await own.call('POST', path, { body: { message_id: 'm1_AAAA' } }),
      400,
      'invalid_message_id',
    );
  });

  it.each([
    ['GET', '', undefined],
    ['PATCH', '', { status: 'open' }],
    ['PATCH', '', { status: 'resolved' }],
    ['POST', '/notes', { note: 'x' }],
    ['POST', '/links', { event_id: 1 }],
  ] as const)(
    '%s /v1/trackers/{tracker_id}%s: 404 for an unknown number, 400 outside the range, row %#',
    async (method, path, body) => {
      const ask = (id: string) =>
        door().call(method, `/v1/trackers/${id}${path}`, body === undefined ? {} : { body });
      expectFailure(await ask('2147483647'), 404, 'not_found', { reason: 'tracker' });
      for (const id of ['0', '2147483648', 'x']) expect(refusedFields(await ask(id))).toContain('tracker_id');
    },
  );

  it('a tracker of another user is not found', async () => {
    const own = await ownDoor();
    const tracker_id = await newTracker(own);
    const { ownerId } = await own.server.service.owners.create({ email: 'eve@example.org' });
    const key = await own.key({ ownerId });
    expectFailure(await own.call('GET', `/v1/trackers/${tracker_id}`, { key }), 404, 'not_found', {
      reason: 'tracker',
    });
  });
});
