import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply } from './reply.ts';

/** The error of node:http's `clientError`. */
export interface ParseError extends Error {
  readonly code?: string;
  /** The parser's words. */
  readonly reason?: string;
  readonly rawPacket?: Uint8Array;
}

/** The statuses that node:http itself uses for unreadable requests. Any other error is 400. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export function brokenStatus({ code = '' }: ParseError): number {
  return STATUS[code] ?? 400;
}

/** Connections whose request is answered while its body is still arriving. */
const ANSWERED_EARLY = new WeakSet<Duplex>();

/** Notes that a request is answered before its body arrived. A fault in that body then needs no second response. */
export function answeredEarly(request: IncomingMessage): void {
  const { socket } = request;
  ANSWERED_EARLY.add(socket);
  request.once('end', () => ANSWERED_EARLY.delete(socket));
}

/** Connections that get their last response. The parser reports its error again with every later packet. */
const ENDING = new WeakSet<Duplex>();

/**
 * Ends a connection with a response if its bytes are unreadable from here on. A response in progress is sent first. If
 * that waits for the broken body, the last response replaces it.
 * @param reply the last response
 * @param needsNoBody whether the response to a request comes without its body
 */
export function endConnection(
  socket: Duplex,
  reply: () => Promise<Reply | undefined>,
  needsNoBody: (request: IncomingMessage) => boolean,
): void {
  if (ENDING.has(socket)) return;
  ENDING.add(socket);
  const current = responseUnderWay(socket);
  if (current === undefined || isStuck(current, needsNoBody)) {
    if (ANSWERED_EARLY.has(socket)) socket.end(() => socket.destroy());
    else writeLast(socket, reply);
    return;
  }
  current.once('close', () => {
    // The broken part is either the next request, or the rest of this one, which has its response now.
    if (current.req.complete) writeLast(socket, reply);
    else socket.end(() => socket.destroy());
  });
}

/** Whether the response waits for a body that will not arrive. */
function isStuck(
  { headersSent, req }: ServerResponse,
  needsNoBody: (request: IncomingMessage) => boolean,
): boolean {
  return !headersSent && !req.complete && !needsNoBody(req);
}

/** node:http keeps it on the connection, where its own `clientError` listener reads it. It has no public name. */
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

/** Returns the bytes of a response that ends the connection. */
export function responseText({ status, headers, body }: Reply): string {
  const all = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const lines = Object.entries(all).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}\r\n`),
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
