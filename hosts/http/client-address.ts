import { BlockList, isIP } from 'node:net';
import { headerOf, type RequestHead } from './request-head.ts';

/** Whether an address belongs to a trusted proxy. */
export type IsTrusted = (address: string) => boolean;

/**
 * @param proxies addresses, or networks like `10.0.0.0/8`
 * @throws Error naming the invalid entry
 */
export function trustedProxies(proxies: readonly string[]): IsTrusted {
  if (proxies.length === 0) return () => false;
  const list = new BlockList();
  for (const entry of proxies) {
    const [address = '', prefix, ...more] = entry.split('/');
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    if (family === 0 || length < 0 || length > bits || more.length > 0) {
      throw new Error(`trustedProxies: "${entry}" is neither an address nor a network like 10.0.0.0/8.`);
    }
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Returns the caller's address: the other end of the connection. If that is a trusted proxy, the caller is the nearest
 * address in its `Forwarded` or `X-Forwarded-For` header that is not a trusted proxy. A proxy that sets one of the two
 * headers may pass on the other from the caller. If both are present and differ, neither counts.
 */
export function clientAddress(head: RequestHead, isTrusted: IsTrusted): string {
  const peer = plainAddress(head.peer) ?? head.peer;
  if (!isTrusted(peer)) return peer;
  const told = [forwarded(headerOf(head, 'forwarded')), forwardedFor(headerOf(head, 'x-forwarded-for'))]
    .filter((hops) => hops.length > 0)
    .map((hops) => nearestStranger(peer, hops, isTrusted));
  const [first = peer, second = first] = told;
  return first === second ? first : peer;
}

/** Goes backwards from the peer. Ignores everything beyond an unreadable hop. */
function nearestStranger(peer: string, hops: readonly (string | undefined)[], isTrusted: IsTrusted): string {
  let nearest = peer;
  for (const hop of hops.toReversed()) {
    if (hop === undefined) return nearest;
    nearest = hop;
    if (!isTrusted(hop)) return hop;
  }
  return nearest;
}

/** RFC 7239: `for=192.0.2.1, for="[2001:db8::1]:4711";proto=https`. */
function forwarded(header: string | undefined): (string | undefined)[] {
  if (header === undefined) return [];
  return header.split(',').map((hop) => plainAddress(/(?:^|;)\s*for="?([^";]+)"?/i.exec(hop.trim())?.[1]));
}

function forwardedFor(header: string | undefined): (string | undefined)[] {
  return header === undefined ? [] : header.split(',').map((hop) => plainAddress(hop.trim()));
}

/** Even an IPv6 address in brackets with a port is shorter. */
const WRITTEN_CHARS_MAX = 100;

/** Removes brackets, port, zone and the IPv6 form of an IPv4 address. Undefined if the text is not an address. */
function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // A zone may have any length, and names an interface of a different machine.
  const written = text.replace(/%[^\]]*/, '');
  if (written.length > WRITTEN_CHARS_MAX) return undefined;
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(written)?.[1] ??
    /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(written)?.[1] ??
    written;
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  return isIP(plain) === 0 ? undefined : plain.toLowerCase();
}
