import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net, { type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls, { type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { type Certificate, makeCertificate } from '../../servers/certificate.ts';

const MB = 1024 * 1024;
const TOO_LATE = { kind: 'unanswered', reason: 'It did not answer in time.' };
const NOT_HTTP = { kind: 'unanswered', reason: 'Its answer is not HTTP.' };
const CLOSED = { kind: 'unanswered', reason: 'It closed the connection.' };

describe('httpsSender, with a receiver that misbehaves', () => {
  let folder: string;
  let certificate: Certificate;
  /** The TCP connections of the current test. */
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-receiver-faults-'));
    certificate = await makeCertificate(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Starts a TLS server that passes each connection to `serve`. @returns posts to it */
  async function receiver(serve: (socket: TLSSocket) => void, given = certificate) {
    const cert = readFileSync(given.certFile, 'utf8');
    const server = tls.createServer({ cert, key: readFileSync(given.keyFile) }, (socket) => {
      socket.on('error', () => undefined);
      serve(socket);
    });
    return posting(server, cert);
  }

  async function posting(server: net.Server, ca?: string) {
    server.on('connection', (socket: Socket) => sockets.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sender = httpsSender({ allowPrivateTargets: ['localhost'], ...(ca === undefined ? {} : { ca }) });
    onTestFinished(async () => {
      await sender.close();
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      server.close();
    });
    return (timeLimitMs = 10_000) =>
      sender.post({
        url: `https://localhost:${port}/hook`,
        headers: {},
        signal: new AbortController().signal,
        body: Buffer.from('{"id":"evt_1"}'),
        timeLimitMs,
      });
  }

  /** Writes the piece until the connection ends, at most 100 MB. @returns how much it wrote */
  async function flood(socket: TLSSocket, piece: string): Promise<number> {
    const bytes = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
    let written = 0;
    while (!socket.destroyed && written < 100 * MB) {
      written += bytes.length;
      const isFull = !socket.write(bytes);
      // Lets other work run, and notices the end of the connection.
      if (isFull) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
      else await new Promise(setImmediate);
    }
    return written;
  }

  /** Waits until the connection has ended in whatever way. */
  function closeOf(socket: Socket): Promise<void> {
    return new Promise((resolve) => socket.once('close', () => resolve()));
  }

  function reset(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  // Without its own time limit, opening a connection would take 20 s.
  it('gives up a receiver that never completes the TLS handshake', async () => {
    let closed: Promise<unknown> | undefined;
    const silent = net.createServer((socket) => {
      socket.resume();
      socket.on('error', () => undefined);
      closed = closeOf(socket);
    });
    const post = await posting(silent);
    expect(await post(200)).toEqual(TOO_LATE);
    await closed;
  });

  it('gives up a receiver that never reads the request', async () => {
    const post = await receiver((socket) => socket.pause());
    expect(await post(200)).toEqual(TOO_LATE);
  });

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['103 Early Hints', `HTTP/1.1 103 Early Hints\r\nlink: <${'/x'.repeat(2000)}>\r\n\r\n`],
  ])('stops reading a receiver that only sends %s', async (_status, piece) => {
    let flooded: Promise<number> | undefined;
    const post = await receiver((socket) => {
      socket.resume();
      flooded ??= flood(socket, piece);
    });
    expect(await post()).toEqual(NOT_HTTP);
    expect(await flooded).toBeLessThan(20 * MB);
  });

  it('accepts the few interim responses of a usual receiver', async () => {
    const post = await receiver((socket) =>
      socket.once('data', () =>
        socket.end(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3)}HTTP/1.1 204 No Content\r\n\r\n`),
      ),
    );
    expect(await post()).toMatchObject({ kind: 'answered', status: 204 });
  });

  it.each([
    ['one header', 'a'],
    ['many headers', 'x-header: value\r\n'],
  ])('stops reading 100 MB in %s', async (_form, piece) => {
    let flooded: Promise<number> | undefined;
    const post = await receiver((socket) => {
      socket.resume();
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      flooded ??= flood(socket, piece);
    });
    expect(await post()).toEqual(NOT_HTTP);
    expect(await flooded).toBeLessThan(20 * MB);
  });

  it.each([
    ['of known length', 'content-length: 1000', 'x'],
    ['in chunks', 'transfer-encoding: chunked', '1\r\nx\r\n'],
  ])(
    'counts the status of a body that comes byte by byte %s, and ends the connection',
    async (_form, header, piece) => {
      let closed: Promise<unknown> | undefined;
      const post = await receiver((socket) =>
        socket.once('data', () => {
          socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`);
          const timer = setInterval(() => socket.write(piece), 50);
          closed = closeOf(socket).then(() => clearInterval(timer));
        }),
      );
      expect(await post()).toMatchObject({ kind: 'answered', status: 200 });
      await closed;
    },
  );

  it.each([
    ['before its answer', ''],
    ['in the middle of its answer', 'HTTP/1.1 200 OK\r\nx-he'],
  ])('reports a receiver that drops the connection %s', async (_when, beginning) => {
    const post = await receiver((socket) => socket.once('data', () => socket.end(beginning)));
    expect(await post()).toEqual(CLOSED);
  });

  it('reports a receiver that resets the connection', async () => {
    const post = await receiver((socket) => socket.once('data', reset));
    expect(await post()).toEqual(CLOSED);
  });

  it('counts the status if the connection is reset in the middle of the body', async () => {
    const post = await receiver((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf', reset);
      }),
    );
    expect(await post()).toMatchObject({ kind: 'answered', status: 200 });
  });

  it.each([
    [
      'switches to another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
    ['speaks another protocol', '220 mail.example ESMTP\r\n'],
    ['sends two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
    [
      'sends a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('does not count the answer of a receiver that %s', async (_what, text) => {
    const post = await receiver((socket) => socket.once('data', () => socket.write(text)));
    expect(await post()).toEqual(NOT_HTTP);
  });

  it('does not take a second answer on the kept connection for that of the next request', async () => {
    let requests = 0;
    const post = await receiver((socket) =>
      socket.on('data', () => {
        requests += 1;
        const answer = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n';
        socket.write(`${answer}${requests === 1 ? 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n' : ''}`);
      }),
    );
    expect(await post()).toMatchObject({ status: 503 });
    expect(await post()).toMatchObject({ status: 503 });
  });

  it.each([301, 302, 303, 307, 308])('returns a redirect with %i and does not follow it', async (status) => {
    const lines: string[] = [];
    const post = await receiver((socket) =>
      socket.once('data', (bytes: Buffer) => {
        lines.push(bytes.toString('latin1').split('\r\n', 1)[0] ?? '');
        socket.end(
          `HTTP/1.1 ${status} Elsewhere\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n`,
        );
      }),
    );
    expect(await post()).toEqual({ kind: 'answered', status, retryAfter: null });
    expect(lines).toEqual(['POST /hook HTTP/1.1']);
  });

  describe('sends nothing to a receiver whose certificate', () => {
    const requests: Buffer[] = [];
    const refused = async (given: { names?: string; days?: number }) => {
      const own = mkdtempSync(join(folder, 'certificate-'));
      return receiver((socket) => socket.on('data', (bytes: Buffer) => requests.push(bytes)), {
        ...(await makeCertificate(own, given)),
      });
    };

    it.each([
      ['is for another name', { names: 'DNS:other.example' }, 'it is for another name'],
      ['has expired', { days: -1 }, 'it has expired'],
    ])('%s', async (_fault, given, reason) => {
      const post = await refused(given);
      expect(await post()).toEqual({
        kind: 'unanswered',
        reason: `Its certificate cannot be verified, because ${reason}.`,
      });
      expect(requests).toEqual([]);
    });

    it('is self-signed and not the trusted one', async () => {
      const { certFile, keyFile } = certificate;
      const server = tls.createServer(
        { cert: readFileSync(certFile), key: readFileSync(keyFile) },
        (socket) => {
          socket.on('error', () => undefined);
          socket.on('data', (bytes: Buffer) => requests.push(bytes));
        },
      );
      const post = await posting(server);
      expect(await post()).toEqual({
        kind: 'unanswered',
        reason: 'Its certificate cannot be verified, because it is self-signed.',
      });
      expect(requests).toEqual([]);
    });
  });
});
