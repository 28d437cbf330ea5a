import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import type { FencesRequest } from '../../core/keys/keys.ts';
import type { Modes } from '../../core/keys/permissions.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import {
  type Answer,
  approvalIn,
  doorOf,
  expectFailure,
  FRIEND,
  idOf,
  OWNER,
  resultIn,
  sample,
} from './door.ts';
import { section } from './sections.ts';

// What the notes add: the pause and the fences of a key.

const SECOND = 'second@example.org';
const HOUR_MS = 3_600_000;

const door = doorOf({
  samples: (owner) => [
    sample(`first of ${owner}`, { to: owner, minutesAgo: 60 }),
    sample(`mixed of ${owner}`, { to: owner, from: 'Nova <nova@nova.example>', minutesAgo: 90 }),
  ],
});
let second = 0;

beforeAll(async () => {
  const { service, ownerId } = door().server;
  const connected = await service.accounts.connect({ ownerId, email: SECOND, settings: {} });
  second = connected.accountId;
});

async function newKey(fences: FencesRequest = {}, modes: Partial<Modes> = {}) {
  const { service, ownerId } = door().server;
  const { keyId, apiKey } = await service.keys.create({
    ownerId,
    name: 'agent',
    preset: 'full',
    modes,
    fences,
  });
  return {
    key: apiKey,
    pause: () => service.keys.pause(ownerId, keyId),
    resume: () => service.keys.resume(ownerId, keyId),
    setFences: (request: FencesRequest) => service.keys.setFences(ownerId, keyId, request),
  };
}

/** Approves as the owner does. @returns whether that decided it */
async function approved(id: string): Promise<boolean> {
  const { service, ownerId } = door().server;
  const view = await service.approvals.show(ownerId, id);
  return (await service.approvals.approve(ownerId, id, view?.approval.digest ?? ''))?.won ?? false;
}

function expectFence(answer: Answer, group: string, field: string): void {
  expectFailure(answer, 403, 'not_permitted');
  expect(answer.json.details).toEqual({ group, reason: 'fence', field });
}

/** The id of the first message of an account from that sender. */
async function messageOf(account: number, from: string): Promise<string> {
  return idOf(await door().call('GET', `/v1/messages?limit=1&account_id=${account}&from=${from}`));
}

const accountIds = z.looseObject({ account_id: z.int() });
const rowsIn = (answer: Answer, field: string): number[] => {
  const rows = z.array(accountIds).parse(resultIn(answer)[field]);
  return [...new Set(rows.map(({ account_id }) => account_id))].sort();
};

