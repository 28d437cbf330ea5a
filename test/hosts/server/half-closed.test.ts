import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../../core/gate/tool-call.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { certificateIn } from '../../../hosts/server/listeners/certificate.ts';
import { listen, type WebServer, type WebServerOptions } from '../../../hosts/server/listeners/web-server.ts';
import { HANG_MS } from '../../hang.ts';
import { openTestService, silentLog, type TestKey, type TestService, testClock } from '../../open-service.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { eventually } from '../../until.ts';

// A client that closes its sending side after its request (RFC 9112, 9.6), before it has its answer.

const HOST = '127.0.0.1';
const PROGRESS_MS = 5000;

async function listening(options: WebServerOptions = {}): Promise<WebServer> {
  const web = await listen(HOST, 0, options);
  onTestFinished(() => web.stop(0));
  return web;
}

async function listeningWithTls(): Promise<WebServer> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-half-closed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { certFile, keyFile } = await makeCertificate(folder);
  const certificate = certificateIn(certFile, keyFile, silentLog);
  return listening({ certificate, limits: { headMs: 2 * HANG_MS } });
}

interface Doors extends TestService {
  readonly web: WebServer;
  readonly key: TestKey;
  /** The answers of the tools that were called. */
  readonly answers: readonly Promise<Answer>[];
}

/**
 * All doors behind one listener.
 * @param waitsForEnd  each request is answered once its client has closed its sending side
 * @param progressMs  between two reports of a wait
 */
async function openDoors({ waitsForEnd = false, progressMs = PROGRESS_MS } = {}): Promise<Doors> {
  const web = await listening();
  const url = `http://${HOST}:${web.port}`;
  const clock = testClock();
  const opened = await openTestService({
    baseUrl: url,
    dashboardUrl: url,
    clock: { ...clock, every: (ms, task) => clock.every(ms === PROGRESS_MS ? progressMs : ms, task) },
  });
  const { service } = opened;
  onTestFinished(() => service.stop());
  const answers: Promise<Answer>[] = [];
  const { calls } = service;
  const handler = nodeHandler({
    ...service,
    calls: {
      ...calls,
      runTool(caller, call) {
        const answer = calls.runTool(caller, call);
        answers.push(answer);
        return answer;
      },
    },
  });
  web.answerWith((req, res) => {
    if (waitsForEnd) req.socket.once('end', () => handler(req, res));
    else handler(req, res);
  });
  return { ...opened, web, key: await opened.addKey('full'), answers };
}

