import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Behaviour } from './behaviours.ts';

/** A server that behaves oddly whenever a test likes, and passes everything on to a real one otherwise. */
export interface OddServer {
  readonly port: number;
  /** Whether a connection since the last change of behaviour has come to where it is odd. */
  readonly isReached: boolean;
  /** Connections that are open now. */
  readonly open: number;
  /** Ends all connections. */
  behave(odd: Behaviour | 'well'): void;
}

/** Stops with the test. @param wellPort of the real server */
export async function startOddServer(wellPort: number): Promise<OddServer> {
  const sockets = new Set<Socket>();
  let behaviour: Behaviour | 'well' = 'well';
  let isReached = false;
  const reach = () => {
    isReached = true;
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    // The other side may end a connection at any time.
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    if (behaviour === 'well') passOn(socket, wellPort);
    else {
      // Most are odd from the start.
      if (behaviour.length < 2) reach();
      behaviour(socket, reach);
      // Whoever reads nothing does not see the end of a connection.
      socket.resume();
    }
  });
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    end();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    get isReached() {
      return isReached;
    },
    get open() {
      return sockets.size;
    },
    behave(next) {
      end();
      isReached = false;
      behaviour = next;
    },
  };
}

function passOn(socket: Socket, port: number): void {
  const real = connect(port, '127.0.0.1');
  real.on('error', () => socket.destroy());
  socket.once('close', () => real.destroy());
  real.once('close', () => socket.destroy());
  socket.pipe(real).pipe(socket);
}
