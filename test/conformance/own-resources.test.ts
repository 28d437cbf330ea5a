import { expect, it } from 'vitest';
import { GROUPS } from '../../core/keys/permissions.ts';
import { approvalIn, doorOf, expectFailure, FRIEND, ownDoor, refusedFields, resultIn } from './door.ts';
import { newEvent, newTracker, proposed } from './own-things.ts';
import { section } from './sections.ts';

// Resources: calendar events, trackers, approvals, the key and its permission groups.

const someText: unknown = expect.stringMatching(/\S/);
const someBoolean: unknown = expect.any(Boolean);
const someInteger: unknown = expect.any(Number);
const withOffset: unknown = expect.stringMatching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?([+-]\d\d:\d\d|Z)$/,
);
const utc: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const door = doorOf();

section('Resources: Calendar event', () => {
  it('has these fields, and its list has the zone', async () => {
    const result = resultIn(await door().call('GET', '/v1/events?days=30&past_days=30'));
    expect(result).toMatchObject({
      timezone: 'UTC',
      untrusted_fields: ['events[].title'],
      total: someInteger,
    });
    const events = result.events as object[];
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) {
      expect(event).toEqual({
        event_id: someInteger,
        title: someText,
        start: withOffset,
        end: withOffset,
        status: expect.stringMatching(/^(confirmed|tentative|cancelled)$/) as unknown,
        past: someBoolean,
        recurring: someBoolean,
      });
    }
  });
});

section('Resources: Tracker', () => {
  it('has these fields; a single one also has its links', async () => {
    const own = await ownDoor();
    const { call, deliver } = own;
    const tracker_id = await newTracker(own, { title: 'Boat', keywords: 'boat, sail', due: '2026-12-01' });
    const tracker = {
      tracker_id,
      title: 'Boat',
      status: 'open',
      importance: expect.stringMatching(/^(low|normal|important)$/) as unknown,
      keywords: 'boat, sail',
      due_at: '2026-12-01T23:59:59+00:00',
      summary: expect.any(String) as unknown,
      summary_source_count: someInteger,
      next_action: expect.any(String) as unknown,
      created_at: utc,
      resolved_at: null,
      added_by_agent: true,
    };
    const list = resultIn(await call('GET', '/v1/trackers'));
    expect(list).toEqual({
      trackers: [tracker],
      total: 1,
      returned: 1,
      has_more: false,
      untrusted_fields: ['title', 'keywords', 'summary', 'next_action'].map((field) => `trackers[].${field}`),
      untrusted_notice: someText,
    });
    const id = await deliver({ subject: 'A boat' });
    await call('POST', `/v1/trackers/${tracker_id}/links`, { body: { message_id: id } });
    await call('POST', `/v1/trackers/${tracker_id}/notes`, { body: { note: 'By hand' } });
    const event_id = await newEvent(own);
    await call('POST', `/v1/trackers/${tracker_id}/links`, { body: { event_id } });
    const one = resultIn(await call('GET', `/v1/trackers/${tracker_id}`));
    expect(one).toMatchObject({
      ...tracker,
      summary_source_count: someInteger,
      total: 3,
      returned: 3,
      has_more: false,
    });
    const link = { link_id: someInteger, added_by: 'agent', created_at: utc };
    expect(one.links).toEqual(
      expect.arrayContaining([
        {
          ...link,
          kind: 'mail',
          subject: 'A boat',
          from: someText,
          date: withOffset,
          note: null,
          id,
          account_id: 1,
          folder: 'INBOX',
        },
        { ...link, kind: 'note', subject: '', from: '', date: withOffset, note: 'By hand' },
        { ...link, kind: 'event', subject: someText, from: '', date: withOffset, note: null, event_id },
      ]),
    );
    expect(one).toMatchObject({
      untrusted_notice: someText,
      untrusted_fields: expect.arrayContaining(['title', 'links[].note']) as unknown,
    });
  });

  it('is linked once to a new message that contains its keywords', async () => {
    const own = await ownDoor();
    const tracker_id = await newTracker(own, { title: 'Boat', keywords: 'lighthouse' });
    const { service } = own.server;
    // The first look only records where the inbox ends.
    await service.watch();
    const id = await own.deliver({ subject: 'The lighthouse' });
    for (let look = 0; look < 2; look++) {
      own.clock.shift(10 * 60_000);
      await service.watch();
      expect(resultIn(await own.call('GET', `/v1/trackers/${tracker_id}`))).toMatchObject({
        total: 1,
        last_auto_link_at: utc,
        links: [{ kind: 'mail', id, added_by: 'auto' }],
      });
    }
  });
});

