import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type RestServer, restServer } from '../rest/rest-server.ts';

// The program of the .mcpb bundle, which is `countersign mcp`, as the official client starts it, in front of a real
// server.

const REVISIONS: readonly [string, ClientOptions][] = [
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
];

const ROOT = resolve(import.meta.dirname, '../../..');

type Env = Record<string, string>;
const manifestFile = z.looseObject({
  version: z.string(),
  server: z.looseObject({
    mcp_config: z.looseObject({
      command: z.literal('node'),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  user_config: z.record(z.string(), z.looseObject({ sensitive: z.boolean().optional() })),
});

let server: RestServer;
let folder: string;
let manifest: z.infer<typeof manifestFile>;
beforeAll(async () => {
  server = await restServer();
  folder = mkdtempSync(join(tmpdir(), 'countersign-mcpb-'));
  const bundle = join(folder, 'countersign.mcpb');
  execFileSync(process.execPath, [join(ROOT, 'hosts/stdio/mcpb/build.mjs'), bundle]);
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(bundle)))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  manifest = manifestFile.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

/** Fills in what a desktop client fills in. */
function filledIn(text: string): string {
  return text
    .replaceAll(/\$\{__dirname\}/g, folder)
    .replaceAll(/\$\{user_config\.base_url\}/g, `http://127.0.0.1:${server.port}`)
    .replaceAll(/\$\{user_config\.api_key\}/g, server.apiKey);
}

const script = () => manifest.server.mcp_config.args.map(filledIn);

const environment = (changes: Env = {}): Env => ({
  PATH: process.env.PATH ?? '',
  ...Object.fromEntries(
    Object.entries(manifest.server.mcp_config.env).map(([name, text]) => [name, filledIn(text)]),
  ),
  ...changes,
});

const pending = z.looseObject({ approval: z.looseObject({ id: z.string() }) });
let letters = 0;

function letter() {
  letters += 1;
  return { to: ['ada@example.org'], subject: `Letter ${letters}`, body: 'Hello.' };
}

it('the manifest of the bundle is valid, and keeps the key secret', () => {
  // From @anthropic-ai/mcpb 2.1.2, which validates bundles by it.
  const schema = readFileSync(join(import.meta.dirname, 'mcpb-manifest-v0.3.schema.json'), 'utf8');
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(schema));
  expect([validate(manifest), validate.errors]).toEqual([true, null]);
  expect(manifest.user_config.api_key?.sensitive).toBe(true);
  expect(manifest.version).toBe(
    z.looseObject({ version: z.string() }).parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')))
      .version,
  );
});

describe.each(REVISIONS)('countersign mcp, with a client of revision %s', (revision, options) => {
  let client: Client;
  beforeAll(async () => {
    client = new Client({ name: 'test', version: '1.0.0' }, options);
    const command = { command: process.execPath, args: script() };
    await client.connect(new StdioClientTransport({ ...command, env: environment(), cwd: folder }));
  });
  afterAll(() => client.close());

  it('speaks the revision of the client, and lists what the key may do', async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getInstructions()).toContain('pending_approval');
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/tools`, {
      headers: { authorization: `Bearer ${server.apiKey}` },
    });
    expect({ tools: (await client.listTools()).tools }).toEqual(await response.json());
  });

  it('passes calls on, with what is in _meta', async () => {
    const meta = { 'countersign/idempotency-key': `once-${revision}` };
    const call = { name: 'send_email', arguments: letter(), _meta: meta };
    const first = await client.callTool(call);
    const again = await client.callTool(call);
    expect(first).toMatchObject({ isError: false, structuredContent: { status: 'pending_approval' } });
    expect(again.structuredContent).toEqual(first.structuredContent);
    expect(again._meta?.['countersign/idempotent-replayed']).toBe(true);
  });

  it('passes on errors of the protocol', async () => {
    await expect(client.callTool({ name: 'send_everything', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('reports progress, and the decision', async () => {
    const filed = await client.callTool({ name: 'send_email', arguments: letter() });
    const { id } = pending.parse(filed.structuredContent).approval;
    const call = { name: 'get_approval', arguments: { approval_id: id, wait_s: 25 } };
    let report = (_value: unknown): void => {};
    const reported = new Promise((resolve) => {
      report = resolve;
    });
    const waiting = client.callTool(call, { onprogress: report });
    expect(await reported).toMatchObject({ progress: 0, total: 25 });
    await server.service.approvals.reject(server.ownerId, id);
    expect((await waiting).structuredContent).toMatchObject({ result: { approval: { state: 'rejected' } } });
  });

  it('cancels a call, and continues', async () => {
    const filed = await client.callTool({ name: 'send_email', arguments: letter() });
    const { id } = pending.parse(filed.structuredContent).approval;
    const abort = new AbortController();
    const call = { name: 'get_approval', arguments: { approval_id: id, wait_s: 25 } };
    const waiting = client.callTool(call, { signal: abort.signal, onprogress: () => abort.abort() });
    await expect(waiting).rejects.toThrow();
    expect(await client.callTool({ name: 'get_me', arguments: {} })).toMatchObject({ isError: false });
  });
});

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line of stdout, as JSON. */
  answer(): Promise<unknown>;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function start(env: Env): Started {
  const child = spawn(process.execPath, script(), { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr, read] = ['', '', 0];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return {
    child,
    async answer() {
      await expect.poll(() => stdout.indexOf('\n', read)).toBeGreaterThan(-1);
      const end = stdout.indexOf('\n', read);
      const line = stdout.slice(read, end);
      read = end + 1;
      return JSON.parse(line);
    },
    ended: new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    }),
  };
}

const LIST = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n';

describe('the process', () => {
  it('answers what was asked before stdin closed, then ends with 0, and writes nothing else', async () => {
    const { child, ended } = start(environment());
    child.stdin.end(LIST);
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(stdout)).toMatchObject({ id: 7, result: {} });
  });

  it('ends with 0 on SIGTERM while a call waits', async () => {
    const { child, answer, ended } = start(environment());
    const call = (id: number, name: string, args: object, meta = {}) =>
      child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta: meta } })}\n`,
      );
    call(1, 'send_email', letter());
    const filed = z
      .looseObject({ result: z.looseObject({ structuredContent: pending }) })
      .parse(await answer());
    const { id } = filed.result.structuredContent.approval;
    call(2, 'get_approval', { approval_id: id, wait_s: 25 }, { progressToken: 'p' });
    expect(await answer()).toMatchObject({ method: 'notifications/progress' });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('answers a line that is not JSON, an unknown method, and a batch', async () => {
    const { child, answer } = start(environment());
    child.stdin.write('hello\n\n');
    expect(await answer()).toMatchObject({ id: null, error: { code: -32700 } });
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"resources/list"}\n');
    expect(await answer()).toMatchObject({ id: 1, error: { code: -32601 } });
    child.stdin.write(`[${LIST.trim()}]\n`);
    expect(await answer()).toMatchObject({ id: 7, result: {} });
  });

  it('takes the key from a file that only its owner can read', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${server.apiKey}\n`, { mode: 0o600 });
    const env = environment({ COUNTERSIGN_API_KEY: '', COUNTERSIGN_API_KEY_FILE: file });
    const { child, answer } = start(env);
    child.stdin.write(LIST);
    expect(await answer()).toMatchObject({ id: 7, result: {} });

    chmodSync(file, 0o640);
    const refused = await start(env).ended;
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe(
      `countersign mcp: COUNTERSIGN_API_KEY_FILE: ${file} can be read by other users. Run: chmod 600 ${file}\n`,
    );
  });

  it.each<[string, Env, RegExp]>([
    [
      'no key',
      { COUNTERSIGN_API_KEY: '' },
      /^countersign mcp: There is no key\. Create one on the dashboard/,
    ],
    ['two keys', { COUNTERSIGN_API_KEY_FILE: '/nowhere' }, /not both/],
    ['half a key', { COUNTERSIGN_API_KEY: 'svc_pat_abc' }, /COUNTERSIGN_API_KEY: this is not a key/],
    [
      'a missing file',
      { COUNTERSIGN_API_KEY: '', COUNTERSIGN_API_KEY_FILE: '/nowhere' },
      /\/nowhere cannot be read \(ENOENT\)/,
    ],
    ['no address', { COUNTERSIGN_BASE_URL: 'localhost:8787' }, /COUNTERSIGN_BASE_URL: must be the address/],
  ])('ends with 1 and one line: %s', async (_what, changes, words) => {
    const { code, stdout, stderr } = await start(environment(changes)).ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(words);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stderr).not.toContain('svc_pat_abc');
  });
});

describe('a server that does not serve the bridge: one line on stderr, and an error for the client', () => {
  async function refusal(changes: Env): Promise<string> {
    const { child, answer, ended } = start(environment(changes));
    child.stdin.write(LIST);
    const first = z.looseObject({ error: z.looseObject({ message: z.string() }) }).parse(await answer());
    child.stdin.end(LIST);
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    // The second failure is the same, and is not reported again.
    expect(stderr).toBe(`countersign mcp: ${first.error.message}\n`);
    expect(stderr).not.toContain(server.apiKey);
    return stderr;
  }

  it('is not running', async () => {
    expect(await refusal({ COUNTERSIGN_BASE_URL: 'http://127.0.0.1:1' })).toMatch(
      /No server answers at http:\/\/127\.0\.0\.1:1 \(\w+\)\. Start it with "countersign serve"/,
    );
  });

  it('refuses the key', async () => {
    const { keyId, apiKey } = await server.service.keys.create({
      ...{ ownerId: server.ownerId, name: 'revoked', preset: 'read' },
    });
    await server.service.keys.revoke(server.ownerId, keyId);
    expect(await refusal({ COUNTERSIGN_API_KEY: apiKey })).toContain('refuses the key');
  });

  it('has another address', async () => {
    const other = createServer((_req, res) => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ COUNTERSIGN_BASE_URL: `http://127.0.0.1:${port}` })).toContain(
      'is not the tool door of Countersign (HTTP 302)',
    );
    expect(await refusal({ COUNTERSIGN_BASE_URL: `http://127.0.0.2:${server.port}` })).toMatch(
      /Set COUNTERSIGN_BASE_URL|No server answers/,
    );
  });
});

it('a refusal that passes is not for the user: only the client gets it', async () => {
  const busy = createServer((_req, res) =>
    res.writeHead(429).end('{"status":"error","code":"rate_limited","message":"Too many calls."}'),
  );
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void busy.close());
  const { port } = busy.address() as AddressInfo;
  const { child, answer, ended } = start(environment({ COUNTERSIGN_BASE_URL: `http://127.0.0.1:${port}` }));
  child.stdin.end(LIST);
  expect(await answer()).toMatchObject({
    id: 7,
    error: { message: 'rate_limited: Too many calls.', data: { code: 'rate_limited' } },
  });
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});
