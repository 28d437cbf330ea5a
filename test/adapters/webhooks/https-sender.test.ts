import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import type { WebhookSender } from '../../../core/ports/webhook-sender.ts';
import { makeCertificate } from '../../servers/certificate.ts';

describe('httpsSender', () => {
  let folder: string;
  let ca: string;
  let server: Server;
  let port: number;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let connections = 0;
  const requests: {
    readonly method: string | undefined;
    readonly headers: unknown;
    readonly body: string;
  }[] = [];
  const senders: WebhookSender[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-webhooks-'));
    const { certFile, keyFile } = await makeCertificate(folder);
    ca = readFileSync(certFile, 'utf8');
    server = createServer({ cert: ca, key: readFileSync(keyFile) }, (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.once('end', () => {
        const { method, headers } = request;
        requests.push({ method, headers, body: Buffer.concat(pieces).toString() });
        answer(request, response);
      });
    });
    server.on('connection', () => {
      connections += 1;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    for (const sender of senders.splice(0)) await sender.close();
    requests.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  const open = (options: Parameters<typeof httpsSender>[0] = {}) => {
    const sender = httpsSender({ allowPrivateTargets: ['localhost'], ca, ...options });
    senders.push(sender);
    return (path = '/hook', { timeLimitMs = 10_000, origin = `https://localhost:${port}` } = {}) =>
      sender.post({
        url: `${origin}${path}`,
        headers: { 'content-type': 'application/json', 'service-event-type': 'webhook.test' },
        body: Buffer.from('{"id":"evt_1"}'),
        timeLimitMs,
        signal: new AbortController().signal,
      });
  };

  it('posts the bytes with the headers, and reports status and the beginning of the answer', async () => {
    answer = (_request, response) => response.writeHead(202, { 'retry-after': '7' }).end('noted');
    expect(await open()('/hook?a=b')).toEqual({
      kind: 'answered',
      status: 202,
      retryAfter: '7',
    });
    expect(requests).toMatchObject([
      {
        method: 'POST',
        body: '{"id":"evt_1"}',
        headers: {
          'content-type': 'application/json',
          'content-length': '14',
          'service-event-type': 'webhook.test',
          host: `localhost:${port}`,
        },
      },
    ]);
  });

  it('does not follow a redirect', async () => {
    answer = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    expect(await open()()).toMatchObject({ kind: 'answered', status: 302 });
    expect(requests).toHaveLength(1);
  });

  it('keeps the connection for the next request', async () => {
    answer = (_request, response) => response.writeHead(204).end();
    const post = open();
    const before = connections;
    for (let n = 0; n < 3; n++) await post();
    expect(connections - before).toBe(1);
  });

  it('posts again at once if the receiver closed the kept connection meanwhile', async () => {
    const post = open();
    answer = (_request, response) => response.writeHead(204).end();
    await post();
    let first = true;
    answer = (request, response) => {
      if (first) request.socket.destroy();
      else response.writeHead(200).end();
      first = false;
    };
    expect(await post()).toMatchObject({ kind: 'answered', status: 200 });
  });

  it.each([
    ['the host has a private address', { allowPrivateTargets: [] }],
    [
      'one of the addresses is private',
      { allowPrivateTargets: [], addressesOf: async () => ['192.0.78.9', '10.0.0.1'] },
    ],
    [
      'an IPv6 embeds a private IPv4',
      { allowPrivateTargets: [], addressesOf: async () => ['::ffff:127.0.0.1'] },
    ],
  ])('sends nothing if %s', async (_title, options) => {
    const before = connections;
    const end = await open(options)();
    expect(end).toMatchObject({ kind: 'unanswered', reason: expect.stringContaining('private') });
    expect(connections).toBe(before);
  });

  it.each([
    'https://127.0.0.1',
    'https://[::1]',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::ffff:7f00:1]',
  ])('sends nothing to %s, however its address is written', async (host) => {
    const before = connections;
    expect(await open({ allowPrivateTargets: [] })('/', { origin: `${host}:${port}` })).toMatchObject({
      reason: expect.stringContaining('private'),
    });
    expect(connections).toBe(before);
  });

  it('connects to the address that was checked, whatever the name answers later', async () => {
    answer = (_request, response) => response.writeHead(204).end();
    const answers = [['127.0.0.1'], ['10.255.255.1']];
    const asked: string[] = [];
    const post = open({
      addressesOf: async (host) => {
        asked.push(host);
        return answers[Math.min(asked.length, answers.length) - 1] ?? [];
      },
    });
    expect(await post()).toMatchObject({ status: 204 });
    expect(asked).toEqual(['localhost']);
  });

  it('reports a certificate that cannot be verified', async () => {
    const sender = httpsSender({ allowPrivateTargets: ['localhost'] });
    senders.push(sender);
    const end = await sender.post({
      url: `https://localhost:${port}/`,
      headers: {},
      body: Buffer.from('{}'),
      timeLimitMs: 10_000,
      signal: new AbortController().signal,
    });
    expect(end).toMatchObject({ kind: 'unanswered', reason: expect.stringContaining('certificate') });
    expect(requests).toEqual([]);
  });

  it('gives up a receiver that does not answer in time', async () => {
    answer = () => undefined;
    expect(await open()('/', { timeLimitMs: 200 })).toEqual({
      kind: 'unanswered',
      reason: 'It did not answer in time.',
    });
  });

  it('gives up a receiver that sends its header byte by byte', async () => {
    const drops: NodeJS.Timeout[] = [];
    answer = (request) => {
      const { socket } = request;
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      drops.push(setInterval(() => socket.write('x'), 20));
    };
    const end = await open()('/', { timeLimitMs: 300 });
    for (const drop of drops) clearInterval(drop);
    expect(end).toMatchObject({ kind: 'unanswered', reason: 'It did not answer in time.' });
  });

  it('reads only the beginning of an answer of 100 MB', async () => {
    let sent = 0;
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': String(100 * 1024 * 1024) });
      const more = () => {
        while (sent < 100 * 1024 * 1024 && !response.destroyed) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536, 'a'))) {
            response.once('drain', more);
            return;
          }
        }
      };
      more();
    };
    expect(await open()()).toEqual({
      kind: 'answered',
      status: 200,
      retryAfter: null,
    });
    expect(sent).toBeLessThan(50 * 1024 * 1024);
  });

  it.each([
    ['drops the connection', (socket: net.Socket) => socket.destroy(), 'It closed the connection.'],
    ['does not speak TLS', (socket: net.Socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), 'TLS'],
  ])('reports a receiver that %s', async (_title, act, reason) => {
    const plain = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => act(socket));
    });
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const origin = `https://localhost:${(plain.address() as AddressInfo).port}`;
    expect(await open()('/', { origin })).toMatchObject({
      kind: 'unanswered',
      reason: expect.stringContaining(reason),
    });
    plain.close();
    expect(await open()('/', { origin })).toMatchObject({ reason: 'It cannot be reached.' });
  });

  it('reports a host that does not exist', async () => {
    const nowhere = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    const post = open({ addressesOf: () => Promise.reject(nowhere) });
    expect(await post()).toMatchObject({ reason: 'There is no such host.' });
  });
});
