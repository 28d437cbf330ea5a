import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { hold } from '../../hold.ts';
import { NO_LIMITS } from '../../lab/bench/no-limits.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { caller, listTools, openSignInHost, type SignInHost, signedIn } from './open-sign-in-host.ts';

// Clients that hang up in the middle of a send, and requests for what does not exist, at the door for sign-ins, at the
// door for keys and by stdio.

const FRIEND = 'maya@atlas.example';

let host: SignInHost;
let bridge: string;
/** How often a message was handed over. */
let sends = 0;
let held = hold();
beforeAll(async () => {
  const mail = sandboxMail();
  host = await openSignInHost({
    // A place that is not given back would fail every later call.
    limits: { ...NO_LIMITS, concurrentCalls: 1 },
    mail: {
      ...mail,
      async transmit(call, message, start) {
        sends += 1;
        await held.wait();
        return mail.transmit(call, message, start);
      },
    },
  });
  bridge = await bundleForChild(join(import.meta.dirname, '../../../hosts/stdio/main.ts'));
});
afterAll(() => host.close());
beforeEach(() => {
  sends = 0;
  held = hold();
});

let letters = 0;

/** A send that runs at once, as the body of a request. */
function send(): string {
  letters += 1;
  const args = { to: [FRIEND], subject: `Letter ${letters}`, body: `Letter ${letters}.` };
  const params = { name: 'send_email', arguments: args };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

function post(url: string, token: string, body: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...caller(),
  };
  return fetch(`${url}/mcp`, { method: 'POST', headers, body, ...init });
}

const DIRECT = { 'mail:send': 'direct' } as const;

const token = async () => (await signedIn(host, { preset: 'full', modes: DIRECT })).access_token;
const apiKey = async () => (await host.addKey('full', DIRECT)).apiKey;

/** The send continues without its caller, once, and the next call of the same credential is admitted. */
async function expectSent(next: () => Promise<Response>): Promise<void> {
  held.letGo();
  const newest = async () =>
    (await host.service.approvals.list(host.ownerId, { state: 'all', limit: 1 })).approvals[0]?.approval
      .state;
  await expect.poll(newest).toBe('executed');
  expect(sends).toBe(1);
  await expect.poll(async () => (await next()).status).toBe(200);
}

describe('a client that hangs up in the middle of a send', () => {
  it.each(['mcpUrl', 'apiUrl'] as const)('does not stop it, at %s', async (door) => {
    const secret = door === 'mcpUrl' ? await token() : await apiKey();
    const caller = new AbortController();
    const answer = post(host[door], secret, send(), { signal: caller.signal });
    await held.underWay;
    caller.abort();
    await expect(answer).rejects.toThrow();
    await expectSent(() => post(host[door], secret, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'));
  });

  it.each(['SIGKILL', 'SIGTERM', 'closed stdout'] as const)('does not stop it, by stdio: %s', async (how) => {
    const key = await apiKey();
    const env = { PATH: process.env.PATH, COUNTERSIGN_API_KEY: key, COUNTERSIGN_BASE_URL: host.apiUrl };
    const child = spawn(process.execPath, [bridge], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin.write(`${send()}\n`);
    await held.underWay;
    if (how === 'closed stdout') child.stdout.destroy();
    else child.kill(how);
    await expectSent(() => post(host.apiUrl, key, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'));
  });
});

describe('the door for sign-ins', () => {
  it.each(['resources/list', 'prompts/get', 'tasks/list', 'tools/delete', 'logging/setLevel', '__proto__'])(
    'has no method %s, and the next call is admitted',
    async (method) => {
      const secret = await token();
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });
      const text = await (await post(host.mcpUrl, secret, body)).text();
      expect(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)).toMatchObject({
        id: 1,
        error: { code: -32601 },
      });
      expect((await listTools(host, secret)).status).toBe(200);
    },
  );

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('answers %s with 405', async (method) => {
    const headers = { authorization: `Bearer ${await token()}`, ...caller() };
    const answer = await fetch(`${host.mcpUrl}/mcp`, { method, headers });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
