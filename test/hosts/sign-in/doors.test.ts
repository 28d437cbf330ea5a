import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { GROUPS, type Group, type Mode, modesOf } from '../../../core/keys/permissions.ts';
import { CATALOGUE } from '../../../core/tools/catalogue.ts';
import type { AnyApproval } from '../../contracts/any-approval.ts';
import { NO_LIMITS } from '../../lab/bench/no-limits.ts';
import { openSignInHost, type SignInHost, signedIn } from './open-sign-in-host.ts';

// Every tool, in every mode of its permission group, through every door for programs: REST, MCP with a key and MCP with
// a sign-in. Each door has a separate service with the same content, because calls change it.

const DOORS = ['REST', 'MCP with a key', 'MCP with a sign-in'] as const;
type Door = (typeof DOORS)[number];

type Args = Readonly<Record<string, unknown>>;
type Call = (tool: string, args?: Args) => Promise<unknown>;

/** The modes of all groups: each write in this mode, and the reads on, unless everything is off. */
function modesAt(level: Mode): Partial<Record<Group, Mode>> {
  const modes = GROUPS.map((group): [Group, Mode] => [group, modesOf(group).includes(level) ? level : 'on']);
  return Object.fromEntries(modes);
}

/** What the calls act on. */
interface Content {
  readonly messages: readonly string[];
  readonly fromFriend: string;
  readonly withAttachment: string;
}

const FRIEND = 'maya@atlas.example';

/** One call of every tool. No two writes have the same target. @param approvalId  a request of the caller */
function callOf(tool: string, { messages, fromFriend, withAttachment }: Content, approvalId: string): Args {
  const event = { title: 'Walk', start: '2027-01-04T09:00' };
  const letter = { to: [FRIEND], subject: 'Walk', body: 'At nine?' };
  const [read, forward, archived, deleted, moved, labelled, seen, unseen, flagged, linked] = messages;
  const args: Readonly<Record<string, Args>> = {
    get_approval: { approval_id: approvalId },
    cancel_approval: { approval_id: approvalId },
    search_inbox: { q: 'a' },
    get_email: { id: read },
    get_thread: { id: read },
    list_attachments: { id: withAttachment },
    read_attachment: { id: withAttachment, index: 0 },
    send_email: letter,
    forward_email: { id: forward, to: [FRIEND] },
    send_reply: { id: fromFriend, body: 'Yes.' },
    archive_email: { id: archived },
    delete_email: { id: deleted },
    move_email: { id: moved, target_folder: 'Archive' },
    label_email: { id: labelled, label: 'Walks' },
    mark_read: { id: seen },
    mark_unread: { id: unseen },
    flag_email: { id: flagged },
    create_event: event,
    propose_event: { ...event, start: '2027-01-05T09:00' },
    update_event: { event_id: 1, title: 'Later' },
    cancel_event: { event_id: 2 },
    confirm_event: { event_id: 3 },
    get_tracker: { tracker_id: 1 },
    create_tracker: { title: 'Another' },
    set_tracker_status: { tracker_id: 2, status: 'waiting' },
    add_tracker_note: { tracker_id: 3, note: 'Called.' },
    link_to_tracker: { tracker_id: 4, message_id: linked },
    link_event_to_tracker: { tracker_id: 5, event_id: 4 },
    resolve_tracker: { tracker_id: 6 },
  };
  return args[tool] ?? {};
}

const object = z.looseObject({});
const message = z.looseObject({ id: z.string(), from: z.string() });
const found = z.looseObject({ result: z.looseObject({ messages: z.array(message) }) });
const attachments = z.looseObject({ result: z.looseObject({ total: z.number() }) });

/** Adds events and trackers. @returns what the calls act on */
async function filled(call: Call): Promise<Content> {
  for (const day of [11, 12, 13, 14]) {
    await call('propose_event', { title: `Event ${day}`, start: `2027-01-${day}T09:00` });
  }
  for (const n of [1, 2, 3, 4, 5, 6]) await call('create_tracker', { title: `Tracker ${n}` });
  const { messages } = found.parse(await call('summarize_inbox', { limit: 50 })).result;
  const fromFriend = messages.find(({ from }) => from.includes(FRIEND))?.id ?? '';
  for (const { id } of messages) {
    const { total } = attachments.parse(await call('list_attachments', { id })).result;
    if (total === 0 || id === fromFriend) continue;
    const others = messages.filter((one) => one.id !== id && one.id !== fromFriend);
    return { messages: others.map((one) => one.id), fromFriend, withAttachment: id };
  }
  throw new Error('no message has an attachment');
}

