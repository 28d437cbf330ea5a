import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Loopback ports that were free a moment ago. They are below the range of ephemeral ports, so a server can restart on
 * its own port. Another test may still take one first, so callers must retry.
 */
export async function freePorts(count: number): Promise<number[]> {
  const held: net.Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(15_000, 32_000);
    const server = net.createServer();
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!listening) continue;
    held.push(server);
    ports.push(port);
  }
  for (const server of held) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}

/** Waits until something answers on the port. @returns false if `gaveUp` resolved first */
export async function waitForPort(port: number, gaveUp: () => boolean): Promise<boolean> {
  while (!gaveUp()) {
    if (await answers(port)) return true;
    await delay(20);
  }
  return false;
}

async function answers(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  return connected;
}
