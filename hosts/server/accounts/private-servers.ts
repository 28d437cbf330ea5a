import type { AllowPrivateServers, Reach } from '../../../adapters/remote/connect.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Service } from '../../../core/service/service.ts';
import { trustedProxies as networks } from '../../http/client-address.ts';
import type { Configuration } from '../configuration.ts';

/**
 * Where accounts of this installation may have their servers, and its name there. A single owner runs the installation and may use any
 * address, because a box at home or Proton Mail Bridge is private. Several owners must not reach its network through it,
 * unless the setting allows that.
 */
export function reachOf(
  { allowPrivateServers, ehloName }: Pick<Configuration, 'allowPrivateServers' | 'ehloName'>,
  storage: Pick<Storage, 'owners'>,
): Reach {
  return { ehloName, allowPrivateServers: allowedServers(allowPrivateServers, storage) };
}

function allowedServers(
  allowPrivateServers: Configuration['allowPrivateServers'],
  storage: Pick<Storage, 'owners'>,
): AllowPrivateServers {
  if (allowPrivateServers === 'all' || allowPrivateServers === 'none') {
    return allowPrivateServers === 'all';
  }
  if (allowPrivateServers === undefined) {
    // Counted on every call: another process may have added an owner.
    return async () => (await storage.owners({ after: '', limit: 2 })).length <= 1;
  }
  const isAddress = (entry: string) => /^[\d.]+(\/\d+)?$/.test(entry) || entry.includes(':');
  const isWithin = networks(allowPrivateServers.filter(isAddress));
  const names = new Set(allowPrivateServers.map((entry) => entry.toLowerCase()));
  return ({ host, address }) => names.has(host.toLowerCase()) || isWithin(address);
}

/** The same for callers with a service but no storage. */
export function reachOfService(
  configuration: Pick<Configuration, 'allowPrivateServers' | 'ehloName'>,
  { owners }: Service,
): Reach {
  return reachOf(configuration, { owners: async (page) => (await owners.list(page)).owners });
}

/** The setting in words. */
export function privateServersInWords({
  allowPrivateServers,
}: Pick<Configuration, 'allowPrivateServers'>): string {
  const what = 'Mail and calendar servers at private addresses';
  if (allowPrivateServers === undefined) {
    return `${what} are allowed as long as there is one owner. COUNTERSIGN_ALLOW_PRIVATE_SERVERS changes that.`;
  }
  if (allowPrivateServers === 'all') return `${what} are allowed for every owner.`;
  if (allowPrivateServers === 'none') return `${what} are refused.`;
  return `${what} are refused, except ${allowPrivateServers.join(', ')}.`;
}
