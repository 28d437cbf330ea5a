import { createHash } from 'node:crypto';

/** Longer than any address with its brackets and zone. */
const ADDRESS_CHARS_MAX = 64;

/**
 * The network that one caller controls, as a key of at most 43 characters: an IPv4 address, the /64 of an IPv6 address,
 * or `loopback` for all loopback addresses, because a local program can use any of them. Any other text becomes its
 * SHA-256.
 */
export function addressGroup(address: string): string {
  if (address.length <= ADDRESS_CHARS_MAX) {
    const plain = address.replace(/%.*$/, '');
    const octets = octetsOf(plain);
    if (octets !== undefined) return ipv4Key(octets);
    const groups = groupsOf(plain);
    if (groups !== undefined) return ipv6Key(groups);
  }
  return createHash('sha256').update(address, 'utf8').digest('base64url');
}

function ipv4Key(octets: readonly number[]): string {
  return octets[0] === 127 ? 'loopback' : octets.join('.');
}

function ipv6Key(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0)) {
    if (groups[5] === 0xffff) return ipv4Key([high >> 8, high & 0xff, low >> 8, low & 0xff]);
    if (groups[5] === 0 && high === 0 && low === 1) return 'loopback';
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

function octetsOf(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const octets = text.split('.').map(Number);
  return octets.every((octet) => octet <= 255) ? octets : undefined;
}

/** The eight groups of an IPv6 address; undefined if the text is not one. */
function groupsOf(text: string): readonly number[] | undefined {
  const halves = text.split('::').map(groupsOfHalf);
  const [head, tail] = halves;
  if (head === undefined || halves.length > 2 || halves.includes(undefined)) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  return missing < 1 ? undefined : [...head, ...Array<number>(missing).fill(0), ...(tail ?? [])];
}

/** The last group may be a dotted IPv4 address, which counts as two groups. */
function groupsOfHalf(half: string): readonly number[] | undefined {
  if (half === '') return [];
  const groups: number[] = [];
  for (const group of half.split(':')) {
    const octets = octetsOf(group);
    if (octets !== undefined) {
      const [a = 0, b = 0, c = 0, d = 0] = octets;
      groups.push(a * 256 + b, c * 256 + d);
    } else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      groups.push(Number.parseInt(group, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}
