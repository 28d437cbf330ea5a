import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** The Debian packages of the servers and the browser that the tests talk to. */
const PACKAGES = ['dovecot-imapd', 'dovecot-lmtpd', 'postfix', 'libsasl2-modules', 'openssl', 'chromium'];

/** Debian's package scripts ask this file whether they may start a service: 101 is no. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs the missing ones in CI, as root, on Debian; elsewhere the machine is left as it is. When that fails
 * the tests still run: the suites that lack their server are skipped and named at the end.
 */
export default function installServers(): void {
  const mayInstall =
    process.env.CI === 'true' && process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!mayInstall) return;
  const missing = PACKAGES.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;

  const ownPolicy = !existsSync(POLICY);
  if (ownPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', '--no-upgrade', ...missing);
  } finally {
    if (ownPolicy) rmSync(POLICY);
  }
}

function isInstalled(name: string): boolean {
  const query = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' });
  return query.status === 0 && /^Status: .* installed$/m.test(query.stdout);
}

function aptGet(...args: string[]): void {
  const { status } = spawnSync('apt-get', args, {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0)
    process.stderr.write(`apt-get ${args[0]} failed: tests that need its packages will be skipped\n`);
}
