import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 networks that are not on the public internet: RFC 6890 and its successors. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's metadata service, although it lies among public addresses.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** Excluded from global unicast: protocol assignments (including Teredo), documentation, and 6to4, which embeds an IPv4. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;

const special = new BlockList();
for (const network of SPECIAL_IPV4) addTo(special, network, 'ipv4');
for (const network of SPECIAL_IPV6) addTo(special, network, 'ipv6');
const globalIpv6 = new BlockList();
addTo(globalIpv6, '2000::/3', 'ipv6');

/**
 * Whether an address is on the public internet: not loopback, private or reserved. False for an IPv6 that embeds an
 * IPv4 (mapped, NAT64), for an IPv6 with a zone (an interface of this machine), and for anything that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return (
    isIPv6(address) &&
    !address.includes('%') &&
    globalIpv6.check(address, 'ipv6') &&
    !special.check(address, 'ipv6')
  );
}

function addTo(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = network.split('/');
  list.addSubnet(address, Number(bits), family);
}
