import type { PrivateServer, Reach } from '../../adapters/remote/connect.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { trustedProxies as networks } from '../http/client-address.ts';
import type { Configuration } from './configuration.ts';

/**
 * Where the accounts of this installation may have their servers. With one owner, who runs it, anywhere: a box at home
 * or Proton Mail Bridge is private. Owners who share an installation must not reach its network through it, unless
 * the setting says so.
 */
export function reachOf(
  { allowPrivateServers }: Pick<Configuration, 'allowPrivateServers'>,
  storage: Pick<Storage, 'owners'>,
): Reach {
  if (allowPrivateServers === 'all' || allowPrivateServers === 'none') {
    return { allowPrivateServers: allowPrivateServers === 'all' };
  }
  if (allowPrivateServers === undefined) {
    // Counted each time: another owner may have been added by another process.
    return { allowPrivateServers: async () => (await storage.owners()).length <= 1 };
  }
  const isAddress = (entry: string) => /^[\d.]+(\/\d+)?$/.test(entry) || entry.includes(':');
  const isWithin = networks(allowPrivateServers.filter(isAddress));
  const names = new Set(allowPrivateServers.map((entry) => entry.toLowerCase()));
  const isListed = ({ host, address }: PrivateServer) => names.has(host.toLowerCase()) || isWithin(address);
  return { allowPrivateServers: isListed };
}

/** The setting in words. */
export function privateServersInWords({
  allowPrivateServers,
}: Pick<Configuration, 'allowPrivateServers'>): string {
  const what = 'Mail and calendar servers at private addresses';
  if (allowPrivateServers === undefined) {
    return `${what} are allowed while there is one owner, and refused from the second on; COUNTERSIGN_ALLOW_PRIVATE_SERVERS decides otherwise.`;
  }
  if (allowPrivateServers === 'all') return `${what} are allowed for every owner.`;
  if (allowPrivateServers === 'none') return `${what} are refused.`;
  return `${what} are refused, except ${allowPrivateServers.join(', ')}.`;
}
