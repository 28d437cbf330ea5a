import { discoverMail } from '../../../adapters/discovery/discover.ts';
import type { Discovery } from '../../../adapters/discovery/discovery.ts';
import { dnsResolver } from '../../../adapters/discovery/dns.ts';
import { httpsGet } from '../../../adapters/discovery/https-get.ts';
import type { Reader } from '../../../core/ports/reader.ts';

/** Finds the servers of an address through this machine's DNS. */
export function discover(email: string, reader: Reader): Promise<Discovery> {
  const resolver = dnsResolver();
  const { signal } = new AbortController();
  return discoverMail({ email, resolver, get: httpsGet({ resolver }), reader, signal });
}
