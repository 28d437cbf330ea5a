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
const WARM_MS = 3000;

/** The least that each may be of the floor. The last two are where they were on 22 November 2026. */
const PATHS = [
  ['/v1/me', 0.5],
  ['/v1/messages?limit=20', 0.5],
  ['/v1/messages?unread=true&limit=20', 0.25],
  ['/v1/approvals', 0.33],
] as const;

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

/** Countersign with the sandbox under the load of 8 clients, against the floor with the same responses. */
export async function serverLoad(): Promise<Row[]> {
  const gate = startChild('gate');
  const floor = startChild('floor');
  const load = startChild('load');
  try {
    const ours = await gate.ask({}, serverAnswer);
    const answers = Object.fromEntries(
      await Promise.all(
        PATHS.map(async ([path]): Promise<[string, string]> => [path, await answerOf(ours, path)]),
      ),
    );
    const reference = { apiKey: ours.apiKey, answers };
    const rows: Row[] = [];
    for (const [path, least] of PATHS) {
      const floorLoad = loadOn(floor, reference, load, getRequest(path));
      const gateLoad = loadOn(gate, {}, load, getRequest(path));
      await floorLoad(WARM_MS);
      await gateLoad(WARM_MS);
      const rounds = { floor: [] as Load[], gate: [] as Load[] };
      const compared = await alternate(
        ROUNDS,
        async () => noted(rounds.floor, await floorLoad(ROUND_MS)).callsPerS,
        async () => noted(rounds.gate, await gateLoad(ROUND_MS)).callsPerS,
      );
      rows.push({
        name: `GET ${path}, ${CLIENTS} clients`,
        unit: 'calls/s',
        ...compared,
        bound: { least },
      });
      const cpu = {
        ours: median(rounds.gate.map(({ cpuUs }) => cpuUs)),
        reference: median(rounds.floor.map(({ cpuUs }) => cpuUs)),
      };
      rows.push({ name: '  processor time a call', unit: 'µs', ...cpu, ratio: cpu.ours / cpu.reference });
    }
    return rows;
  } finally {
    await Promise.all([gate.stop(), floor.stop(), load.stop()]);
  }
}

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
