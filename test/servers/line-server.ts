import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** Answers a line of the client; undefined: with nothing. */
export type LineScript = (line: string) => string | undefined;

/**
 * Starts a server that answers each line as the script says. It stops with the test.
 * @param newScript  is called for each connection
 * @returns its port
 */
export async function startLineServer(greeting: string, newScript: () => LineScript): Promise<number> {
  const server = createServer((socket) => {
    const script = newScript();
    socket.on('error', () => undefined);
    socket.write(`${greeting}\r\n`);
    socket.setEncoding('latin1').on('data', (text: string) => {
      for (const line of text.split('\r\n').slice(0, -1)) {
        const answer = script(line);
        if (answer !== undefined) socket.write(answer);
      }
    });
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
