import * as z from 'zod';
import { type Child, startChild } from './child.ts';
import { alternate, median } from './rounds.ts';
import type { Row } from './table.ts';

/** What a server process reports. */
export const serverAnswer = z.object({
  port: z.int(),
  apiKey: z.string(),
  /** CPU time since the process started. */
  cpuMs: z.number(),
});
export type ServerAnswer = z.infer<typeof serverAnswer>;

const loadAnswer = z.object({ callsPerS: z.number() });
export type LoadAnswer = z.infer<typeof loadAnswer>;

const CLIENTS = 8;
const ROUNDS = 11;
const ROUND_MS = 600;
const WARM_MS = 2000;

/** A call that is measured, and the least that it may be of the floor with one client and with eight. */
interface Measured {
  readonly path: (id: string) => string;
  readonly least: readonly [one: number, eight: number];
}

/** The goal for the first, and where the others were on 22 November 2026, of the same floor. */
const CALLS: readonly Measured[] = [
  { path: () => '/v1/me', least: [0.5, 0.5] },
  { path: () => '/v1/approvals', least: [0.2, 0.27] },
  { path: () => '/v1/messages?limit=20', least: [0.16, 0.19] },
  { path: () => '/v1/messages?unread=true&limit=20', least: [0.21, 0.22] },
  { path: () => '/v1/messages?from=example', least: [0.14, 0.12] },
  { path: (id) => `/v1/messages/${id}`, least: [0.15, 0.15] },
  { path: (id) => `/v1/threads/${id}`, least: [0.15, 0.15] },
];

/** A request that the load process repeats. */
export interface Repeated {
  readonly path: string;
  /** JSON to post. Null: a GET. */
  readonly body: string | null;
  /** Besides those of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

export function getRequest(path: string): Repeated {
  return { path, body: null, headers: {} };
}

/** Countersign with the sandbox under the load of one client and of eight, against the floor with the same responses. */
export async function serverLoad(): Promise<Row[]> {
  const gate = startChild('gate');
  const floor = startChild('floor');
  const load = startChild('load');
  try {
    const ours = await gate.ask({}, serverAnswer);
    const list = listed.parse(JSON.parse(await answerOf(ours, '/v1/messages')));
    const rows: Row[] = [];
    for (const { path: pathOf, least } of CALLS) {
      const path = pathOf(list.result.messages[0]?.id ?? '');
      const reference = { apiKey: ours.apiKey, answers: { [path]: await answerOf(ours, path) } };
      for (const [index, clients] of [1, CLIENTS].entries()) {
        const floorLoad = loadOn(floor, reference, load, getRequest(path), clients);
        const gateLoad = loadOn(gate, {}, load, getRequest(path), clients);
        const name = `GET ${pathOf('{id}')}, ${clients === 1 ? 'one client' : `${clients} clients`}`;
        rows.push(...(await compared(name, least[index] ?? 0, floorLoad, gateLoad)));
      }
    }
    return rows;
  } finally {
    await Promise.all([gate.stop(), floor.stop(), load.stop()]);
  }
}

type LoadFor = ReturnType<typeof loadOn>;

/** The calls a second and the processor time of a call, against the floor's. */
async function compared(name: string, least: number, floorLoad: LoadFor, gateLoad: LoadFor): Promise<Row[]> {
  await floorLoad(WARM_MS);
  await gateLoad(WARM_MS);
  const rounds = { floor: [] as Load[], gate: [] as Load[] };
  const calls = await alternate(
    ROUNDS,
    async () => noted(rounds.floor, await floorLoad(ROUND_MS)).callsPerS,
    async () => noted(rounds.gate, await gateLoad(ROUND_MS)).callsPerS,
  );
  const cpu = {
    ours: median(rounds.gate.map(({ cpuUs }) => cpuUs)),
    reference: median(rounds.floor.map(({ cpuUs }) => cpuUs)),
  };
  return [
    { name, unit: 'calls/s', ...calls, bound: { least } },
    { name: '  processor time a call', unit: 'µs', ...cpu, ratio: cpu.ours / cpu.reference },
  ];
}

const listed = z.object({ result: z.object({ messages: z.array(z.object({ id: z.string() })) }) });

/** @returns how long one client waits for a response of the floor */
export async function floorCallMs(): Promise<number> {
  const floor = startChild('floor');
  const load = startChild('load');
  try {
    const path = '/v1/approvals';
    const question = {
      apiKey: 'bench',
      answers: { [path]: '{"status":"pending_approval","executed":false}' },
    };
    const one = loadOn(floor, question, load, getRequest(path), 1);
    await one(WARM_MS);
    return 1000 / (await one(WARM_MS)).callsPerS;
  } finally {
    await Promise.all([floor.stop(), load.stop()]);
  }
}

export interface Load {
  readonly callsPerS: number;
  /** CPU time of the server per call. */
  readonly cpuUs: number;
}

/** @returns a function that loads the server for this many ms */
export function loadOn(
  server: Child,
  question: unknown,
  load: Child,
  request: Repeated,
  clients: number = CLIENTS,
) {
  return async (ms: number): Promise<Load> => {
    const before = await server.ask(question, serverAnswer);
    const { port, apiKey } = before;
    const { callsPerS } = await load.ask({ port, apiKey, ...request, connections: clients, ms }, loadAnswer);
    const after = await server.ask(question, serverAnswer);
    return { callsPerS, cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / ((callsPerS * ms) / 1000) };
  };
}

function noted<T>(list: T[], item: T): T {
  list.push(item);
  return item;
}

export async function answerOf({ port, apiKey }: ServerAnswer, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.text();
}
