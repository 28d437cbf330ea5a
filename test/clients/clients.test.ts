import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolCall } from '../../core/gate/tool-call.ts';
import { ROOT } from '../docs/documents.ts';
import { openSignInHost, requestIn, type SignInHost } from '../hosts/sign-in/open-sign-in-host.ts';
import { testClock } from '../open-service.ts';
import { nodeBinaries } from '../package/node-binaries.ts';
import { hasRegistry } from '../package/npm.ts';
import { bundleForChild } from '../run-typescript.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { until } from '../until.ts';
import {
  type ClientProcess,
  type Door,
  installClient,
  type RunningCall,
  removeClient,
  startClient,
} from './client-process.ts';
import { CLIENT_PAGE, pageWith } from './client-table.ts';
import { CHECKS, type Check, CLIENTS, versionOf } from './tried-clients.ts';

// Clients of others, each installed from npm in a project of its own, at both doors and by `countersign mcp`.

const missing = (await hasRegistry()) ? [] : ['the npm registry'];
const WAIT_S = 25;
/** Longer than an access token lasts. */
const TOKEN_MS = 61 * 60_000;

let host: SignInHost;
let bridge: string;
/** The calls of this client that wait now. */
let waiting = new Set<ToolCall>();
/** The revisions that this client has named, and its requests for tokens. */
let revisions = new Set<string>();
let tokenRequests = 0;

function observe(event: unknown): void {
  const { request } = event as { request: IncomingMessage };
  const revision = request.headers['mcp-protocol-version'];
  if (typeof revision === 'string' && request.url === '/mcp') revisions.add(revision);
  if (request.url === '/token') tokenRequests += 1;
}

beforeAll(async () => {
  const clock = testClock();
  host = await openSignInHost({
    // Only an end or a cancellation ends a wait.
    clock: { ...clock, after: (ms, task) => (ms === WAIT_S * 1000 ? () => {} : clock.after(ms, task)) },
    limits: { filedPerDay: 1000, waitingPerKey: 1000, waitingPerOwner: 1000 },
    between: (service) => ({
      ...service,
      calls: {
        ...service.calls,
        runTool(caller, call) {
          const calls = waiting;
          if (call.tool === 'get_approval') calls.add(call);
          return service.calls.runTool(caller, call).finally(() => calls.delete(call));
        },
      },
    }),
  });
  bridge = await bundleForChild(join(ROOT, 'hosts/stdio/main.ts'), 'bundle');
  if (missing.length === 0) await nodeBinaries();
  subscribe('http.server.request.start', observe);
});
afterAll(async () => {
  unsubscribe('http.server.request.start', observe);
  await host.close();
});

/** Does what the owner does in the browser. @returns the address to which the browser returns */
async function letIn(page: string): Promise<string> {
  const { ownerId, service } = host;
  const request = requestIn(await fetch(page, { redirect: 'manual' }));
  const allowed = await service.signIns.allow({ ownerId, request, preset: 'full', days: 30 });
  if (allowed === undefined) throw new Error(`nobody is asked at ${page}`);
  return allowed.goTo;
}

let letters = 0;

/** Asks for a letter. @returns the id of its approval */
async function ask(client: ClientProcess): Promise<string> {
  letters += 1;
  const letter = { to: ['ada@example.org'], subject: `Letter ${letters}`, body: 'Hello.' };
  expect(await client.call('send_email', letter).answer).toContain('pending_approval');
  const { approvals } = await host.service.approvals.list(host.ownerId, { state: 'open', limit: 1 });
  const [newest] = approvals;
  return newest?.approval.id ?? 'none';
}

async function read(client: ClientProcess): Promise<void> {
  expect(await client.call('list_accounts').answer).toContain('owner@example.org');
}

/** A call that waits for the owner. */
async function waitingCall(client: ClientProcess): Promise<{ id: string; call: RunningCall }> {
  const id = await ask(client);
  const call = client.call('get_approval', { approval_id: id, wait_s: WAIT_S });
  await until(() => waiting.size === 1);
  return { id, call };
}

/** @param isDue  what the owner waits for before they decide */
async function wait(client: ClientProcess, isDue = (_call: RunningCall) => true): Promise<void> {
  const { id, call } = await waitingCall(client);
  await until(() => isDue(call));
  await host.service.approvals.reject(host.ownerId, id);
  expect(await call.answer).toContain('rejected');
}

async function cancel(client: ClientProcess): Promise<void> {
  const { id, call } = await waitingCall(client);
  await call.abort();
  const returned = await call.answer.catch(() => 'nothing');
  expect(returned).not.toContain(id);
  await until(() => waiting.size === 0);
  await read(client);
}

const held = new Map<string, Set<Check>>();

for (const client of CLIENTS) {
  describe.skipIf(missing.length > 0)(titledWithout(missing, `${client.name} ${versionOf(client)}`), () => {
    let project: string;
    let running: ClientProcess;
    const started: ClientProcess[] = [];
    const start = async (door: Door) => {
      running = await startClient(client, project, letIn);
      started.push(running);
      await running.connect(door);
    };
    beforeAll(async () => {
      revisions = new Set();
      waiting = new Set();
      project = await installClient(client);
    });
    afterAll(async () => {
      for (const one of started) one.kill();
      await removeClient(project);
    });

    const holds = (check: Check, prove: () => Promise<void>) =>
      it.skipIf(client.lacks?.includes(check))(CHECKS[check], async () => {
        await prove();
        held.set(client.name, (held.get(client.name) ?? new Set()).add(check));
      });

    holds('connect', async () => {
      const { apiKey } = await host.addKey('full');
      await start({ url: `${host.apiUrl}/mcp`, key: apiKey });
    });
    holds('list', async () => expect(await running.list()).toContain('send_email'));
    holds('call', async () => {
      await read(running);
      await ask(running);
    });
    holds('wait', () => wait(running));
    holds('progress', () => wait(running, ({ reports }) => reports > 0));
    holds('cancel', () => cancel(running));
    holds('signIn', async () => {
      await running.close();
      await start({ url: `${host.mcpUrl}/mcp` });
      await read(running);
    });
    holds('refresh', async () => {
      const before = tokenRequests;
      host.clock.shift(TOKEN_MS);
      await read(running);
      expect(tokenRequests).toBe(before + 1);
    });
    holds('command', async () => {
      const { apiKey } = await host.addKey('full');
      const env = { COUNTERSIGN_BASE_URL: host.apiUrl, COUNTERSIGN_API_KEY: apiKey };
      await start({ command: { command: process.execPath, args: [bridge], env } });
      expect(await running.list()).toContain('send_email');
      await read(running);
      await wait(running);
    });
    it('speaks the revision of the table', () => expect([...revisions]).toEqual([client.revision]));
  });
}

// To write it: COUNTERSIGN_TESTS=long npm test -- test/clients/clients.test.ts --update
it.skipIf(missing.length > 0)(`the table of ${CLIENT_PAGE} says what this run saw`, async () => {
  const page = pageWith(({ name }, check) => held.get(name)?.has(check) === true);
  await expect(page).toMatchFileSnapshot(join(ROOT, CLIENT_PAGE));
});
