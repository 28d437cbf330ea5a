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

function reasonOf(cause: Error, host: string, port: number): string {
  const code = 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is taken: set COUNTERSIGN_PORT to another, or to 0.`;
  if (code === 'EACCES') return `Port ${port} may not be used here: set COUNTERSIGN_PORT to one above 1023.`;
  return `The server cannot listen on ${host}, port ${port} (${code ?? cause.name}): look at COUNTERSIGN_HOST.`;
}
