import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** A server that has its port before it has its handler: what is asked meanwhile waits. */
export interface WebServer {
  readonly server: Server;
  readonly port: number;
  answerWith(handler: Handler): void;
  /** Takes no more connections, waits for what is in flight, and cuts off what is not done by then. */
  stop(withinMs: number): Promise<void>;
}

/** A request that has not arrived whole by then holds a place of its key for nothing. */
const REQUEST_MS = 30_000;
const HEAD_MS = 10_000;

/** @param port 0: any free one @throws Error for people, when the port cannot be had */
export async function listen(host: string, port: number): Promise<WebServer> {
  // A request without a Host header is the handler's to refuse.
  const server = createServer({
    requireHostHeader: false,
    requestTimeout: REQUEST_MS,
    headersTimeout: HEAD_MS,
  });
  const early: [IncomingMessage, ServerResponse][] = [];
  const hold: Handler = (req, res) => early.push([req, res]);
  server.on('request', hold);
  server.on('request', (_req, res) => {
    // While stopping, a connection that is kept alive would keep the server from closing.
    res.once('close', () => setImmediate(() => server.listening || server.closeIdleConnections()));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(reasonOf(cause, host, port), { cause })));
    server.listen({ host, port }, resolve);
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    answerWith(handler) {
      server.off('request', hold);
      server.on('request', handler);
      for (const [req, res] of early) handler(req, res);
    },
    async stop(withinMs) {
      const cut = setTimeout(() => server.closeAllConnections(), withinMs);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(cut);
    },
  };
}

/** With port 0, a port that is free at one address may be taken at the other. */
const FREE_PORT_TRIES = 10;

/**
 * Listens at both addresses of the loopback host. Browsers look for `localhost` and the names below it at ::1 first, so
 * another program there, on the same port, would receive what is meant for this one, and would share its origin.
 * @throws Error for people, when the port cannot be had at both
 */
export async function listenOnLoopback(host: string, port: number, tries = 1): Promise<WebServer> {
  const first = await listen(host, port);
  const other = otherLoopback((first.server.address() as AddressInfo).address);
  if (other === undefined) return first;
  try {
    return together(first, await listen(other, first.port));
  } catch (error) {
    // This machine has no such address, so nobody else listens there.
    if (isMissingAddress(error)) return first;
    await first.stop(0);
    if (port !== 0 || tries === FREE_PORT_TRIES) throw error;
    return listenOnLoopback(host, port, tries + 1);
  }
}

function otherLoopback(address: string): string | undefined {
  if (address === '127.0.0.1' || address === '0.0.0.0') return '::1';
  return address === '::1' ? '127.0.0.1' : undefined;
}

function together(one: WebServer, other: WebServer): WebServer {
  return {
    ...one,
    answerWith(handler) {
      one.answerWith(handler);
      other.answerWith(handler);
    },
    async stop(withinMs) {
      await Promise.all([one.stop(withinMs), other.stop(withinMs)]);
    },
  };
}

function isMissingAddress(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

function reasonOf(cause: Error, host: string, port: number): string {
  const code = 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is taken: set COUNTERSIGN_PORT to another, or to 0.`;
  if (code === 'EACCES') return `Port ${port} may not be used here: set COUNTERSIGN_PORT to one above 1023.`;
  return `The server cannot listen on ${host}, port ${port} (${code ?? cause.name}): look at COUNTERSIGN_HOST.`;
}
