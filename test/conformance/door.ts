import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import * as z from 'zod';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { rawOf, type SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import { PLAN_LIMITS } from '../../core/keys/limits.ts';
import type { Modes, Plan, Preset } from '../../core/keys/permissions.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { type RestServer, type RestServerOptions, restServer } from '../hosts/rest/rest-server.ts';
import { type TestClock, testClock } from '../open-service.ts';
import { sqliteOnClock } from '../store-clock.ts';
import { callTool } from './tool-protocol.ts';

/**
 * The public door as a client sees it, with a clock that tests can move. Default: in front of the sandbox on
 * SQLite.
 */
export interface Door {
  readonly server: RestServer;
  readonly clock: TestClock;
  call(method: Method, path: string, options?: CallOptions): Promise<Answer>;
  tool(name: string, args?: object, options?: Omit<CallOptions, 'body'>): Promise<Answer>;
  key(options?: { preset?: Preset; modes?: Partial<Modes>; ownerId?: string }): Promise<string>;
  /** Approves as the owner does. */
  approve(id: string): Promise<void>;
  reject(id: string): Promise<void>;
  /** Puts a message into the inbox. @returns its id */
  deliver(message?: Partial<SampleMessage>): Promise<string>;
  /** Writes a new message to someone the account has written to. No two are the same. */
  letter(changes?: object): { to: string[]; subject: string; body: string };
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';

interface CallOptions {
  readonly body?: unknown;
  readonly key?: string;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export const OWNER = 'owner@example.org';
/** The account has written to these. The sandbox refuses, loses or defers messages to the last four. */
export const FRIEND = 'maya@atlas.example';
export const REFUSED = 'refused@sandbox.invalid';
export const REFUSED_AFTER = 'after@sandbox.invalid';
export const LOST = 'lost@sandbox.invalid';
export const PUT_OFF = 'tempfail@sandbox.invalid';
const WRITTEN_TO = [FRIEND, 'jonas@atlas.example', REFUSED, REFUSED_AFTER, LOST, PUT_OFF];
export const STRANGER = 'stranger@example.net';

export interface DoorOptions extends RestServerOptions {
  readonly plan?: Plan;
  /** Applies the numbers of the plan. Default: calls are not limited. */
  readonly planLimits?: boolean;
  /** The start time of its clock. Default: the current time. */
  readonly opensAt?: Date;
}

let throughTools = false;
/** Whether calls go through the tool protocol. */
export const goesThroughTools = (): boolean => throughTools;

let openStorage: ((clock: TestClock) => Promise<Storage>) | undefined;

/**
 * Opens a separate store for every later door of this file, instead of SQLite.
 * @param open  opens a store whose own clock follows the door's
 */
export function keepIn(open: (clock: TestClock) => Promise<Storage>): void {
  openStorage = open;
}

/** Sends every later REST call of this file through the tool protocol, if its route is a tool. */
export function goThroughTools(): void {
  throughTools = true;
}

export async function openDoor({
  plan = 'paid',
  planLimits = false,
  opensAt,
  ...options
}: DoorOptions = {}): Promise<Door> {
  const clock = testClock();
  if (opensAt !== undefined) clock.shift(opensAt.getTime() - clock.now().getTime());
  const { samples = () => [sample('first', { minutesAgo: 60 })] } = options;
  const server = await restServer({
    ...options,
    samples: (owner) => [...samples(owner), ...writtenBefore(owner)],
    limits: planLimits
      ? { ...PLAN_LIMITS[plan], ...options.limits }
      : { filedPerDay: 10_000, waitingPerKey: 10_000, waitingPerOwner: 10_000, ...options.limits },
    given: {
      ...{ plan, clock, calendar: sandboxCalendar() },
      storage: (await openStorage?.(clock)) ?? sqliteOnClock(':memory:', () => clock.now().getTime()),
      ...options.given,
    },
  });
  const { service, ownerId, mail } = server;
  const account = { ownerId, accountId: 1, email: OWNER, settings: async () => ({}) };
  let letters = 0;
  let calls = 0;

  const call: Door['call'] = async (
    method,
    path,
    { body, key = server.apiKey, idempotencyKey, headers } = {},
  ) => {
    // Refused callers share the budget of their address, which is not under test here.
    const from = { 'x-forwarded-for': `203.0.113.${calls++ % 250}` };
    if (throughTools && headers === undefined) {
      const wanted = { method, path, body, key, idempotencyKey, headers: from };
      const answer = await callTool(server.port, wanted);
      if (answer !== undefined) return { ...answer, json: object.parse(JSON.parse(answer.text)) };
    }
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...from,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: object.parse(JSON.parse(text)) };
  };

  return {
    server,
    clock,
    call,
    tool: (name, args = {}, rest = {}) =>
      call('POST', `/v1/tools/${name}`, { ...rest, body: { arguments: args } }),
    key: server.key,
    async approve(id) {
      const view = await service.approvals.show(ownerId, id);
      await service.approvals.approve(ownerId, id, view?.approval.digest ?? '');
    },
    async reject(id) {
      await service.approvals.reject(ownerId, id);
    },
    async deliver(message = {}) {
      letters += 1;
      const raw = rawOf(sample(`delivered-${letters}`, { to: OWNER, ...message }), new Date());
      await mail.deliver(account, message.folder ?? 'INBOX', raw);
      const folder = message.folder ?? 'INBOX';
      return idOf(await call('GET', `/v1/messages?limit=1&folder=${encodeURIComponent(folder)}`));
    },
    letter(changes = {}) {
      letters += 1;
      return { to: [FRIEND], subject: `Letter ${letters}`, body: 'Hello from a test.', ...changes };
    },
  };
}

/** Opens one door for the tests of a file. */
export function doorOf(options: DoorOptions = {}): () => Door {
  let door: Door | undefined;
  beforeAll(async () => {
    door = await openDoor(options);
  });
  afterAll(() => door?.server.stop());
  return () => {
    if (door === undefined) throw new Error('the door is not open yet');
    return door;
  };
}

/** Opens a separate door for one test. */
export async function ownDoor(options: DoorOptions = {}): Promise<Door> {
  const door = await openDoor(options);
  onTestFinished(() => door.server.stop());
  return door;
}

export function sample(id: string, changes: Partial<SampleMessage> = {}): SampleMessage {
  return {
    folder: 'INBOX',
    minutesAgo: 10,
    id,
    from: `Maya Okafor <${FRIEND}>`,
    to: OWNER,
    flags: [],
    subject: `Subject ${id}`,
    text: `Text ${id}\n`,
    ...changes,
  };
}

function writtenBefore(owner: string): SampleMessage[] {
  return WRITTEN_TO.map((to, n) =>
    sample(`written-${n}`, { folder: 'Sent', from: owner, to, minutesAgo: 100_000 }),
  );
}

const object = z.record(z.string(), z.unknown());
const withId = z.looseObject({
  result: z.looseObject({ messages: z.tuple([z.looseObject({ id: z.string() })]) }),
});

/** Returns the id of the only message in a list. */
export function idOf({ json }: Answer): string {
  return withId.parse(json).result.messages[0].id;
}

const anApproval = z.looseObject({ id: z.string(), state: z.string() });
const withApproval = z.union([
  z.looseObject({ approval: anApproval }),
  z.looseObject({ result: z.looseObject({ approval: anApproval }) }),
]);

/** Returns the approval of an answer, pending or ended. */
export function approvalIn({ status, json }: Answer): z.infer<typeof anApproval> {
  const read = withApproval.safeParse(json);
  if (!read.success) throw new Error(`${status} contains no approval: ${JSON.stringify(json)}`);
  return 'approval' in read.data && read.data.approval !== undefined
    ? anApproval.parse(read.data.approval)
    : anApproval.parse(object.parse(read.data.result).approval);
}

/** Returns the result of an answer. */
export function resultIn({ status, json }: Answer): Record<string, unknown> {
  if (json.status !== 'ok' && json.status !== 'empty') throw new Error(`${status}: ${JSON.stringify(json)}`);
  return object.parse(json.result);
}

/** Expects that an answer is this failure: its status, its code and its details. */
export function expectFailure(answer: Answer, status: number, code: string, details?: object): void {
  const { json } = answer;
  expect({ status: answer.status, json }).toMatchObject({ status, json: { status: 'error', code } });
  if (details !== undefined) expect(json.details).toMatchObject(details);
}

/** Returns the fields of the refused arguments. */
export function refusedFields({ status, json }: Answer): string[] {
  expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_arguments' });
  const details = z.looseObject({
    errors: z.array(z.strictObject({ field: z.string(), rule: z.string(), message: z.string() })).min(1),
  });
  return details.parse(json.details).errors.map(({ field }) => field);
}
