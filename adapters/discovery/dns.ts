import { NODATA, NOTFOUND, Resolver as NodeResolver } from 'node:dns/promises';
import type { Resolver } from './resolver.ts';

/** For the first try of a query; the second takes twice as long. */
const TRY_MS = 1500;
const TRIES = 2;

/**
 * Queries this machine's DNS servers and ignores its hosts file, so it finds what others would find.
 * @param servers  DNS servers to use instead, as `address` or `address:port`
 */
export function dnsResolver({ servers }: { servers?: readonly string[] } = {}): Resolver {
  async function ask<T>(
    signal: AbortSignal,
    question: (dns: NodeResolver) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    signal.throwIfAborted();
    const dns = new NodeResolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) dns.setServers(servers);
    const stop = () => dns.cancel();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await question(dns);
    } catch (error) {
      signal.throwIfAborted();
      if (isNoRecord(error)) return [];
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  return {
    async resolveMx(domain, signal) {
      const records = await ask(signal, (dns) => dns.resolveMx(domain));
      return records
        .filter(({ exchange }) => isHost(exchange))
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ exchange }) => exchange);
    },
    async resolveSrv(name, signal) {
      const records = await ask(signal, (dns) => dns.resolveSrv(name));
      return records
        .filter((record) => isHost(record.name))
        .toSorted((a, b) => a.priority - b.priority || b.weight - a.weight)
        .map(({ name: host, port }) => ({ host, port }));
    },
    async resolveAddresses(host, signal) {
      const families = await Promise.all([
        ask(signal, (dns) => dns.resolve4(host)),
        ask(signal, (dns) => dns.resolve6(host)),
      ]);
      return families.flat();
    },
  };
}

/** The root as host name means "no such service". */
function isHost(name: string): boolean {
  return name !== '' && name !== '.';
}

function isNoRecord(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === NOTFOUND || error.code === NODATA);
}
