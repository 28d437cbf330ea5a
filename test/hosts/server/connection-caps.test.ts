import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { networkOf } from '../../../hosts/server/listeners/connection-caps.ts';
import { listen, type WebServer, type WebServerOptions } from '../../../hosts/server/listeners/web-server.ts';

const HOST = '127.0.0.1';
const ATTACKER = '127.0.0.2';
const OTHER = '127.0.0.3';
const CAPS = { perAddress: 3, total: 5 };

interface Client {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  received(): string;
}

/** `/held` is answered when the test ends, everything else at once. */
async function opened(options: WebServerOptions = {}): Promise<WebServer> {
  const web = await listen(HOST, 0, { ...options, limits: { ...CAPS, ...options.limits } });
  web.answerWith((req, res) => {
    if (req.url === '/large') res.end(Buffer.alloc(64 * 1024 * 1024));
    else if (req.url !== '/held') res.end('healthy');
  });
  onTestFinished(() => web.stop(0));
  return web;
}

async function client(web: WebServer, localAddress = ATTACKER): Promise<Client> {
  const socket = connect({ host: HOST, port: web.port, localAddress });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const accepted = once(web.server, 'connection');
  await once(socket, 'connect');
  await accepted;
  return { socket, closed, received: () => received };
}

async function clients(web: WebServer, count: number, localAddress = ATTACKER): Promise<Client[]> {
  const made: Client[] = [];
  while (made.length < count) made.push(await client(web, localAddress));
  return made;
}

async function ask(web: WebServer, localAddress: string): Promise<string> {
  const asking = await client(web, localAddress);
  asking.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await asking.closed;
  return asking.received();
}

/** Sends a request that stays in progress. */
async function hold(web: WebServer, { socket }: Client): Promise<void> {
  const arrived = once(web.server, 'request');
  socket.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n');
  await arrived;
}

function openOf(all: readonly Client[]): number {
  return all.filter(({ socket }) => !socket.closed).length;
}

describe('the connections of a listener', () => {
  it('of one address are replaced by newer ones, oldest first', async () => {
    const web = await opened();
    const all = await clients(web, CAPS.perAddress + 2);
    await Promise.all(all.slice(0, 2).map(({ closed }) => closed));
    expect(openOf(all)).toBe(CAPS.perAddress);
  });

  it('leave room for a health check from another address while an attacker uses its whole cap', async () => {
    const web = await opened();
    await clients(web, 20);
    expect(await ask(web, OTHER)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('answer the next request even of an address whose cap is full of unfinished ones', async () => {
    const web = await opened();
    for (const { socket } of await clients(web, CAPS.perAddress))
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nX: ');
    expect(await ask(web, ATTACKER)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are closed idle before unfinished', async () => {
    const web = await opened();
    const [unfinished, idle, third] = await clients(web, CAPS.perAddress);
    if (!unfinished || !idle || !third) throw new Error('they are there');
    const answered = once(idle.socket, 'data');
    idle.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await answered;
    await client(web);
    await idle.closed;
    expect(openOf([unfinished, third])).toBe(2);
  });

  it('with a request in progress are never closed; a new one is refused', async () => {
    const web = await opened();
    const busy = await clients(web, CAPS.perAddress);
    for (const one of busy) await hold(web, one);
    expect(await ask(web, ATTACKER)).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1\r\n/);
    expect(openOf(busy)).toBe(CAPS.perAddress);
    expect(await ask(web, OTHER)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('of a trusted proxy are limited only by the total', async () => {
    const web = await opened({ trustedProxies: [ATTACKER] });
    const all = await clients(web, CAPS.total);
    expect(openOf(all)).toBe(CAPS.total);
    await client(web);
    await all[0]?.closed;
    expect(openOf(all)).toBe(CAPS.total - 1);
  });

  it('of many addresses are limited by the total, which an attacker cannot fill with unfinished requests', async () => {
    const web = await opened();
    for (let last = 2; last < 12; last += 1) await clients(web, 1, `127.0.1.${last}`);
    expect(await ask(web, OTHER)).toMatch(/^HTTP\/1\.1 200 /);
    await expect
      .poll(() => new Promise((resolve) => web.server.getConnections((_error, count) => resolve(count))))
      .toBeLessThanOrEqual(CAPS.total);
  });
});

describe('a slow client', () => {
  it('that drips its headers is cut off', async () => {
    const web = await opened({ limits: { headMs: 300, requestMs: 600 } });
    const slow = await client(web);
    slow.socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => slow.socket.write('X: y\r\n'), 50);
    onTestFinished(() => clearInterval(drip));
    await slow.closed;
    expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('that drips its body is cut off', async () => {
    const web = await opened({ limits: { headMs: 300, requestMs: 600 } });
    const slow = await client(web);
    slow.socket.write('POST /held HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n');
    const drip = setInterval(() => slow.socket.write('x'), 50);
    onTestFinished(() => clearInterval(drip));
    await slow.closed;
  });

  it('that sends nothing is cut off', async () => {
    const web = await opened({ limits: { headMs: 300, requestMs: 600 } });
    const silent = await client(web);
    await silent.closed;
  });

  it('that does not take its response is cut off', async () => {
    const web = await opened({ limits: { responseMs: 300 } });
    const slow = await client(web);
    slow.socket.pause();
    const gone = new Promise((resolve) =>
      web.server.once('request', ({ socket }) => socket.once('close', resolve)),
    );
    slow.socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await gone;
  });

  it('that keeps an idle connection is cut off soon', async () => {
    const web = await opened({ limits: { keepAliveMs: 200 } });
    const idle = await client(web);
    idle.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.closed;
    expect(idle.received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that a trusted proxy keeps idle outlasts the idle one of a client', async () => {
    const web = await opened({ trustedProxies: [OTHER], limits: { keepAliveMs: 200 } });
    const [proxy, idle] = [await client(web, OTHER), await client(web)];
    for (const { socket } of [proxy, idle]) {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
    }
    await idle.closed;
    proxy.socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await proxy.closed;
    expect(proxy.received().match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });

  it('whose request is never answered is cut off', async () => {
    const web = await opened({ limits: { silenceMs: 300 } });
    const waiting = await client(web);
    await hold(web, waiting);
    await waiting.closed;
  });
});

describe('headers', () => {
  it.each([
    ['too many', Array.from({ length: 101 }, (_, n) => `X-${n}: y\r\n`).join('')],
    ['too large', `X: ${'y'.repeat(17_000)}\r\n`],
  ])('that are %s are refused, with Strict-Transport-Security', async (_how, headers) => {
    const web = await opened({ publicUrl: 'https://api.example.org' });
    const asking = await client(web);
    asking.socket.write(`GET / HTTP/1.1\r\n${headers}\r\n`);
    await asking.closed;
    expect(asking.received()).toMatch(
      /^HTTP\/1\.1 431 [\s\S]*strict-transport-security: max-age=31536000\r\n/i,
    );
  });

  it('in usual numbers are accepted', async () => {
    const web = await opened();
    const asking = await client(web);
    const headers = Array.from({ length: 99 }, (_, n) => `X-${n}: y\r\n`).join('');
    asking.socket.write(`GET / HTTP/1.1\r\nConnection: close\r\n${headers}\r\n`);
    await asking.closed;
    expect(asking.received()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the network by which a client is counted', () => {
  const none = () => false;
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', 'loopback'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address, none)).toBe(network);
  });

  it('is undefined for a trusted proxy, in either form', () => {
    expect(networkOf('::ffff:192.0.2.7', (address) => address === '192.0.2.7')).toBe(undefined);
  });
});
