import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../adapters/discovery/public-address.ts';

describe('addresses of the public internet', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.0.1',
    '100.128.0.1',
    '223.255.255.255',
  ])('%s is one', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each(['2606:4700::1111', '2a00:1450:4001:80b::200e', '2001:200::1'])('%s is one', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
    ...[
      '172.31.255.255',
      '192.0.0.8',
      '192.0.2.1',
      '192.88.99.1',
      '192.168.1.1',
      '198.18.0.1',
      '198.19.255.255',
    ],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', 'fe80::1', 'fe80::1%lo', 'fc00::1', 'fd12:3456::1', 'ff02::1', '100::1', '2001:db8::1'],
    ...['2001::1', '2002:7f00:1::1', '3fff::1', '64:ff9b::a00:1', '64:ff9b:1::1', '5f00::1'],
    // An IPv4 in another dress.
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:8.8.8.8'],
    ...['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433'],
  ])('%j is none', (address) => expect(isPublicAddress(address)).toBe(false));
});
