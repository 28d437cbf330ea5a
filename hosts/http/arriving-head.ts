import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** The most that node:http reads of a head, by default. */
export const HEAD_MAX_BYTES = 16 * 1024;

interface Arriving {
  /** The head that is arriving, so far. */
  bytes: Uint8Array;
  /** The request before it, whose body may still be arriving. */
  before: IncomingMessage | undefined;
}

const arriving = new WeakMap<Duplex, Arriving>();

/**
 * Keeps the bytes of every head until it is read. node:http keeps none, and reports an unreadable head with the last
 * packet only. Costs about 2 µs per request.
 */
export function recordHeads(server: Server): void {
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Duplex) => {
    const head: Arriving = { bytes: new Uint8Array(), before: undefined };
    arriving.set(socket, head);
    // This must run before the parser gets the packet.
    socket.prependListener('data', (packet: Uint8Array) => {
      if (head.before?.complete === false || head.bytes.length > HEAD_MAX_BYTES) return;
      head.bytes = head.bytes.length === 0 ? packet : Buffer.concat([head.bytes, packet]);
    });
  });
  server.on('request', (req) => {
    const head = arriving.get(req.socket);
    if (head === undefined) return;
    head.bytes = new Uint8Array();
    head.before = req;
  });
}

/** Returns the bytes of the head that have arrived on a connection. Empty if they were not recorded. */
export function recordedHead(socket: Duplex): Uint8Array {
  return arriving.get(socket)?.bytes ?? new Uint8Array();
}
