import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PROGRAMS = [
  '/usr/sbin/dovecot',
  '/usr/bin/doveadm',
  '/usr/lib/dovecot/lmtp',
  '/usr/sbin/postfix',
  '/usr/bin/openssl',
];

/**
 * Why the real mail servers cannot start here; empty if they can. A suite that needs them is skipped, and its title says
 * why.
 * @param others  required programs besides those of Dovecot and Postfix
 */
export function missingServers(others: readonly string[] = []): string[] {
  return missingPrograms([...PROGRAMS, ...others]);
}

/** For a server that needs its own view of the file system. In a container, even root may not be able to create one. */
export const UNSHARE = '/usr/bin/unshare';

function mayMount(): boolean {
  const view = ['--mount', '--propagation', 'private', '--', 'true'];
  return spawnSync(UNSHARE, view, { stdio: 'ignore' }).status === 0;
}

/** The same for servers that need neither Dovecot nor Postfix. */
export function missingPrograms(programs: readonly string[]): string[] {
  const missing = programs.filter((program) => !existsSync(program));
  if (programs.includes(UNSHARE) && !missing.includes(UNSHARE) && !mayMount()) {
    missing.push('the right to mount');
  }
  // The servers drop their privileges to the users that Debian's packages created.
  return process.getuid?.() === 0 ? missing : [...missing, 'the rights of root'];
}

/** The suite's title, with the reason if it is skipped. */
export function titled(title: string, others: readonly string[] = []): string {
  return titledWithout(missingServers(others), title);
}

export function titledWithout(missing: readonly string[], title: string): string {
  return missing.length === 0 ? title : `${title} (skipped: needs ${missing.join(', ')})`;
}