section('Notes: What we add', () => {
  it('a paused key: four tools answer, everything else is refused with its reason', async () => {
    const { tool, letter } = door();
    const { key, pause, resume } = await newKey();
    const { id } = approvalIn(await tool('send_email', letter(), { key }));
    await pause();
    for (const { name, group } of CATALOGUE) {
      if (group === null) continue;
      const answer = await tool(name, {}, { key });
      expectFailure(answer, 403, 'not_permitted');
      expect({ name, details: answer.json.details }).toEqual({ name, details: { group, reason: 'paused' } });
    }
    expect((await tool('get_me', {}, { key })).status).toBe(200);
    expect((await tool('list_approvals', {}, { key })).status).toBe(200);
    expect(approvalIn(await tool('get_approval', { approval_id: id }, { key })).state).toBe('pending');
    expect(approvalIn(await tool('cancel_approval', { approval_id: id }, { key })).state).toBe('cancelled');
    await resume();
    expect((await tool('list_folders', {}, { key })).status).toBe(200);
  });

  it('what waits during a pause runs if the owner approves it then', async () => {
    const { tool, letter } = door();
    const { key, pause } = await newKey();
    const { id } = approvalIn(await tool('send_email', letter(), { key }));
    await pause();
    expect(await approved(id)).toBe(true);
    expect(approvalIn(await tool('get_approval', { approval_id: id }, { key })).state).toBe('executed');
  });

  it('get_me: the time and the zone of the owner, the pause and the fences', async () => {
    const { call, clock } = door();
    const until = new Date(Math.ceil(clock.now().getTime() / 1000) * 1000 + HOUR_MS);
    const plain = await newKey();
    expect((await call('GET', '/v1/me', { key: plain.key })).json).toMatchObject({
      timezone: 'UTC',
      paused: false,
      fences: { accounts: null, recipients: null, until: null },
    });
    const { key, pause } = await newKey({ accounts: [1], recipients: ['@Atlas.Example', FRIEND], until });
    await pause();
    const { json } = await call('GET', '/v1/me', { key });
    expect(json).toMatchObject({
      paused: true,
      fences: {
        accounts: [1],
        recipients: ['atlas.example', FRIEND],
        until: until.toISOString().replace('.000Z', '+00:00'),
      },
    });
    const now = Date.parse(z.string().parse(json.now));
    expect(Math.abs(now - clock.now().getTime())).toBeLessThan(60_000);
  });

  it('recipients: new messages, forwards and replies to anybody else are refused', async () => {
    const { tool, letter } = door();
    const { key } = await newKey({ recipients: ['atlas.example', 'only@nova.example'] });
    const inside = [FRIEND, 'only@nova.example'];
    expect((await tool('send_email', letter({ to: inside }), { key })).status).toBe(202);
    for (const other of ['nova@nova.example', 'a@sub.atlas.example', 'a@atlas.example.test']) {
      expectFence(
        await tool('send_email', letter({ to: [...inside, other] }), { key }),
        'mail:send',
        'to[2]',
      );
    }
    const [friendly, other] = [await messageOf(1, FRIEND), await messageOf(1, 'nova')];
    expectFence(await tool('forward_email', { id: friendly, to: [OWNER] }, { key }), 'mail:send', 'to[0]');
    expect((await tool('send_reply', { id: friendly, body: 'x' }, { key })).status).toBe(202);
    expectFence(await tool('send_reply', { id: other, body: 'x' }, { key }), 'mail:reply', 'id');
    expect((await tool('archive_email', { id: other }, { key })).status).toBe(202);
  });

  it('recipients: an attendee is one, and so is everybody who takes part in the event', async () => {
    const { tool } = door();
    const { key: free } = await newKey({}, { 'calendar:write': 'direct' });
    const { key } = await newKey({ recipients: ['nova.example'] });
    const start = '2027-03-01T09:00';
    const invited = { title: 'With Maya', start, attendee: FRIEND };
    for (const name of ['create_event', 'propose_event']) {
      expectFence(await tool(name, invited, { key }), 'calendar:write', 'attendee');
      expect((await tool(name, { title: name, start, attendee: 'a@nova.example' }, { key })).status).toBe(
        202,
      );
    }
    const created = await tool('create_event', invited, { key: free });
    const { object_id: event_id } = z
      .looseObject({ object_id: z.int() })
      .parse(z.looseObject({ result: z.unknown() }).parse(approvalIn(created)).result);
    for (const [name, change] of [
      ['update_event', { title: 'Later' }],
      ['update_event', { attendee: 'a@nova.example' }],
      ['cancel_event', {}],
    ] as const) {
      expectFence(await tool(name, { event_id, ...change }, { key }), 'calendar:write', 'event_id');
      expect((await tool('list_events', { days: 365 }, { key })).status).toBe(200);
    }
    expectFence(
      await tool('update_event', { event_id, attendee: 'a@else.example' }, { key }),
      'calendar:write',
      'event_id',
    );
  });

  it('accounts: the others are not listed, and what belongs to them is refused', async () => {
    const { tool, letter } = door();
    const { key } = await newKey({ accounts: [1] }, { 'trackers:write': 'direct' });
    const { key: free } = await newKey({}, { 'trackers:write': 'direct' });
    expect(rowsIn(await tool('list_accounts', {}, { key: free }), 'accounts')).toEqual([1, second]);
    expect(rowsIn(await tool('list_accounts', {}, { key }), 'accounts')).toEqual([1]);
    expect(rowsIn(await tool('list_folders', {}, { key }), 'folders')).toEqual([1]);
    for (const [name, args] of [
      ['summarize_inbox', {}],
      ['list_unread', { folder: 'INBOX' }],
      ['search_inbox', { from: FRIEND }],
    ] as const) {
      expect(rowsIn(await tool(name, args, { key: free }), 'messages')).toEqual([1, second]);
      expect(rowsIn(await tool(name, args, { key }), 'messages')).toEqual([1]);
      expectFence(await tool(name, { ...args, account_id: second }, { key }), 'mail:read', 'account_id');
    }
    const [own, other] = [await messageOf(1, FRIEND), await messageOf(second, FRIEND)];
    for (const name of ['get_email', 'get_thread', 'list_attachments']) {
      expectFence(await tool(name, { id: other }, { key }), 'mail:read', 'id');
    }
    for (const name of ['get_email', 'list_attachments'])
      expectFence(await tool(name, { ids: [own, other] }, { key }), 'mail:read', 'ids[1]');
    expectFence(await tool('read_attachment', { id: other, index: 0 }, { key }), 'mail:read', 'id');
    expectFence(await tool('send_email', letter({ account_id: second }), { key }), 'mail:send', 'account_id');
    expectFence(await tool('forward_email', { id: other, to: [FRIEND] }, { key }), 'mail:send', 'id');
    expectFence(await tool('send_reply', { id: other, body: 'x' }, { key }), 'mail:reply', 'id');
    expectFence(await tool('archive_email', { ids: [own, other] }, { key }), 'mail:manage', 'ids[1]');
    expectFence(await tool('label_email', { id: other, label: 'x' }, { key }), 'mail:manage', 'id');
    expectFence(await tool('mark_read', { ids: [own, other] }, { key }), 'mail:organize', 'ids[1]');
    const { key: elsewhere } = await newKey({ accounts: [second] });
    expectFence(await tool('send_email', letter(), { key: elsewhere }), 'mail:send', 'account_id');
  });

  it('accounts: a tracker shows nothing of messages and events of others', async () => {
    const { tool } = door();
    const { key } = await newKey({ accounts: [second] }, { 'trackers:write': 'direct' });
    const { key: free } = await newKey({}, { 'trackers:write': 'direct', 'calendar:write': 'direct' });
    const created = resultIn(await tool('create_tracker', { title: 'Both' }, { key: free }));
    const { tracker_id } = z.looseObject({ tracker_id: z.int() }).parse(created);
    const [first, other] = [await messageOf(1, FRIEND), await messageOf(second, FRIEND)];
    const link = { tracker_id, message_id: first };
    expectFence(await tool('link_to_tracker', link, { key }), 'trackers:write', 'message_id');
    for (const message_id of [first, other]) {
      expect((await tool('link_to_tracker', { tracker_id, message_id }, { key: free })).status).toBe(200);
    }
    const event = await tool('create_event', { title: 'Secret', start: '2027-03-02T09:00' }, { key: free });
    const { object_id: event_id } = z
      .looseObject({ object_id: z.int() })
      .parse(z.looseObject({ result: z.unknown() }).parse(approvalIn(event)).result);
    const linkEvent = { tracker_id, event_id };
    expectFence(await tool('link_event_to_tracker', linkEvent, { key }), 'trackers:write', 'event_id');
    expect((await tool('link_event_to_tracker', linkEvent, { key: free })).status).toBe(200);
    expect((await tool('add_tracker_note', { tracker_id, note: 'A note' }, { key })).status).toBe(200);
    const { links, summary } = resultIn(await tool('get_tracker', { tracker_id }, { key }));
    expect({ links, summary }).toMatchObject({
      summary: '',
      links: [
        { kind: 'note', note: 'A note' },
        { kind: 'event', subject: '' },
        { kind: 'mail', account_id: second },
        { kind: 'mail', subject: '', from: '' },
      ],
    });
    expect(JSON.stringify(links)).not.toContain('Secret');
    expect(JSON.stringify(links)).not.toContain(first);
  });

  it('an end: after it, only four tools answer', async () => {
    const { tool, clock } = door();
    const { key } = await newKey({ until: new Date(clock.now().getTime() + HOUR_MS) });
    expect((await tool('list_folders', {}, { key })).status).toBe(200);
    clock.shift(HOUR_MS);
    for (const { name, group } of CATALOGUE) {
      if (group !== null) expectFence(await tool(name, {}, { key }), group, 'until');
    }
    expect((await tool('get_me', {}, { key })).status).toBe(200);
    clock.shift(-HOUR_MS);
  });

  it('what waits is judged by the fences as they are when the owner approves', async () => {
    const { tool, letter } = door();
    const { key, setFences } = await newKey();
    const { id } = approvalIn(await tool('send_email', letter(), { key }));
    const tries: FencesRequest[] = [{ accounts: [second] }, { recipients: ['nova.example'] }];
    for (const fences of tries) {
      await setFences(fences);
      expect(await approved(id)).toBe(false);
      expect(approvalIn(await tool('get_approval', { approval_id: id }, { key })).state).toBe('pending');
    }
    await setFences({ accounts: [1], recipients: ['atlas.example'] });
    expect(await approved(id)).toBe(true);
    expect(approvalIn(await tool('get_approval', { approval_id: id }, { key })).state).toBe('executed');
  });
});