function requestText(
  { port }: WebServer,
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const all = { Host: `${HOST}:${port}`, 'Content-Length': Buffer.byteLength(body), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function toolCall({ web, key }: Doors, name: string, args = {}, meta = {}): string {
  const headers = {
    Authorization: `Bearer ${key.apiKey}`,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
  };
  const params = { name, arguments: args, _meta: meta };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return requestText(web, 'POST /mcp', headers, JSON.stringify(message));
}

/** A call that waits until the request has ended. */
function waitFor({ web, key }: Doors, id: string): string {
  return requestText(web, `GET /v1/approvals/${id}?wait_s=25`, { Authorization: `Bearer ${key.apiKey}` });
}

function open(port: number): Socket {
  const socket = connect({ port, host: HOST, allowHalfOpen: true });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends a request, closes the sending side, and reads until the server closes its own. */
function halfClosed(port: number, request: string): Promise<string> {
  const socket = open(port);
  socket.end(request);
  return text(socket);
}

async function fileSend({ key }: Doors): Promise<string> {
  const letter = { to: ['ada@example.net'], subject: 'Hello', body: 'Hello Ada' };
  const outcome = await key.call('send_email', letter);
  if (outcome.status !== 'pending_approval') throw new Error(`it does not wait: ${outcome.status}`);
  return outcome.approval.id;
}

/** A half-closed connection whose request is not answered before `finish`. */
async function heldHalfClosed(web: WebServer): Promise<{ answer: Promise<string>; finish(): void }> {
  let finish = (): void => {};
  const ended = new Promise<void>((resolve) => {
    web.answerWith((req, res) => {
      finish = () => res.end('done');
      req.socket.once('end', resolve);
    });
  });
  const answer = halfClosed(web.port, requestText(web, 'GET /'));
  await ended;
  return { answer, finish };
}

/** Resolves once the client of the next connection has closed its sending side. */
async function nextHalfClosed({ server }: WebServer): Promise<void> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  await once(socket, 'end');
}

function connections({ server }: WebServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

describe('a client that closes its sending side', () => {
  it('gets the answer of the REST API', async () => {
    const doors = await openDoors({ waitsForEnd: true });
    const body = JSON.stringify({ to: ['ada@example.net'], subject: 'Hello', body: 'Hello Ada' });
    const headers = { Authorization: `Bearer ${doors.key.apiKey}`, 'Content-Type': 'application/json' };
    const answer = await halfClosed(
      doors.web.port,
      requestText(doors.web, 'POST /v1/messages', headers, body),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 202 [\s\S]*"pending_approval"/);
  });

  it('gets the answer of the tool protocol', async () => {
    const doors = await openDoors({ waitsForEnd: true });
    const answer = await halfClosed(doors.web.port, toolCall(doors, 'get_me'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"structuredContent"/);
  });

  it('gets the page of the dashboard', async () => {
    const { web } = await openDoors({ waitsForEnd: true });
    const form = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Origin: `http://${HOST}:${web.port}`,
    };
    const answer = await halfClosed(
      web.port,
      requestText(web, 'POST /sign-in', form, 'email=a%40example.org&password=wrong'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*<\/html>/);
  });

  it('gets the answer over TLS', async () => {
    const web = await listeningWithTls();
    web.answerWith((req, res) => void req.socket.once('end', () => setImmediate(() => res.end('done'))));
    const socket = connectTls({ socket: open(web.port), rejectUnauthorized: false });
    socket.end(requestText(web, 'GET /'));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*done$/);
    await eventually(async () => expect(await connections(web)).toBe(0));
  });

  it('gets the answers to all requests that it sent', async () => {
    const web = await listening();
    const ended = nextHalfClosed(web);
    web.answerWith((req, res) => void ended.then(() => res.end(`answer to ${req.url}`)));
    const answers = await halfClosed(web.port, requestText(web, 'GET /1') + requestText(web, 'GET /2'));
    expect(answers.match(/answer to \S\d/g)).toEqual(['answer to /1', 'answer to /2']);
  });

  it('between two requests has its connection closed', async () => {
    const web = await listening();
    web.answerWith((_req, res) => res.end('done'));
    const socket = open(web.port);
    socket.write(requestText(web, 'GET /'));
    await once(socket, 'data');
    socket.end();
    await once(socket.resume(), 'end');
  });

  it('before its TLS handshake has its connection closed', async () => {
    const web = await listeningWithTls();
    const socket = open(web.port);
    socket.end();
    await once(socket.resume(), 'close');
    await eventually(async () => expect(await connections(web)).toBe(0));
  });

  it('can wait for its answer', async () => {
    const doors = await openDoors();
    const id = await fileSend(doors);
    const ended = nextHalfClosed(doors.web);
    const answer = halfClosed(doors.web.port, waitFor(doors, id));
    await ended;
    await doors.service.approvals.reject(doors.ownerId, id);
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"rejected"/);
  });

  it('is answered before the server stops', async () => {
    const web = await listening();
    const { answer, finish } = await heldHalfClosed(web);
    const stopped = web.stop(HANG_MS);
    finish();
    expect(await answer).toMatch(/done$/);
    await stopped;
  });

  it('does not keep the server from stopping in time', async () => {
    const web = await listening();
    const { answer } = await heldHalfClosed(web);
    await web.stop(1);
    expect(await answer).toBe('');
  });
});

describe('a client that is gone', () => {
  it('ends its wait if it resets its connection', async () => {
    const doors = await openDoors();
    const id = await fileSend(doors);
    const socket = open(doors.web.port);
    socket.write(waitFor(doors, id));
    await eventually(() => expect(doors.answers).toHaveLength(1));
    socket.resetAndDestroy();
    expect(await doors.answers[0]).toMatchObject({ outcome: { status: 'pending_approval' } });
  });

  it('ends its wait at the first reports that do not reach it', async () => {
    const doors = await openDoors({ progressMs: 20 });
    const id = await fileSend(doors);
    const socket = open(doors.web.port);
    socket.write(toolCall(doors, 'get_approval', { approval_id: id, wait_s: 25 }, { progressToken: 1 }));
    await once(socket, 'data');
    socket.destroy();
    expect(await doors.answers[0]).toMatchObject({ outcome: { status: 'pending_approval' } });
  });

  it('leaves no connection behind after its answer', async () => {
    const doors = await openDoors();
    const id = await fileSend(doors);
    const ended = nextHalfClosed(doors.web);
    const socket = open(doors.web.port);
    socket.write(waitFor(doors, id), () => socket.destroy());
    await ended;
    await doors.service.approvals.reject(doors.ownerId, id);
    await eventually(async () => expect(await connections(doors.web)).toBe(0));
  });
});
