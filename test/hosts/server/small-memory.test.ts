import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { documentText } from '../../docs/documents.ts';
import { buildCli, type Cli } from './cli-process.ts';

const LIMIT_MB = 256;
const CLIENTS = 8;
const ROUNDS = 150;

const list = z.object({ result: z.object({ messages: z.array(z.object({ id: z.string() })) }) });

let cli: Cli;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli?.remove());

it(`serves ${CLIENTS} clients at once within ${LIMIT_MB} MB, started as the page says`, async () => {
  const [, options = ''] =
    /^NODE_OPTIONS='(.*)' countersign serve$/m.exec(documentText('docs/operating.md')) ?? [];
  expect(options).not.toBe('');
  const limits = JSON.stringify({ callsPerMinute: 1_000_000, callsPerDay: 1_000_000, concurrentCalls: 50 });
  const env = { NODE_OPTIONS: options, COUNTERSIGN_LIMITS: limits };
  const server = await cli.serve(['serve', '--demo', '--json'], env);
  const headers = { authorization: `Bearer ${server.api_key}` };
  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${server.base_url}${path}`, { headers });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const { messages } = list.parse(await get('/v1/messages?limit=20')).result;
  let mostMb = 0;
  const client = async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await get('/v1/messages?limit=20');
      await get(`/v1/messages/${messages[round % messages.length]?.id}`);
      if (round % 10 === 0) mostMb = Math.max(mostMb, memoryMb(server.pid));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await server.stop('SIGTERM');
  expect(mostMb).toBeGreaterThan(0);
  expect(mostMb).toBeLessThan(LIMIT_MB);
});

/** Of a process and those that it started: what they share counts once. */
function memoryMb(root: number | undefined): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const stat = textOf(`/proc/${name}/stat`);
    // The name of the program, in brackets, may contain anything.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    parents.set(Number(name), Number(parent));
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parents.get(pid)));
  const kb = [...parents.keys()].filter(isBelow).map((pid) => {
    const [, pss = '0'] = /^Pss:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/smaps_rollup`)) ?? [];
    return Number(pss);
  });
  return kb.reduce((sum, one) => sum + one, 0) / 1024;
}

/** Empty if the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