section('Resources: Approval', () => {
  it('while pending: created, expires after 24 hours, in UTC, and undecided', async () => {
    const { call, letter } = door();
    const approval = approvalIn(await call('POST', '/v1/messages', { body: letter() }));
    expect(approval).toEqual({
      id: approval.id,
      state: 'pending',
      tool: 'send_email',
      action: 'send',
      created_at: utc,
      expires_at: utc,
    });
    const [created, expires] = [approval.created_at, approval.expires_at].map((at) => Date.parse(String(at)));
    expect((expires ?? 0) - (created ?? 0)).toBe(24 * 60 * 60_000);
  });

  it('once executed: when, and with which result', async () => {
    const { call, letter, approve } = door();
    const { id } = approvalIn(await call('POST', '/v1/messages', { body: letter() }));
    await approve(id);
    expect(approvalIn(await call('GET', `/v1/approvals/${id}`))).toEqual({
      id,
      state: 'executed',
      tool: 'send_email',
      action: 'send',
      created_at: utc,
      decided_at: utc,
      executed_at: utc,
      result: { sent: true, recipients: 1 },
    });
  });

  it('of a change of mail has a result with done and the action', async () => {
    const { call, deliver, approve } = door();
    const { id } = approvalIn(await call('POST', `/v1/messages/${await deliver()}/archive`));
    await approve(id);
    expect(approvalIn(await call('GET', `/v1/approvals/${id}`))).toMatchObject({
      tool: 'archive_email',
      result: { done: true, action: 'archive' },
    });
  });

  it.each([
    ['send_email', 'send'],
    ['send_reply', 'reply'],
    ['forward_email', 'forward'],
    ['archive_email', 'archive'],
    ['delete_email', 'delete'],
    ['move_email', 'move'],
    ['label_email', 'label'],
    ['mark_read', undefined],
    ['mark_unread', undefined],
    ['flag_email', undefined],
    ['create_event', 'create'],
    ['update_event', 'update'],
    ['cancel_event', 'cancel'],
    ['confirm_event', 'confirm'],
    ['create_tracker', 'create'],
    ['set_tracker_status', undefined],
    ['add_tracker_note', undefined],
    ['link_to_tracker', undefined],
    ['link_event_to_tracker', undefined],
    ['resolve_tracker', 'resolve'],
  ])('of %s has the action %s', async (name, action) => {
    const { tool, deliver, key, letter } = door();
    const asks = await key({ modes: { 'mail:organize': 'approval', 'trackers:write': 'approval' } });
    const id = await deliver();
    const [event_id, tracker_id] = [await newEvent(door()), await newTracker(door())];
    const args: Record<string, object> = {
      send_email: letter(),
      send_reply: { id, body: 'Yes.' },
      forward_email: { id, to: [FRIEND] },
      move_email: { id, target_folder: 'Archive' },
      label_email: { id, label: 'Bills' },
      create_event: { title: 'Boat', start: '2027-01-04T09:00' },
      update_event: { event_id, title: 'Boat' },
      cancel_event: { event_id },
      confirm_event: { event_id: await proposed(door()) },
      create_tracker: { title: 'Boat' },
      set_tracker_status: { tracker_id, status: 'waiting' },
      add_tracker_note: { tracker_id, note: 'x' },
      link_to_tracker: { tracker_id, message_id: id },
      link_event_to_tracker: { tracker_id, event_id },
      resolve_tracker: { tracker_id },
    };
    const approval = approvalIn(await tool(name, args[name] ?? { id }, { key: asks }));
    expect({ tool: approval.tool, action: approval.action }).toEqual({ tool: name, action });
  });

  it('withdrawn by the key says so in error', async () => {
    const { call, letter } = door();
    const { id } = approvalIn(await call('POST', '/v1/messages', { body: letter() }));
    await call('POST', `/v1/approvals/${id}/cancel`);
    expect(approvalIn(await call('GET', `/v1/approvals/${id}`))).toMatchObject({
      state: 'cancelled',
      error: 'cancelled_by_agent',
    });
  });
});

