import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ParseError } from '../http/broken-request.ts';
import { trustedProxies as trusted } from '../http/client-address.ts';
import { transportSecurity } from '../http/transport-security.ts';
import { type ConnectionCaps, capConnections } from './connection-caps.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type BrokenHandler = (error: ParseError, socket: Duplex) => void;

/** A server that has its port before it has its handler: what is asked meanwhile waits. */
export interface WebServer {
  readonly server: Server;
  readonly port: number;
  /** @param broken  answers what cannot be read as HTTP; default: a status without a body */
  answerWith(handler: Handler, broken?: BrokenHandler): void;
  /** Takes no more connections, waits for what is in flight, and cuts off what is not done by then. */
  stop(withinMs: number): Promise<void>;
}

export interface WebServerOptions {
  /** Where clients reach it, once there is a proxy with TLS before it. */
  readonly publicUrl?: string | undefined;
  readonly trustedProxies?: readonly string[];
  readonly limits?: Partial<WebLimits>;
}

/**
 * What a listener allows, chosen for a self-hosted machine with two cores and Node's default of about 1,000 open files
 * on small systems, of which two listeners, storage and mail servers need their share.
 */
interface WebLimits extends ConnectionCaps {
  /** From the first byte of a connection or request to the end of its headers. */
  readonly headMs: number;
  /** To the end of its body: 256 KB at 9 KB/s. A request that is not complete by then holds its place for nothing. */
  readonly requestMs: number;
  /** Between two requests. Node's default: short enough that idle clients cost little, and proxies expect it. */
  readonly keepAliveMs: number;
  /** For the client to take a finished response. */
  readonly responseMs: number;
  /** Without a byte in either direction. The slowest call and the slowest page wait less than a minute. */
  readonly silenceMs: number;
}

const LIMITS: WebLimits = {
  // About 25 MB where each has sent 16 KB of headers.
  total: 320,
  // A browser opens 6, an office behind one address some dozens. It takes five attackers to reach the total.
  perAddress: 64,
  headMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5000,
  responseMs: 30_000,
  silenceMs: 120_000,
};

/** How often Node looks for requests that are late; its default is 30 s. */
const LATE_CHECK_MS = 1000;
/** All headers together; Node's default. */
const HEAD_MAX_BYTES = 16 * 1024;
/** A browser behind two proxies sends 30. */
const HEADERS_MAX = 100;

/** @param port 0: any free one @throws Error for people, when the port cannot be had */
export async function listen(
  host: string,
  port: number,
  { publicUrl = '', trustedProxies = [], limits = {} }: WebServerOptions = {},
): Promise<WebServer> {
  const { headMs, requestMs, keepAliveMs, responseMs, silenceMs, ...caps } = { ...LIMITS, ...limits };
  const server = createServer({
    // A request without a Host header is the handler's to refuse.
    requireHostHeader: false,
    requestTimeout: requestMs,
    headersTimeout: Math.min(headMs, requestMs),
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(LATE_CHECK_MS, headMs),
    maxHeaderSize: HEAD_MAX_BYTES,
  });
  // Node would drop what is beyond its count without a word, a proxy's headers first.
  server.maxHeadersCount = 0;
  server.timeout = silenceMs;
  const refusal = (status: number) => plainResponse(status, publicUrl);
  capConnections(server, caps, trusted(trustedProxies), (socket) => {
    socket.write(refusal(503));
    socket.destroySoon();
  });

  const early: [IncomingMessage, ServerResponse][] = [];
  let handler: Handler = (req, res) => early.push([req, res]);
  let broken: BrokenHandler = ({ code = '' }, socket) => {
    if (!socket.writable || ('_httpMessage' in socket && socket._httpMessage)) return void socket.destroy();
    socket.end(refusal(BROKEN_STATUS[code] ?? 400));
  };
  server.on('clientError', (error: ParseError, socket) => broken(error, socket));
  server.on('request', (req, res) => {
    endSlowResponse(res, req.socket, responseMs);
    // While stopping, a connection that is kept alive would keep the server from closing.
    res.once('close', () => setImmediate(() => server.listening || server.closeIdleConnections()));
    if (req.rawHeaders.length > 2 * HEADERS_MAX) {
      res.writeHead(431, { connection: 'close', 'content-length': 0, ...transportSecurity(publicUrl) }).end();
      return;
    }
    handler(req, res);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(reasonOf(cause, host, port), { cause })));
    server.listen({ host, port }, resolve);
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    answerWith(answer, answerBroken = broken) {
      handler = answer;
      broken = answerBroken;
      for (const [req, res] of early) handler(req, res);
    },
    async stop(withinMs) {
      const cut = setTimeout(() => server.closeAllConnections(), withinMs);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(cut);
    },
  };
}

/** Ends the connection of a client that does not take its response. */
function endSlowResponse(res: ServerResponse, socket: Socket, withinMs: number): void {
  // All of it is written, and some of it may still wait for the client.
  res.once('prefinish', () => {
    const timer = setTimeout(() => socket.destroy(), withinMs);
    res.once('close', () => clearTimeout(timer));
  });
}

/** The statuses that Node answers with by itself. */
const BROKEN_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** A response without a body, after which the connection ends. */
function plainResponse(status: number, publicUrl: string): string {
  const headers = {
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
    'Cache-Control': 'no-store',
    'Content-Length': '0',
    Connection: 'close',
    ...transportSecurity(publicUrl),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
}

function reasonOf(cause: Error, host: string, port: number): string {
  const code = 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is taken: set COUNTERSIGN_PORT to another, or to 0.`;
  if (code === 'EACCES') return `Port ${port} may not be used here: set COUNTERSIGN_PORT to one above 1023.`;
  return `The server cannot listen on ${host}, port ${port} (${code ?? cause.name}): look at COUNTERSIGN_HOST.`;
}
