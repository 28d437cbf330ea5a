import { isIPv6 } from 'node:net';

/** Every interface of this machine; the machine itself reaches them all as localhost. */
const ANYWHERE = new Set(['0.0.0.0', '::']);

/** The address of a server that listens there. */
export function addressOf(host: string, port: number): string {
  if (ANYWHERE.has(host)) return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
