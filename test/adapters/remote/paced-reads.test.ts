import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectTls, connectTo } from '../../../adapters/remote/connect.ts';
import { heldBytes } from '../../caches/heap.ts';
import { makeCertificate } from '../../servers/certificate.ts';

const { signal } = new AbortController();
const REACH = { allowPrivateServers: true };
const BYTES = 2 * 1024 * 1024;
const PIECE_BYTES = 16 * 1024;
const PIECE_LINES = 200;
const FLOODED = 40;
const ECHOES = 10;
/** How long a parser takes for a piece. */
const WORK_MS = 4;

/** Lines of different lengths, as long as the flood together. */
const LINES = Array.from({ length: 20_000 }, (_, n) => `${n} ${'x'.repeat(n % 97)}\r\n`).join('');

interface Flood {
  readonly name: string;
  readonly bytes: Buffer;
}
const FLOODS: readonly Flood[] = [
  { name: 'one long line', bytes: Buffer.alloc(BYTES, 'a long line ') },
  { name: 'empty lines', bytes: Buffer.alloc(BYTES / 16, '\n') },
  { name: 'lines', bytes: Buffer.from(LINES) },
];

/** A server that sends this to everybody, as fast as they take it, and then ends the connection. */
async function startFlood(bytes: Buffer, withTls = false): Promise<{ port: number; fingerprint: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-paced-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { certFile, keyFile, fingerprint } = await makeCertificate(folder);
  const certificate = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const server = withTls
    ? tls.createServer(certificate, (socket) => socket.on('error', () => undefined).end(bytes))
    : createServer((socket) => socket.on('error', () => undefined).end(bytes));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, fingerprint };
}

interface Piece {
  readonly bytes: Buffer;
  /** The turn of the event loop in which it came. */
  readonly turn: number;
}

/** Reads until the end. */
function reading(socket: Socket): Promise<Piece[]> {
  const pieces: Piece[] = [];
  return new Promise((resolve, reject) => {
    socket.on('error', reject).on('end', () => resolve(pieces));
    socket.on('data', (bytes: Buffer) => pieces.push({ bytes, turn }));
  });
}

let turn = 0;
/** Counts the turns of the event loop until the test has finished. */
function countTurns(): void {
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  onTestFinished(() => {
    isOver = true;
  });
}

function linesIn(bytes: Buffer): number {
  return bytes.toString('latin1').split('\n').length - 1;
}

describe('what a server sends', () => {
  it.each(FLOODS.flatMap((flood) => [false, true].map((withTls) => ({ ...flood, withTls }))))(
    'arrives whole, in small pieces, one in each turn: $name, TLS $withTls',
    async ({ bytes, withTls }) => {
      const { port, fingerprint } = await startFlood(bytes, withTls);
      countTurns();
      const server = { host: '127.0.0.1', port, tlsFingerprint: fingerprint };
      const pieces = await reading(await (withTls ? connectTls : connectTo)(server, REACH, signal));
      expect(Buffer.concat(pieces.map((piece) => piece.bytes)).equals(bytes)).toBe(true);
      for (const { bytes: piece } of pieces) {
        expect(piece.length).toBeLessThanOrEqual(PIECE_BYTES);
        expect(linesIn(piece)).toBeLessThanOrEqual(PIECE_LINES);
      }
      expect(new Set(pieces.map((piece) => piece.turn)).size).toBe(pieces.length);
    },
  );

  it('takes turns with what other servers send', async () => {
    const { port } = await startFlood(Buffer.alloc(BYTES, 'x'));
    countTurns();
    const open = () => connectTo({ host: '127.0.0.1', port }, REACH, signal);
    const sockets = await Promise.all([open(), open(), open()]);
    const all = await Promise.all(sockets.map(reading));
    const turns = all.flat().map((piece) => piece.turn);
    expect(new Set(turns).size).toBe(turns.length);
    for (const pieces of all) {
      expect(pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(BYTES);
    }
  });

  it('does not stand behind what sends much, if it is little', async () => {
    const { port } = await startFlood(Buffer.alloc(2 * BYTES, 'x'));
    const open = (to: number) => connectTo({ host: '127.0.0.1', port: to }, REACH, signal);
    let pieces = 0;
    const floods = await Promise.all(Array.from({ length: FLOODED }, () => open(port)));
    for (const flood of floods) {
      flood.on('data', () => {
        pieces += 1;
      });
      onTestFinished(() => void flood.destroy());
    }
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    onTestFinished(() => void echo.close());
    const quiet = await open((echo.address() as AddressInfo).port);
    onTestFinished(() => void quiet.destroy());
    quiet.resume();
    while (pieces < 5 * FLOODED) await new Promise(setImmediate);
    const before = pieces;
    for (let n = 0; n < ECHOES; n += 1) {
      quiet.write('a little');
      await once(quiet, 'data');
    }
    // Each piece is one turn of the event loop, and an echo takes a few of them by itself.
    expect((pieces - before) / ECHOES).toBeLessThan(FLOODED / 2);
  });

  it('leaves much of the time to other work, however long it takes to read', async () => {
    const { port } = await startFlood(Buffer.alloc(BYTES, 'x'));
    const socket = await connectTo({ host: '127.0.0.1', port }, REACH, signal);
    let pieces = 0;
    socket.on('data', () => {
      pieces += 1;
      const endMs = performance.now() + WORK_MS;
      while (performance.now() < endMs);
    });
    // Other work: one turn after another. Without a rest it would have one for each piece.
    let turns = 0;
    let hasEnded = false;
    socket.once('end', () => {
      hasEnded = true;
    });
    while (!hasEnded) {
      await new Promise(setImmediate);
      turns += 1;
    }
    expect(turns / pieces).toBeGreaterThan(10);
  });

  it('goes on when the app that embeds it has replaced the timers for a while', async () => {
    const { port } = await startFlood(Buffer.alloc(BYTES, 'x'));
    const socket = await connectTo({ host: '127.0.0.1', port }, REACH, signal);
    let bytes = 0;
    socket.on('data', (piece: Buffer) => {
      bytes += piece.length;
    });
    const ended = once(socket, 'end');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await once(socket, 'data');
    vi.useRealTimers();
    await ended;
    expect(bytes).toBe(BYTES);
  });

  it('is not kept for a turn that a closed socket no longer needs', async () => {
    const { port } = await startFlood(Buffer.alloc(BYTES, 'x'));
    // Each turn seems to take a second, so nearly all of them wait.
    let nowMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 1000;
      return nowMs;
    });
    onTestFinished(() => clock.mockRestore());
    const open = async () => {
      const socket = await connectTo({ host: '127.0.0.1', port }, REACH, signal);
      socket.on('data', () => undefined);
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: FLOODED }, open));
    while (sockets.some(({ bytesRead }) => bytesRead === 0)) await new Promise(setImmediate);
    const closed = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    const held = sockets.splice(0).map((socket) => new WeakRef(socket));
    closed.length = 0;
    await heldBytes();
    expect(held.filter((socket) => socket.deref() !== undefined).length).toBeLessThan(FLOODED / 4);
  });

  it('waits while it is not read', async () => {
    const { port } = await startFlood(Buffer.alloc(32 * BYTES, 'x'));
    const socket = await connectTo({ host: '127.0.0.1', port }, REACH, signal);
    onTestFinished(() => void socket.destroy());
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    for (let n = 0; n < 1000; n += 1) await new Promise(setImmediate);
    // One read of the system beyond what streams hold.
    expect(socket.bytesRead - first.length).toBeLessThanOrEqual(
      socket.readableHighWaterMark + 4 * PIECE_BYTES,
    );
  });
});
