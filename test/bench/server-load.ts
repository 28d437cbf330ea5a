import * as z from 'zod';
import { type Child, startChild } from './child.ts';
import { alternate } from './rounds.ts';
import type { Row } from './table.ts';

/** What a server's process answers. */
const serverAnswer = z.object({
  port: z.int(),
  apiKey: z.string(),
  /** Of the processor, since the process began. */
  cpuMs: z.number(),
});
export type ServerAnswer = z.infer<typeof serverAnswer>;

const loadAnswer = z.object({ callsPerS: z.number() });
export type LoadAnswer = z.infer<typeof loadAnswer>;

const CONNECTIONS = 8;
const ROUNDS = 7;
const ROUND_MS = 600;
const WARM_MS = 3000;

const PATHS = ['/v1/me', '/v1/messages?limit=20'];

/** Ours with the sandbox under the load of 8 clients, against the floor that answers the same bytes. */
export async function serverLoad(): Promise<{ rows: Row[]; floorCallMs: number }> {
  const gate = startChild('gate');
  const floor = startChild('floor');
  const load = startChild('load');
  try {
    const ours = await gate.ask({}, serverAnswer);
    const answers = Object.fromEntries(
      await Promise.all(
        PATHS.map(async (path): Promise<[string, string]> => [path, await answerOf(ours, path)]),
      ),
    );
    const floorQuestion = { apiKey: ours.apiKey, answers };
    const reference = await floor.ask(floorQuestion, serverAnswer);
    const rows: Row[] = [];
    const measure = async (server: ServerAnswer, path: string, connections: number, ms: number) => {
      const { port, apiKey } = server;
      return (await load.ask({ port, apiKey, path, connections, ms }, loadAnswer)).callsPerS;
    };
    for (const path of PATHS) {
      await measure(reference, path, CONNECTIONS, WARM_MS);
      await measure(ours, path, CONNECTIONS, WARM_MS);
      const floorCpu = cpuMeter(floor, floorQuestion);
      const gateCpu = cpuMeter(gate, {});
      const compared = await alternate(
        ROUNDS,
        () => floorCpu(() => measure(reference, path, CONNECTIONS, ROUND_MS)),
        () => gateCpu(() => measure(ours, path, CONNECTIONS, ROUND_MS)),
      );
      rows.push({ name: `GET ${path}, 8 clients`, unit: 'calls/s', ...compared, bound: { least: 0.5 } });
      const cpu = { ours: gateCpu.usPerCall(), reference: floorCpu.usPerCall() };
      rows.push({
        name: '  processor time a call',
        unit: 'µs',
        ...cpu,
        ratio: cpu.ours / cpu.reference,
      });
    }
    return { rows, floorCallMs: 1000 / (await measure(reference, '/v1/me', 1, WARM_MS)) };
  } finally {
    await Promise.all([gate.stop(), floor.stop(), load.stop()]);
  }
}

async function answerOf({ port, apiKey }: ServerAnswer, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.text();
}

/** Sums up what rounds of calls cost a server's processor. */
function cpuMeter(server: Child, question: unknown) {
  let calls = 0;
  let cpuMs = 0;
  const meter = async (round: () => Promise<number>): Promise<number> => {
    const before = await server.ask(question, serverAnswer);
    const callsPerS = await round();
    const after = await server.ask(question, serverAnswer);
    calls += (callsPerS * ROUND_MS) / 1000;
    cpuMs += after.cpuMs - before.cpuMs;
    return callsPerS;
  };
  return Object.assign(meter, { usPerCall: () => (1000 * cpuMs) / calls });
}