async function overRest(host: SignInHost, key: string): Promise<Call> {
  return async (tool, args = {}) => {
    const answer = await fetch(`${host.apiUrl}/v1/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: args }),
    });
    // This route repeats the code of a failure as `error`.
    const { error: _code, ...outcome } = object.parse(await answer.json());
    return outcome;
  };
}

async function overMcp(url: string, token: string): Promise<Call> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return async (name, args = {}) => (await client.callTool({ name, arguments: args })).structuredContent;
}

async function through(door: Door, host: SignInHost, modes: Partial<Record<Group, Mode>>): Promise<Call> {
  if (door === 'MCP with a sign-in') {
    return overMcp(host.mcpUrl, (await signedIn(host, { preset: 'full', modes })).access_token);
  }
  const { apiKey } = await host.addKey('full', modes);
  return door === 'REST' ? overRest(host, apiKey) : overMcp(host.apiUrl, apiKey);
}

/** Everything that is the same behind every door: without ids, times, fences and the kind of the credential. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\b(m1_|apr_|c1_)[\w-]+/g, '$1')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+(?:Z|[+-]\d\d:\d\d)/g, 'TIME')
    .replaceAll(/[0-9]{39}/g, 'NONCE')
    .replaceAll(/http:\/\/[\w.]+:\d+/g, 'URL')
    .replace('{"kind":"oauth"}', '{"kind":"pat"}');
  return JSON.parse(text);
}

interface Walk {
  readonly verdicts: Readonly<Record<string, unknown>>;
  readonly effects: unknown;
}

/** Calls every tool through the door, approves what waits, and reads what has become of everything. */
async function walk(door: Door, level: Mode): Promise<Walk> {
  const host = await openSignInHost({ limits: NO_LIMITS });
  onTestFinished(() => host.close());
  const owner = await overRest(host, (await host.addKey('full', modesAt('direct'))).apiKey);
  const content = await filled(owner);
  const call = await through(door, host, modesAt(level));
  const verdicts: Record<string, unknown> = {};
  for (const { name } of CATALOGUE) {
    const [approvalId = `apr_${'a'.repeat(22)}`] = /apr_[\w-]+/.exec(JSON.stringify(verdicts)) ?? [];
    verdicts[name] = await call(name, callOf(name, content, approvalId));
  }
  const { approvals } = await host.service.approvals.list(host.ownerId, { state: 'open', limit: 50 });
  for (const { approval } of approvals.toReversed()) {
    await host.service.approvals.approve(host.ownerId, approval.id, approval.digest);
  }
  const folders = ['INBOX', 'Sent', 'Archive', 'Trash', 'Walks'];
  const effects = [
    await owner('list_folders'),
    ...(await Promise.all(folders.map((folder) => owner('summarize_inbox', { folder, limit: 50 })))),
    await owner('list_events', { days: 365 }),
    await owner('list_trackers'),
    ...(await Promise.all([3, 4, 5].map((tracker_id) => owner('get_tracker', { tracker_id })))),
    (await host.service.approvals.list(host.ownerId, { state: 'all', limit: 50 })).approvals.map(
      ({ approval: { tool, state, error } }: { approval: AnyApproval }) => ({ tool, state, error }),
    ),
  ];
  return { verdicts: comparable(verdicts) as Walk['verdicts'], effects: comparable(effects) };
}

const status = z.looseObject({
  status: z.string(),
  code: z.string().optional(),
  executed: z.boolean().optional(),
});

it.each(['off', 'approval', 'direct'] as const)(
  'every tool has the same verdict and the same effect through every door, in mode %s',
  async (level) => {
    const [rest, key, signIn] = await Promise.all(DOORS.map((door) => walk(door, level)));
    expect(Object.keys(rest?.verdicts ?? {})).toHaveLength(37);
    for (const { name, group, kind } of CATALOGUE) {
      const verdict = status.parse(rest?.verdicts[name]);
      const isWrite = kind === 'gated' || kind === 'light';
      if (level === 'off' && group !== null) expect([name, verdict.code]).toEqual([name, 'not_permitted']);
      else if (level === 'approval' && isWrite)
        expect([name, verdict.status]).toEqual([name, 'pending_approval']);
      else if (level === 'direct' && isWrite) expect([name, verdict.executed]).toEqual([name, true]);
    }
    expect(key).toEqual(rest);
    expect(signIn).toEqual(rest);
  },
);
