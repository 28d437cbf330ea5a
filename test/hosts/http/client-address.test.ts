import { describe, expect, it } from 'vitest';
import { clientAddress, trustedProxies } from '../../../hosts/http/client-address.ts';

const NEAR = '127.0.0.1';

function addressOf(
  headers: Record<string, string>,
  { peer = NEAR, trusted = [NEAR] as string[] } = {},
): string {
  return clientAddress({ method: 'GET', target: '/', headers, peer }, trustedProxies(trusted));
}

describe('the address of a caller', () => {
  it.each([
    ['nobody is trusted: the peer', { 'x-forwarded-for': '192.0.2.1' }, { trusted: [] }, NEAR],
    ['another peer than the proxy', { 'x-forwarded-for': '192.0.2.1' }, { peer: '192.0.2.9' }, '192.0.2.9'],
    ['no header', {}, {}, NEAR],
    ['X-Forwarded-For', { 'x-forwarded-for': '192.0.2.1' }, {}, '192.0.2.1'],
    [
      'the nearest one: what stands before it the caller wrote',
      { 'x-forwarded-for': '10.9.9.9, 192.0.2.1' },
      {},
      '192.0.2.1',
    ],
    [
      'behind two proxies',
      { 'x-forwarded-for': '192.0.2.1, 10.0.0.7' },
      { trusted: [NEAR, '10.0.0.0/8'] },
      '192.0.2.1',
    ],
    ['proxies alone', { 'x-forwarded-for': '10.0.0.7' }, { trusted: [NEAR, '10.0.0.0/8'] }, '10.0.0.7'],
    [
      'a hop that cannot be read hides what is behind it',
      { 'x-forwarded-for': '192.0.2.1, unknown' },
      {},
      NEAR,
    ],
    ['an IPv6 zone, of any length', { 'x-forwarded-for': `fe80::1%${'a'.repeat(5000)}` }, {}, 'fe80::1'],
    ['what is too long for an address', { 'x-forwarded-for': '9'.repeat(5000) }, {}, NEAR],
    ['a peer with a zone', {}, { peer: 'fe80::1%eth0', trusted: ['fe80::/10'] }, 'fe80::1'],
    ['a port', { 'x-forwarded-for': '192.0.2.1:4711' }, {}, '192.0.2.1'],
    ['Forwarded', { forwarded: 'for=192.0.2.1;proto=https;by=203.0.113.43' }, {}, '192.0.2.1'],
    ['Forwarded, for not first', { forwarded: 'proto=https; For="192.0.2.1"' }, {}, '192.0.2.1'],
    ['Forwarded, IPv6', { forwarded: 'for="[2001:DB8:cafe::17]:4711"' }, {}, '2001:db8:cafe::17'],
    ['Forwarded, several', { forwarded: 'for=10.9.9.9, for=192.0.2.1' }, {}, '192.0.2.1'],
    ['Forwarded, obfuscated', { forwarded: 'for=_hidden' }, {}, NEAR],
    ['both, agreeing', { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1' }, {}, '192.0.2.1'],
    [
      'both, differing: one of them the caller wrote',
      { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.2' },
      {},
      NEAR,
    ],
    [
      'an IPv4 peer in IPv6 form',
      { 'x-forwarded-for': '192.0.2.1' },
      { peer: '::ffff:127.0.0.1' },
      '192.0.2.1',
    ],
    [
      'an IPv6 network',
      { 'x-forwarded-for': '192.0.2.1' },
      { peer: 'fd00::5', trusted: ['fd00::/8'] },
      '192.0.2.1',
    ],
  ])('%s', (_name, headers, connection, address) => {
    expect(addressOf(headers as Record<string, string>, connection)).toBe(address);
  });

  it.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', ''])('%j is not a proxy', (entry) => {
    expect(() => trustedProxies([entry])).toThrow(`trustedProxies: "${entry}"`);
  });
});
