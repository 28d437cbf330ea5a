import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** A policy service for Postfix that puts off mail that it has not seen before. */
export interface Greylisting {
  readonly port: number;
  /** How many recipients of how many messages were put off. */
  readonly putOff: number;
  stop(): Promise<void>;
}

/** Starts it on the loopback interface. It accepts the second attempt of the same sender to write to the same recipient. */
export async function startGreylisting(): Promise<Greylisting> {
  const seen = new Set<string>();
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    let rest = '';
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      // A request is lines of attributes, and ends with an empty one.
      const requests = (rest + text).split('\n\n');
      rest = requests.pop() ?? '';
      for (const request of requests) socket.write(`action=${actionFor(request)}\n\n`);
    });
  });

  function actionFor(request: string): string {
    const attributes = new Map(request.split('\n').map((line) => line.split('=', 2) as [string, string]));
    const way = `${attributes.get('sender')} ${attributes.get('recipient')}`;
    if (seen.has(way)) return 'dunno';
    seen.add(way);
    return '450 4.2.0 Greylisted, try again later';
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get putOff() {
      return seen.size;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
