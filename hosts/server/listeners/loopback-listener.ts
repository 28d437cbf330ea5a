import type { AddressInfo } from 'node:net';
import { listen, type WebServer, type WebServerOptions } from './web-server.ts';

/** With port 0, a port that is free on one address may be taken on the other. */
const FREE_PORT_TRIES = 10;

/**
 * Listens on both loopback addresses. Browsers try ::1 first for `localhost` and its subdomains, so another program on
 * that address and port would receive requests meant for this one, and would share its origin.
 * @throws Error with a message for the user, if the port is not free on both
 */
export async function listenOnLoopback(
  host: string,
  port: number,
  options: WebServerOptions = {},
  tries = 1,
): Promise<WebServer> {
  const first = await listen(host, port, options);
  const other = otherLoopback((first.server.address() as AddressInfo).address);
  if (other === undefined) return first;
  try {
    return together(first, await listen(other, first.port, options));
  } catch (error) {
    // This machine lacks the other address, so nobody else listens there.
    if (isMissingAddress(error)) return first;
    await first.stop(0);
    if (port !== 0 || tries === FREE_PORT_TRIES) throw error;
    return listenOnLoopback(host, port, options, tries + 1);
  }
}

function otherLoopback(address: string): string | undefined {
  if (address === '127.0.0.1' || address === '0.0.0.0') return '::1';
  return address === '::1' ? '127.0.0.1' : undefined;
}

function together(one: WebServer, other: WebServer): WebServer {
  return {
    ...one,
    attach(attach) {
      one.attach(attach);
      other.attach(attach);
    },
    answerWith(handler, broken) {
      one.answerWith(handler, broken);
      other.answerWith(handler, broken);
    },
    async stop(withinMs) {
      await Promise.all([one.stop(withinMs), other.stop(withinMs)]);
    },
  };
}

function isMissingAddress(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}
