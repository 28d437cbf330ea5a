import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import {
  CONFLICTING_PACKAGES,
  CORPUS_PACKAGES,
  isInstalled,
  OCR_PACKAGES,
  SERVER_PACKAGES,
} from './debian-packages.ts';
import { UNPACKED } from './servers/unpacked.ts';

const PACKAGES = [...SERVER_PACKAGES, ...OCR_PACKAGES, ...Object.values(CORPUS_PACKAGES).flat()];

/** A mirror that stops answering ends the installation, not the run. */
const LONGEST_MS = 8 * 60_000;

/** Debian's package scripts ask this file whether they may start a service: 101 means no. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs the missing servers in CI, as root, on Debian. Elsewhere it changes nothing. If the installation
 * fails, the tests still run: suites without their programs are skipped and named at the end.
 */
export default function installServers(): void {
  const mayInstall =
    process.env.CI === 'true' && process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!mayInstall) return;
  const missing = PACKAGES.filter((name) => !isInstalled(name));
  const packed = CONFLICTING_PACKAGES.filter((name) => !existsSync(`${UNPACKED}/${name}`));
  if (missing.length === 0 && packed.length === 0) return;

  const ownPolicy = !existsSync(POLICY);
  if (ownPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    run('/', 'apt-get', 'update', '-qq');
    if (missing.length > 0) {
      const options = ['--no-install-recommends', '--no-upgrade', '-o', 'DPkg::Lock::Timeout=120'];
      run('/', 'apt-get', 'install', '-y', '-qq', ...options, ...missing);
    }
    for (const name of packed) unpack(name);
  } finally {
    if (ownPolicy) rmSync(POLICY);
  }
}

/** Unpacks all files of a package into their folder, or none. */
function unpack(name: string): void {
  mkdirSync(UNPACKED, { recursive: true, mode: 0o755 });
  const scratch = mkdtempSync(`${UNPACKED}/.unpacking-`);
  try {
    run(scratch, 'apt-get', 'download', '-qq', '-o', 'APT::Sandbox::User=root', name);
    const [archive] = readdirSync(scratch).filter((file) => file.endsWith('.deb'));
    if (archive === undefined) return;
    if (run(scratch, 'dpkg-deb', '-x', `${scratch}/${archive}`, `${scratch}/files`)) {
      renameSync(`${scratch}/files`, `${UNPACKED}/${name}`);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function run(cwd: string, command: string, ...args: string[]): boolean {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 2, 2],
    timeout: LONGEST_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) {
    process.stderr.write(`${command} ${args[0]} failed: tests that need it will be skipped\n`);
  }
  return status === 0;
}
