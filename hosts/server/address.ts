import { isIPv6 } from 'node:net';

/** Listens on every interface; reachable from this machine as localhost. */
const ANYWHERE = new Set(['0.0.0.0', '::']);

/** The URL of a server that listens on this host and port. */
export function addressOf(host: string, port: number): string {
  if (ANYWHERE.has(host)) return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
