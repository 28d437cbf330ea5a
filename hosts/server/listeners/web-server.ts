import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createTlsServer,
  type Server as TlsServer,
  type ServerOptions as TlsServerOptions,
} from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HEAD_MAX_BYTES, recordHeads } from '../../http/arriving-head.ts';
import { trustedProxies as trusted } from '../../http/client-address.ts';
import type { HttpHandler } from '../../http/http-handler.ts';
import { brokenStatus, endConnection, type ParseError, responseText } from '../../http/last-response.ts';
import type { Reply } from '../../http/reply.ts';
import { transportSecurity } from '../../http/transport-security.ts';
import type { Certificate } from './certificate.ts';
import { type ConnectionCaps, capConnections, isProxy } from './connection-caps.ts';

type BrokenHandler = (error: ParseError, socket: Duplex) => void;

/** A server that listens before it has a handler. Early requests wait. */
export interface WebServer {
  readonly server: Server;
  readonly port: number;
  /** Calls `attach` with each of its servers. */
  attach(attach: (server: Server) => void): void;
  /** @param broken  answers bytes that cannot be read as HTTP; default: a status without a body */
  answerWith(handler: HttpHandler, broken?: BrokenHandler): void;
  /** Accepts no more connections, waits for requests in flight, and cuts off those that take longer. */
  stop(withinMs: number): Promise<void>;
}

export interface WebServerOptions {
  /** The public address, if it is not derived from host and port. */
  readonly publicUrl?: string | undefined;
  /** Default: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  readonly trustedProxies?: readonly string[];
  readonly limits?: Partial<WebLimits>;
}

/**
 * The limits of one listener. Chosen for a self-hosted machine with two cores and the common limit of about 1,000 open
 * files on small systems, shared by three listeners, storage and mail servers.
 */
interface WebLimits extends ConnectionCaps {
  /** From the first byte of a connection or request to the end of its headers. */
  readonly headMs: number;
  /** Until the end of the body: 256 KB at 9 KB/s. A slower request wastes its place. */
  readonly requestMs: number;
  /** Between two requests of a client. Node's default: short enough to keep idle clients cheap. */
  readonly keepAliveMs: number;
  /**
   * The same for a trusted proxy. Longer than proxies keep idle connections, such as Caddy, for 2 minutes: a request that
   * meets the end of its connection gets a 502 from Caddy, and no response from HAProxy.
   */
  readonly proxyKeepAliveMs: number;
  /** How long a client may take to receive a finished response. */
  readonly responseMs: number;
  /** Without a byte in either direction. The slowest call and the slowest page take less than a minute. */
  readonly silenceMs: number;
}

export const LIMITS: WebLimits = {
  // About 25 MB if each has sent 16 KB of headers.
  total: 320,
  // A browser opens 6, an office behind one address some dozens. It takes five attackers to reach the total.
  perAddress: 64,
  headMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5000,
  proxyKeepAliveMs: 180_000,
  responseMs: 30_000,
  silenceMs: 120_000,
};

/** How often Node checks for late requests; its default is 30 s. */
const LATE_CHECK_MS = 1000;
/** A browser behind two proxies sends 30. */
export const HEADERS_MAX = 100;

/** @param port  0: any free port @throws Error with a message for the user, if the port is not available */
export async function listen(
  host: string,
  port: number,
  { publicUrl = '', certificate, trustedProxies = [], limits = {} }: WebServerOptions = {},
): Promise<WebServer> {
  const { headMs, requestMs, keepAliveMs, proxyKeepAliveMs, responseMs, silenceMs, ...caps } = {
    ...LIMITS,
    ...limits,
  };
  const isTrusted = trusted(trustedProxies);
  const options = {
    // The handler refuses a request without a Host header.
    requireHostHeader: false,
    requestTimeout: requestMs,
    headersTimeout: Math.min(headMs, requestMs),
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(LATE_CHECK_MS, headMs),
    maxHeaderSize: HEAD_MAX_BYTES,
  };
  const server =
    certificate === undefined
      ? createServer(options)
      : tlsServer({ ...options, handshakeTimeout: headMs }, certificate);
  // A client may close its sending side after its request (RFC 9112, 9.6). It still gets its answer, which ends the
  // connection. A client that is gone looks the same until something is written to it, so its wait (`wait_s`) may last its
  // whole time. The types of Node lack this property.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Beyond its count, Node would silently drop headers, a proxy's first.
  server.maxHeadersCount = 0;
  server.timeout = silenceMs;
  const refusal = (status: number) => plainReply(status, publicUrl);
  const destroyConnections = capConnections(server, caps, isTrusted, (socket) => {
    // Before the handshake there is no way to say why.
    if (certificate !== undefined) return void socket.destroy();
    socket.write(responseText(refusal(503)));
    socket.destroySoon();
  });

  const early: [IncomingMessage, ServerResponse][] = [];
  let handler: HttpHandler = (req, res) => early.push([req, res]);
  let broken: BrokenHandler = (error, socket) =>
    endConnection(
      socket,
      async () => refusal(brokenStatus(error)),
      () => false,
    );
  server.on('clientError', (error: ParseError, socket) => broken(error, socket));
  server.on('request', (req, res) => {
    endSlowResponse(res, req.socket, responseMs);
    if (isProxy(req.socket.remoteAddress ?? '', isTrusted)) keepIdle(res, req.socket, proxyKeepAliveMs);
    // While stopping, a kept-alive connection would keep the server from closing.
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
    attach: (attach) => attach(server),
    answerWith(answer, answerBroken) {
      handler = answer;
      if (answerBroken !== undefined) {
        broken = answerBroken;
        recordHeads(server);
      }
      for (const [req, res] of early.splice(0)) handler(req, res);
    },
    async stop(withinMs) {
      const cut = setTimeout(destroyConnections, withinMs);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(cut);
    },
  };
}

function tlsServer(options: TlsServerOptions, certificate: Certificate): TlsServer {
  const server = createTlsServer({ ...options, ...certificate.read() });
  // Only from here on: a connection that is half-closed during its handshake ends at once.
  server.on('secureConnection', (socket) => {
    socket.allowHalfOpen = true;
  });
  const stopWatching = certificate.watch((pair) => server.setSecureContext(pair));
  server.once('close', stopWatching);
  return server;
}

/** Destroys the connection of a client that does not take its response. */
function endSlowResponse(res: ServerResponse, socket: Socket, withinMs: number): void {
  // Everything is written, but some of it may still wait for the client.
  res.once('prefinish', () => {
    const timer = setTimeout(() => socket.destroy(), withinMs);
    res.once('close', () => clearTimeout(timer));
  });
}

/** Keeps a connection for its next request longer than the server's default, which Node sets when a response ends. */
function keepIdle(res: ServerResponse, socket: Socket, forMs: number): void {
  res.once('finish', () => socket.setTimeout(forMs));
}

/** A response without a body. */
function plainReply(status: number, publicUrl: string): Reply {
  const headers = {
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
    'Cache-Control': 'no-store',
    ...transportSecurity(publicUrl),
  };
  return { status, headers, body: '' };
}

function reasonOf(cause: Error, host: string, port: number): string {
  const code = 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is taken: set COUNTERSIGN_PORT to another port, or to 0.`;
  if (code === 'EACCES') return `Port ${port} is not permitted: set COUNTERSIGN_PORT to a port above 1023.`;
  return `The server cannot listen on ${host}, port ${port} (${code ?? cause.name}): check COUNTERSIGN_HOST.`;
}
