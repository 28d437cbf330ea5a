import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply } from './reply.ts';

/** What node:http's `clientError` brings. */
export interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Uint8Array;
}

/** The statuses that node:http itself uses for what it cannot read. Anything else is 400. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export function brokenStatus({ code = '' }: ParseError): number {
  return STATUS[code] ?? 400;
}

/** Connections whose request has its response, and whose body is still coming. */
const ANSWERED_EARLY = new WeakSet<Duplex>();

/** The request has its response before its body came: what breaks in that body needs no other. */
export function answeredEarly(request: IncomingMessage): void {
  const { socket } = request;
  ANSWERED_EARLY.add(socket);
  request.once('end', () => ANSWERED_EARLY.delete(socket));
}

/**
 * Ends a connection whose bytes can no longer be read, with a response. A response that is under way goes out first.
 * It may be waiting for the body that is broken: then the last response takes its place.
 * @param reply the last response
 * @param needsNoBody whether the response to a request comes without its body
 */
export function endConnection(
  socket: Duplex,
  reply: () => Promise<Reply | undefined>,
  needsNoBody: (request: IncomingMessage) => boolean,
): void {
  const current = responseUnderWay(socket);
  if (current === undefined || isStuck(current, needsNoBody)) {
    if (ANSWERED_EARLY.has(socket)) socket.end(() => socket.destroy());
    else writeLast(socket, reply);
    return;
  }
  current.once('close', () => {
    // What is broken is either the next request, or the rest of this one, which has its response now.
    if (current.req.complete) writeLast(socket, reply);
    else socket.end(() => socket.destroy());
  });
}

/** It waits for a body that will not come. */
function isStuck(
  { headersSent, req }: ServerResponse,
  needsNoBody: (request: IncomingMessage) => boolean,
): boolean {
  return !headersSent && !req.complete && !needsNoBody(req);
}

/** node:http keeps it on the connection, and its own `clientError` listener looks there: it has no public name. */
function responseUnderWay(socket: Duplex): ServerResponse | undefined {
  const current = '_httpMessage' in socket ? socket._httpMessage : undefined;
  return current instanceof ServerResponse ? current : undefined;
}

function writeLast(socket: Duplex, reply: () => Promise<Reply | undefined>): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  reply().then(
    (last) =>
      last === undefined ? socket.destroy() : socket.end(responseText(last), () => socket.destroy()),
    () => socket.destroy(),
  );
}

/** The bytes of a response after which the connection ends. */
export function responseText({ status, headers, body }: Reply): string {
  const all = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
