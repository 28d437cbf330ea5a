import type { RequestOptions } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { formTokenIn } from '../hosts/dashboard/open-dashboard.ts';
import { type OpenedSocket, openSocket } from '../hosts/dashboard/open-socket.ts';
import { buildCli, printedBy } from '../hosts/server/cli-process.ts';
import { type PlainResponse, plainRequest } from '../plain-request.ts';
import { freePortRow } from '../servers/ports.ts';
import type { WebProxy } from '../servers/web-proxy.ts';
import { DASHBOARD_PATH, type DocumentedProxy } from './documented-proxies.ts';
import { filedIn } from './rest-client.ts';

const OWNER = { email: 'grace@example.org', password: 'correct horse battery staple' };

/** A request as a client sends it, each on a connection of its own. */
export interface SentRequest extends Pick<RequestOptions, 'method' | 'path' | 'headers' | 'localAddress'> {
  /** The proxy's address. Default: 127.0.0.1. */
  readonly host?: '127.0.0.1' | '::1';
  readonly body?: string;
}

/**
 * `countersign serve` behind a proxy that is set up as documented, with the dashboard below a path. Its key may create
 * trackers, once the owner allows each. Its owner can download megabytes of activity.
 */
export interface ProxiedSite {
  readonly proxy: WebProxy;
  readonly origin: string;
  /** With the key, if the path is the API's. */
  send(request: SentRequest): Promise<PlainResponse>;
  /** The same to the dashboard, past the proxy. */
  sendDirectly(request: SentRequest): Promise<PlainResponse>;
  /** A call by MCP, with the key. */
  toolCall(name: string, args: Readonly<Record<string, unknown>>, meta?: object): SentRequest;
  /** What `request` of node:http needs to send a request through the proxy. */
  options(request: SentRequest): RequestOptions;
  /** Requests a tracker. @returns the id of the request that waits */
  ask(title: string): Promise<string>;
  /** Signs in with the form. @returns the cookie */
  signIn(from?: Pick<SentRequest, 'host' | 'localAddress' | 'headers'>): Promise<string>;
  /** Opens the socket of a page. */
  openPage(cookie: string): Promise<OpenedSocket>;
  /** Stops and starts Countersign. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  stop(): Promise<void>;
}

export async function openSite({ start }: DocumentedProxy): Promise<ProxiedSite> {
  const cli = await buildCli();
  // All calls take place within a minute.
  const limits = { COUNTERSIGN_LIMITS: JSON.stringify({ callsPerMinute: 1000 }) };
  printedBy(await cli.run(['owner', 'add', OWNER.email, '--json'], OWNER.password, limits));
  fillActivity(join(cli.data, 'countersign.db'));
  const { api_key: apiKey } = printedBy(
    await cli.run([
      ...['key', 'add', '--owner', OWNER.email, '--name', 'Agent', '--preset', 'full'],
      ...['--mode', 'trackers:write=approval', '--json'],
    ]),
  );
  const port = await freePortRow(3);
  const proxy = await start({ port, dashboard: DASHBOARD_PATH });
  const origin = `http://127.0.0.1:${proxy.port}`;
  const serve = () =>
    cli.serve(['serve', '--json'], {
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_BASE_URL: `${origin}/api`,
      COUNTERSIGN_DASHBOARD_URL: `${origin}${DASHBOARD_PATH}`,
      COUNTERSIGN_MCP_URL: `${origin}/assistant`,
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1',
      ...limits,
    });
  let server = await serve();

  const options: ProxiedSite['options'] = ({ host = '127.0.0.1', headers = {}, body, ...others }) => ({
    ...others,
    host,
    port: proxy.port,
    agent: false,
    headers: {
      host: `${host === '::1' ? '[::1]' : host}:${proxy.port}`,
      ...(others.path?.startsWith('/api/') === true && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  });
  const send: ProxiedSite['send'] = (request) => plainRequest(options(request), request.body);
  const toolCall: ProxiedSite['toolCall'] = (name, args, meta = {}) => ({
    method: 'POST',
    path: '/api/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: args, _meta: meta },
    }),
  });

  return {
    proxy,
    origin,
    send,
    sendDirectly: (request) => plainRequest({ ...options(request), port: port + 1 }, request.body),
    toolCall,
    options,
    async ask(title) {
      const { status, bytes } = await send({
        method: 'POST',
        path: '/api/v1/trackers',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title }),
      });
      return filedIn({ status, body: JSON.parse(bytes.toString()) });
    },
    async signIn(from) {
      const path = `${DASHBOARD_PATH}/sign-in`;
      const shown = await send({ ...from, path });
      const fields = { form_token: formTokenIn(shown.bytes.toString()), ...OWNER };
      const answer = await send({
        ...{ ...from, method: 'POST', path, body: new URLSearchParams(fields).toString() },
        headers: {
          ...from?.headers,
          'content-type': 'application/x-www-form-urlencoded',
          cookie: cookiesOf(shown),
        },
      });
      if (answer.status !== 303) throw new Error(`not signed in: ${answer.bytes.toString()}`);
      return cookiesOf(answer);
    },
    openPage: (cookie) => openSocket(`${origin}${DASHBOARD_PATH}`, { origin, cookie }),
    async stopServer() {
      await server.stop('SIGTERM');
    },
    async startServer() {
      server = await serve();
    },
    async stop() {
      await server.stop('SIGTERM');
      await proxy.stop();
      cli.remove();
    },
  };
}

/** The tool of the rows that `fillActivity` adds. */
export const RECORDED_TOOL = 'list_folders';
export const RECORDED_ROWS = 3600;

/** Adds the activity of an hour: 5 MB, as a download. */
function fillActivity(file: string): void {
  const db = new Database(file);
  db.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RECORDED_ROWS}),
      ids (list) AS (SELECT json_group_array(printf('m1_%016d', n)) FROM numbers WHERE n <= 50)
    INSERT INTO activity (owner_id, activity_id, at_ms, kind, tool, outcome, duration_ms, shown, listed)
    SELECT owner_id, n, (unixepoch() - ${RECORDED_ROWS} + n) * 1000, 'call', '${RECORDED_TOOL}', 'ok', 1, list, '[]'
    FROM owners, numbers, ids`);
  db.close();
}

function cookiesOf({ headers }: PlainResponse): string {
  return (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
}