section('Resources: Key description', () => {
  it('has these fields', async () => {
    const { status, json } = await door().call('GET', '/v1/me');
    expect(status).toBe(200);
    expect(json).toEqual({
      credential: { kind: 'pat' },
      plan: 'paid',
      permissions: { v: 1, groups: expect.any(Object) as unknown },
      permissions_rev: 1,
      instructions: someText,
      now: withOffset,
      timezone: someText,
      paused: false,
      fences: { accounts: null, recipients: null, until: null },
      bounds: { targets_max: 50, waiting_max: 10_000, wait_s_max: 25, recipients_max: 5 },
    });
    expect(Object.keys((json.permissions as { groups: object }).groups)).toEqual(GROUPS);
  });

  it('has a revision that rises with every change of its permissions', async () => {
    const { call, server } = door();
    const { keyId, apiKey } = await server.service.keys.create({
      ownerId: server.ownerId,
      name: 'k',
      preset: 'read',
    });
    await server.service.keys.setModes(server.ownerId, keyId, { 'mail:send': 'approval' });
    expect((await call('GET', '/v1/me', { key: apiKey })).json).toMatchObject({
      permissions_rev: 2,
      permissions: { groups: { 'mail:send': 'approval' } },
    });
  });
});

section('Resources: Permission groups', () => {
  const CALLS: [group: string, tool: string, args: object][] = [
    ['mail:read', 'list_folders', {}],
    ['mail:send', 'send_email', { to: [FRIEND], subject: 'x', body: 'x' }],
    ['mail:reply', 'send_reply', { id: 'm1_x', body: 'x' }],
    ['mail:manage', 'archive_email', { id: 'm1_x' }],
    ['mail:organize', 'mark_read', { id: 'm1_x' }],
    ['calendar:read', 'list_events', {}],
    ['calendar:write', 'create_event', { title: 'x', start: '2027-01-04T09:00' }],
    ['trackers:read', 'list_trackers', {}],
    ['trackers:write', 'create_tracker', { title: 'x' }],
    ['trackers:remove', 'resolve_tracker', { tracker_id: 1 }],
  ];

  it.each(CALLS)('%s off: refused with its name, and its tools are not listed', async (group, name, args) => {
    const { call, tool, key } = door();
    const off = await key({ modes: { [group]: 'off' } });
    expectFailure(await tool(name, args, { key: off }), 403, 'not_permitted', { group });
    const listed = async (apiKey?: string) =>
      JSON.stringify((await call('GET', '/v1/tools', apiKey === undefined ? {} : { key: apiKey })).json);
    expect(await listed(off)).not.toContain(`"${name}"`);
    expect(await listed()).toContain(`"${name}"`);
  });

  it.each(['mail:send', 'mail:reply', 'mail:manage', 'mail:organize', 'calendar:write', 'trackers:write'])(
    '%s in mode direct runs at once; in mode approval it is pending',
    async (group) => {
      const { tool, key, deliver } = door();
      const [, name = '', given = {}] = CALLS.find(([of]) => of === group) ?? [];
      const ask = async (mode: 'direct' | 'approval') => {
        const id = await deliver();
        const own = 'id' in given ? { id } : 'subject' in given ? { subject: id.slice(0, 99) } : {};
        return tool(name, { ...given, ...own }, { key: await key({ modes: { [group]: mode } }) });
      };
      expect(await ask('direct')).toMatchObject({
        status: 200,
        json: { executed: true, auto_approved: true },
      });
      const asked = await ask('approval');
      expect(asked).toMatchObject({ status: 202, json: { executed: false } });
    },
  );

  it('off is checked before the arguments', async () => {
    const { tool, key } = door();
    const off = await key({ modes: { 'mail:send': 'off' } });
    expectFailure(await tool('send_email', { nonsense: 1 }, { key: off }), 403, 'not_permitted');
    expect(refusedFields(await tool('send_email', { nonsense: 1 }))).toContain('nonsense');
  });
});
