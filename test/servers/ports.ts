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
  while (held.length < count) {
    const server = await holding(randomPort());
    if (server !== undefined) held.push(server);
  }
  return released(held);
}

/** The same for a server that takes `count` ports in a row. @returns the first of them */
export async function freePortRow(count: number): Promise<number> {
  for (;;) {
    const first = randomPort();
    const held: net.Server[] = [];
    for (let port = first; port < first + count; port += 1) {
      const server = await holding(port);
      if (server !== undefined) held.push(server);
    }
    await released(held);
    if (held.length === count) return first;
  }
}

function randomPort(): number {
  return randomInt(15_000, 32_000);
}

/** By this process, so that those who ask at the same time get different ports. */
const handedOut = new Set<number>();

/** Undefined: the port is taken. */
async function holding(port: number): Promise<net.Server | undefined> {
  if (handedOut.has(port)) return undefined;
  handedOut.add(port);
  const server = net.createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  return isListening ? server : undefined;
}

async function released(held: readonly net.Server[]): Promise<number[]> {
  const ports = held.map((server) => (server.address() as net.AddressInfo).port);
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
