import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type LiveLimits, livePages } from '../../../hosts/dashboard/live/live-pages.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';
import { type OpenedSocket, openSocket } from './open-socket.ts';

const PATIENT: LiveLimits = {
  perOwner: 3,
  total: 4,
  checkMs: 50,
  pingMs: 60_000,
  closeMs: 1000,
  unsentBytes: 16 * 1024,
};

type Headers = Readonly<Record<string, string>>;

/** Opens a socket as a browser does. @throws Error with the status of the refusal */
function open(dashboard: Dashboard, headers: Headers, url = dashboard.url): Promise<OpenedSocket> {
  return openSocket(url, { origin: dashboard.url, ...headers });
}

async function statusOf(opening: Promise<OpenedSocket>): Promise<string> {
  return opening.then(
    () => 'opened',
    (error: unknown) => (error instanceof Error ? error.message : 'unknown'),
  );
}

/** Another listener for the same service, with other limits. */
async function listening(dashboard: Dashboard, limits: Partial<LiveLimits> = {}): Promise<string> {
  const server = createServer((_, response) => response.end('a page'));
  livePages(dashboard.service, {}, { ...PATIENT, ...limits }).attachUpgrade(server);
  return listen(server);
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As seen through a proxy that passes the dashboard's own host name on. */
const through = (dashboard: Dashboard): Headers => ({ host: new URL(dashboard.url).host });

describe('the socket of an open page', () => {
  it('carries the number of waiting requests and a version, at first and after each change', async () => {
    const dashboard = await openDashboard();
    const { frames } = await open(dashboard, { cookie: await dashboard.cookie() });
    const version = expect.stringMatching(/^[\w-]{16}$/) as string;
    await expect.poll(() => frames).toEqual([{ waiting: 0, version }]);
    const id = await dashboard.ask({ subject: 'SECRET SUBJECT', body: 'SECRET BODY' });
    await expect.poll(() => frames.at(-1)?.waiting).toBe(1);
    await dashboard.service.approvals.reject(dashboard.ownerId, id);
    await expect.poll(() => frames).toHaveLength(3);
    expect(frames.map(({ waiting }) => waiting)).toEqual([0, 1, 0]);
    expect(new Set(frames.map((frame) => frame.version)).size).toBe(3);
    for (const frame of frames) expect(Object.keys(frame)).toEqual(['waiting', 'version']);
  });

  it('needs a session, the right host, and the Origin of a page of the same host and port', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const name = `countersign-${new URL(dashboard.url).port}`;
    const attempts: readonly (readonly [status: string, headers: Headers])[] = [
      ['401', {}],
      ['401', { cookie: `${name}=x` }],
      ['401', { authorization: `Bearer ${dashboard.key.apiKey}` }],
      ['403', { cookie, origin: 'https://evil.example' }],
      ['403', { cookie, origin: 'http://127.0.0.1:1' }],
      ['403', { cookie, origin: 'null' }],
      ['421', { cookie, host: 'evil.example' }],
    ];
    for (const [status, headers] of attempts) {
      const refused = await statusOf(open(dashboard, headers));
      expect([headers, refused]).toEqual([headers, `Unexpected server response: ${status}`]);
    }
    // As from a program.
    const bare = new WebSocket(`${dashboard.url.replace('http', 'ws')}/live`, { headers: { cookie } });
    const [error] = (await once(bare, 'error')) as [Error];
    expect(error.message).toBe('Unexpected server response: 403');
    await open(dashboard, { cookie });
  });

  it('revokes a key in its URL', async () => {
    const dashboard = await openDashboard();
    const address = `${dashboard.url.replace('http', 'ws')}/live?key=${dashboard.key.apiKey}`;
    const headers = { origin: dashboard.url, cookie: await dashboard.cookie() };
    const [error] = (await once(new WebSocket(address, { headers }), 'error')) as [Error];
    expect(error.message).toBe('Unexpected server response: 400');
    expect(await dashboard.key.call('list_accounts')).toMatchObject({ code: 'invalid_token' });
  });

  it.each<[string, (dashboard: Dashboard, cookie: string) => Promise<unknown>]>([
    [
      'its owner signs out',
      (dashboard, cookie) => dashboard.submit({ path: '/sign-out', headers: { cookie } }),
    ],
    [
      'its session is ended elsewhere',
      ({ service, ownerId, browserOf }, cookie) => service.sessions.end(ownerId, browserOf(cookie).sessionId),
    ],
    [
      'the password changes',
      ({ service, ownerId }) => service.owners.setPassword(ownerId, 'another long password'),
    ],
    ['the session expires', async ({ clock }) => clock.shift(15 * 24 * 3_600_000)],
  ])('ends when %s, and receives nothing after that', async (_, end) => {
    const dashboard = await openDashboard();
    const url = await listening(dashboard);
    const cookie = await dashboard.cookie();
    const { frames, closed } = await open(dashboard, { cookie, ...through(dashboard) }, url);
    await expect.poll(() => frames).toHaveLength(1);
    await end(dashboard, cookie);
    await dashboard.ask({});
    expect(await closed).toBe(4401);
    expect(frames).toHaveLength(1);
  });

  it('stays open while its session lasts, whatever other sessions do', async () => {
    const dashboard = await openDashboard();
    const url = await listening(dashboard);
    const [one, other] = [await dashboard.cookie(), await dashboard.cookie()];
    const kept = await open(dashboard, { cookie: one, ...through(dashboard) }, url);
    const ended = await open(dashboard, { cookie: other, ...through(dashboard) }, url);
    await dashboard.submit({ path: '/sign-out', headers: { cookie: other } });
    expect(await ended.closed).toBe(4401);
    await dashboard.ask({});
    await expect.poll(() => kept.frames.at(-1)?.waiting).toBe(1);
  });

  it('ends with 1001 when the service lets no more wait, and lets the server close', async () => {
    const dashboard = await openDashboard();
    const server = createServer();
    livePages(dashboard.service).attachUpgrade(server);
    const url = await listen(server);
    const headers = { cookie: await dashboard.cookie(), ...through(dashboard) };
    const polite = await open(dashboard, headers, url);
    const silent = await open(dashboard, headers, url);
    // It does not confirm the end.
    silent.socket.pause();
    await dashboard.service.calls.endWaits();
    const closed = new Promise((resolve) => server.close(resolve));
    expect(await polite.closed).toBe(1001);
    await closed;
  });

  it('ends if the page sends anything', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const attempts: readonly (readonly [code: number, send: (socket: WebSocket) => void])[] = [
      [1008, (socket) => socket.send('a')],
      [1009, (socket) => socket.send('a'.repeat(100_000))],
      [1008, (socket) => socket.ping()],
    ];
    for (const [code, send] of attempts) {
      const { socket, closed } = await open(dashboard, { cookie });
      send(socket);
      expect(await closed).toBe(code);
    }
  });

  it('ends if the page does not answer a ping, and stays if it does', async () => {
    const dashboard = await openDashboard();
    const url = await listening(dashboard, { pingMs: 300 });
    const headers = { cookie: await dashboard.cookie(), ...through(dashboard) };
    const answering = await open(dashboard, headers, url);
    let pings = 0;
    answering.socket.on('ping', () => {
      pings += 1;
    });
    const silent = await open(dashboard, headers, url);
    silent.socket.pause();
    await expect.poll(() => pings).toBeGreaterThan(2);
    silent.socket.resume();
    await silent.closed;
    expect(answering.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('has limits per owner and in all, and a closed one makes room', async () => {
    const dashboard = await openDashboard();
    const url = await listening(dashboard);
    const email = 'ben@example.org';
    await dashboard.service.owners.create({ email, password: 'another long password' });
    const ada = { cookie: await dashboard.cookie(), ...through(dashboard) };
    const ben = {
      cookie: await dashboard.cookie({ email, password: 'another long password' }),
      ...through(dashboard),
    };
    const refused = 'Unexpected server response: 503';
    const all = await Promise.all(Array.from({ length: 8 }, () => statusOf(open(dashboard, ada, url))));
    expect(all.filter((status) => status === 'opened')).toHaveLength(3);
    expect(all.filter((status) => status === refused)).toHaveLength(5);
    const first = await open(dashboard, ben, url);
    expect(await statusOf(open(dashboard, ben, url))).toBe(refused);
    first.socket.close();
    await first.closed;
    await expect.poll(() => statusOf(open(dashboard, ben, url))).toBe('opened');
  });

  it('is cut off, not buffered for, if the page does not read', async () => {
    const dashboard = await openDashboard();
    const url = await listening(dashboard, { unsentBytes: -1 });
    const headers = { cookie: await dashboard.cookie(), ...through(dashboard) };
    const { closed, frames } = await open(dashboard, headers, url);
    expect(await closed).toBe(1006);
    expect(frames).toEqual([]);
  });

  it('ends with 1013 if its session cannot be checked, so that no change is lost', async () => {
    let isAway = false;
    const dashboard = await openDashboard({
      between: (service) => ({
        ...service,
        sessions: {
          ...service.sessions,
          find: (token) => (isAway ? Promise.reject(new Error('away')) : service.sessions.find(token)),
        },
      }),
    });
    const headers = { cookie: await dashboard.cookie() };
    const { frames, closed } = await open(dashboard, headers);
    await expect.poll(() => frames).toHaveLength(1);
    isAway = true;
    await dashboard.ask({});
    expect(await closed).toBe(1013);
    expect(await statusOf(open(dashboard, headers))).toBe('Unexpected server response: 503');
    isAway = false;
    const again = await open(dashboard, headers);
    await expect.poll(() => again.frames[0]?.waiting).toBe(1);
  });
});

describe('attachUpgrade', () => {
  /** Sends bytes and returns everything that comes back until the other side ends. */
  async function exchange(url: string, text: string): Promise<string> {
    const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(text);
    const chunks: Buffer[] = [];
    for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks).toString('latin1');
  }

  it("leaves other paths to the server's other listeners", async () => {
    const dashboard = await openDashboard();
    const server = createServer();
    const seen: string[] = [];
    server.on('upgrade', ({ url = '' }: IncomingMessage, socket: Duplex) => {
      seen.push(url);
      if (url !== '/live')
        socket.end('HTTP/1.1 400 Bad Request\r\nX-From: the app\r\nConnection: close\r\n\r\n');
    });
    livePages(dashboard.service).attachUpgrade(server);
    const url = await listen(server);
    const head = `Host: ${new URL(url).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    expect(await exchange(url, `GET /chat HTTP/1.1\r\n${head}`)).toContain('X-From: the app');
    expect(await exchange(url, `GET /live/other HTTP/1.1\r\n${head}`)).toContain('X-From: the app');
    const headers = { cookie: await dashboard.cookie(), ...through(dashboard) };
    await open(dashboard, headers, url);
    expect(seen).toEqual(['/chat', '/live/other', '/live']);
  });

  it("refuses other paths' WebSockets, and the server sees each connection once", async () => {
    const dashboard = await openDashboard();
    let connections = 0;
    const server = createServer((_, response) => response.end('a page'));
    server.on('connection', () => {
      connections += 1;
    });
    livePages(dashboard.service).attachUpgrade(server);
    const url = await listen(server);
    const chat = `GET /chat HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n`;
    const answer = await exchange(url, chat.repeat(20));
    expect(answer.match(/HTTP\/1\.1 .*/g)).toEqual(['HTTP/1.1 404 Not Found']);
    expect(connections).toBe(1);
  });

  it('answers other requests once as if they asked for no upgrade, with their body, and ends', async () => {
    const dashboard = await openDashboard();
    let connections = 0;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => response.end(`${request.method} ${request.url} [${body}]`));
    });
    server.on('connection', () => {
      connections += 1;
    });
    livePages(dashboard.service).attachUpgrade(server);
    const url = await listen(server);
    const { host } = new URL(url);
    const h2c =
      'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
    const post = `POST /v1/messages HTTP/1.1\r\nHost: ${host}\r\n${h2c}Content-Length: 5\r\n\r\nhello`;
    const answers = await exchange(url, post);
    expect(answers).toContain('POST /v1/messages [hello]');
    expect(answers).toContain('Connection: close');
    // Its own and, before Node 24.9, the one without the upgrade.
    expect(connections).toBe('shouldUpgradeCallback' in server ? 1 : 2);
  });
});
