import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Child, startChild } from './child.ts';
import { alternate, median } from './rounds.ts';
import {
  getRequest,
  type Load,
  loadOn,
  type Repeated,
  type ServerAnswer,
  serverAnswer,
} from './server-load.ts';
import type { Row } from './table.ts';

const ROUNDS = 11;
const ROUND_MS = 600;
const WARM_MS = 3000;
/** As many as one key may have. */
const WAITS = 10;
const WATCHED_MS = 10_000;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A message of revision 2025-11-25. */
function message(method: string, params: object): Repeated {
  return { path: '/mcp', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers: {} };
}

/** A call of revision 2026-07-28. */
function statelessCall(name: string): Repeated {
  const headers = {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
  };
  return { ...message('tools/call', { name, arguments: {}, _meta: META }), headers };
}

/** The same call through both doors. */
const PAIRS: readonly { name: string; rest: Repeated; mcp: Repeated }[] = [
  {
    name: 'tools/call get_me, against GET /v1/me',
    rest: getRequest('/v1/me'),
    mcp: message('tools/call', { name: 'get_me', arguments: {} }),
  },
  {
    name: 'the same by revision 2026-07-28',
    rest: getRequest('/v1/me'),
    mcp: statelessCall('get_me'),
  },
  {
    name: 'tools/call summarize_inbox, against GET /v1/messages?limit=20',
    rest: getRequest('/v1/messages?limit=20'),
    mcp: message('tools/call', { name: 'summarize_inbox', arguments: { limit: 20 } }),
  },
  {
    name: 'tools/list, against GET /v1/tools',
    rest: getRequest('/v1/tools'),
    mcp: message('tools/list', {}),
  },
];

/** The tool protocol against REST: the same calls under the load of 8 clients, and the cost of waiting. */
export async function toolDoor(): Promise<Row[]> {
  const gate = startChild('gate');
  const load = startChild('load');
  try {
    const rows: Row[] = [];
    for (const pair of PAIRS) rows.push(...(await compared(gate, load, pair)));
    rows.push(await waiting(gate));
    return rows;
  } finally {
    await Promise.all([gate.stop(), load.stop()]);
  }
}

async function compared(gate: Child, load: Child, pair: (typeof PAIRS)[number]): Promise<Row[]> {
  const [overRest, overMcp] = [pair.rest, pair.mcp].map((request) => loadOn(gate, {}, load, request));
  if (overRest === undefined || overMcp === undefined) throw new Error('a pair has two requests');
  await overRest(WARM_MS);
  await overMcp(WARM_MS);
  const cpu: { rest: number[]; mcp: number[] } = { rest: [], mcp: [] };
  const msPerCall = (list: number[], { callsPerS, cpuUs }: Load) => {
    list.push(cpuUs);
    return 1000 / callsPerS;
  };
  const wall = await alternate(
    ROUNDS,
    async () => msPerCall(cpu.rest, await overRest(ROUND_MS)),
    async () => msPerCall(cpu.mcp, await overMcp(ROUND_MS)),
  );
  const [reference, ours] = [median(cpu.rest), median(cpu.mcp)];
  const bound = { most: 1.3 };
  return [
    { name: pair.name, unit: 'ms', ...wall, bound },
    { name: '  CPU time per call', unit: 'µs', ours, reference, ratio: ours / reference, bound },
  ];
}

const filed = z.looseObject({ approval: z.looseObject({ id: z.string() }) });

/** CPU time of the server per second while calls of get_approval wait, against the same time without. */
async function waiting(gate: Child): Promise<Row> {
  const server = await gate.ask({}, serverAnswer);
  const id = await fileRequest(server);
  const reference = await cpuMsPerS(gate);
  const hangUp = new AbortController();
  const waits = Array.from({ length: WAITS }, () =>
    request(server, `/v1/approvals/${id}?wait_s=25`, { signal: hangUp.signal }),
  );
  const ended = Promise.allSettled(waits);
  await sleep(1000);
  const ours = await cpuMsPerS(gate);
  hangUp.abort();
  await ended;
  return { name: `CPU time per second while ${WAITS} calls wait, against none`, unit: 'ms', ours, reference };
}

async function cpuMsPerS(gate: Child): Promise<number> {
  const before = await gate.ask({}, serverAnswer);
  await sleep(WATCHED_MS);
  const after = await gate.ask({}, serverAnswer);
  return (after.cpuMs - before.cpuMs) / (WATCHED_MS / 1000);
}

async function fileRequest(server: ServerAnswer): Promise<string> {
  const body = JSON.stringify({ to: ['ada@example.org'], subject: 'Hello', body: 'Hello.' });
  const answer = await request(server, '/v1/messages', { method: 'POST', body });
  return filed.parse(await answer.json()).approval.id;
}

function request({ port, apiKey }: ServerAnswer, path: string, init: RequestInit): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
}
