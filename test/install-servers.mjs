// Installs the servers that the tests talk to. Plain Node: CI runs it while npm installs the packages.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { servers, ocr, corpus, conflicting } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'debian-packages.json'), 'utf8'),
);
const PACKAGES = [...new Set([...servers, ...ocr, ...Object.values(corpus).flat()])];

/** A mirror that stops answering ends the installation, not the run. */
const LONGEST_MS = 15 * 60_000;

/** Debian's package scripts ask this file whether they may start a service: 101 means no. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Installs the missing servers in CI, as root, on Debian. Elsewhere it changes nothing. If the installation
 * fails, the tests still run: suites without their programs are skipped and named at the end.
 */
export function installServers() {
  const mayInstall =
    process.env.CI === 'true' && process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!mayInstall) return;
  const present = installed();
  const missing = PACKAGES.filter((name) => !present.has(name));
  const packed = conflicting.packages.filter((name) => !existsSync(`${conflicting.folder}/${name}`));
  if (missing.length === 0 && packed.length === 0) return;

  const ownPolicy = !existsSync(POLICY);
  if (ownPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    run('/', 'apt-get', 'update', '-qq');
    if (missing.length > 0) {
      const options = ['--no-install-recommends', '--no-upgrade', '-o', 'DPkg::Lock::Timeout=300'];
      run('/', 'apt-get', 'install', '-y', '-qq', ...options, ...missing);
    }
    for (const name of packed) unpack(name);
  } finally {
    if (ownPolicy) rmSync(POLICY);
  }
}

/** Names of all installed packages. */
function installed() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query replaces them.
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = (stdout ?? '').split('\n').map((line) => line.split(' '));
  return new Set(lines.flatMap(([name, status]) => (status === 'installed' ? [name] : [])));
}

/** Unpacks all files of a package into their folder, or none. */
function unpack(name) {
  mkdirSync(conflicting.folder, { recursive: true, mode: 0o755 });
  const scratch = mkdtempSync(`${conflicting.folder}/.unpacking-`);
  try {
    run(scratch, 'apt-get', 'download', '-qq', '-o', 'APT::Sandbox::User=root', name);
    const [archive] = readdirSync(scratch).filter((file) => file.endsWith('.deb'));
    if (archive === undefined) return;
    if (run(scratch, 'dpkg-deb', '-x', `${scratch}/${archive}`, `${scratch}/files`)) {
      renameSync(`${scratch}/files`, `${conflicting.folder}/${name}`);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** @returns whether it succeeded */
function run(cwd, command, ...args) {
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) installServers();
