import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressGroup } from '../../../core/keys/address-group.ts';

describe('the group of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:7f00:1', 'loopback'],
    ['127.0.0.1', 'loopback'],
    ['127.200.3.4', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
  ])('of %s is %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  it.each(['', 'unknown', '256.1.1.1', '1.2.3', '1::2::3', '1:2:3', '1:2:3:4:5:6:7:8:9', '12345::', ':1:2'])(
    'of text that is not an address (%j) is a hash',
    (text) => {
      expect(addressGroup(text)).toMatch(/^[\w-]{43}$/);
    },
  );

  it('is short and the same each time, whatever the text', () => {
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ maxLength: 200 }),
      fc.constant('9'.repeat(63_000)),
    );
    fc.assert(
      fc.property(text, (address) => {
        expect(addressGroup(address).length).toBeLessThanOrEqual(43);
        expect(addressGroup(address)).toBe(addressGroup(address));
      }),
    );
  });

  it('contains every address of one /64 and no others', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const half = fc.array(group, { minLength: 4, maxLength: 4 }).map((groups) => groups.join(':'));
    // A first group above 0 keeps clear of loopback and of IPv4 in IPv6.
    const network = half.filter((text) => !text.startsWith('0:'));
    fc.assert(
      fc.property(network, network, half, half, (one, other, here, there) => {
        expect(addressGroup(`${one}:${here}`)).toBe(addressGroup(`${one}:${there}`));
        if (one !== other) expect(addressGroup(`${one}:${here}`)).not.toBe(addressGroup(`${other}:${here}`));
      }),
    );
  });
});
