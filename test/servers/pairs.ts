import { once } from 'node:events';
import net from 'node:net';

export interface Pairs {
  readonly port: number;
  /** Ends every connection. @returns whether there was one */
  drop(): boolean;
  stop(): Promise<void>;
}

/**
 * Accepts connections on the loopback interface, and opens one to a server for each.
 * @param relay  passes on what each side says to the other
 */
export async function startPairs(
  toPort: number,
  relay: (client: net.Socket, upstream: net.Socket) => void,
): Promise<Pairs> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(toPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => sockets.delete(socket));
      // The other side may have ended the connection, and one end may still write to it.
      socket.on('error', () => undefined);
    }
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.end());
    relay(client, upstream);
  });

  function drop(): boolean {
    for (const socket of sockets) socket.destroy();
    return sockets.size > 0;
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    port: address.port,
    drop,
    async stop() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
