import { describe, expect, it } from 'vitest';
import type { Owner } from '../../../core/owners/owner-state.ts';
import { reachOf } from '../../../hosts/server/accounts/private-servers.ts';
import { readConfiguration } from '../../../hosts/server/configuration.ts';

const LAN = { host: 'mail.lan', address: '192.168.1.10' };
const BRIDGE = { host: '127.0.0.1', address: '127.0.0.1' };
const HOME6 = { host: 'box.example', address: 'fd00::7' };

async function allows(setting: string, owners: number, server: { host: string; address: string }) {
  const { allowPrivateServers } = readConfiguration(
    { COUNTERSIGN_ALLOW_PRIVATE_SERVERS: setting },
    '/nowhere',
  );
  const all = Array.from(
    { length: owners },
    (_, n): Owner => ({
      ownerId: `o${n}`,
      email: `o${n}@example.org`,
      timezone: 'UTC',
      language: 'en-GB',
      plansKeptDays: 30,
      proofFor: 'every_12_hours',
      plan: 'paid',
      limits: {},
      activeAccountId: null,
    }),
  );
  const { allowPrivateServers: allow } = reachOf(
    { ehloName: undefined, allowPrivateServers },
    { owners: async () => all },
  );
  return typeof allow === 'boolean' ? allow : allow(server);
}

describe('account servers at private addresses', () => {
  it.each([
    // Unset: a single owner, who runs the installation, may use a box at home and Proton Mail Bridge.
    ['', 1, LAN, true],
    ['', 1, BRIDGE, true],
    ['', 0, LAN, true],
    ['', 2, LAN, false],
    ['', 2, BRIDGE, false],
    ['all', 2, LAN, true],
    ['none', 1, LAN, false],
    ['mail.lan', 2, LAN, true],
    ['MAIL.LAN', 2, LAN, true],
    ['mail.lan', 2, BRIDGE, false],
    ['mail.lan', 1, BRIDGE, false],
    ['192.168.1.10', 2, LAN, true],
    ['192.168.1.0/24,127.0.0.1', 2, LAN, true],
    ['192.168.1.0/24, 127.0.0.1', 2, BRIDGE, true],
    ['192.168.2.0/24', 2, LAN, false],
    ['fd00::/8', 2, HOME6, true],
    ['fd00::7', 2, HOME6, true],
    ['fd00::8', 2, HOME6, false],
  ])('with the setting %j and %i owners, %j: %j', async (setting, owners, server, allowed) => {
    expect(await allows(setting, owners, server)).toBe(allowed);
  });

  it.each([
    '192.168.1',
    '10.0.0.0/33',
    'mail lan',
    'https://mail.lan',
    'all,mail.lan:993',
    ',',
    '2130706433',
  ])('an invalid setting is rejected: %j', (setting) => {
    expect(() => readConfiguration({ COUNTERSIGN_ALLOW_PRIVATE_SERVERS: setting }, '/nowhere')).toThrow(
      'COUNTERSIGN_ALLOW_PRIVATE_SERVERS: must be all, none, or host names',
    );
  });
});
