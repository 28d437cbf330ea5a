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
 * What keeps the real mail servers from being started here; empty when nothing does. A suite that needs them
 * is skipped by a title that says this.
 * @param others  programs beside those of Dovecot and Postfix
 */
export function missingServers(others: readonly string[] = []): string[] {
  return missingPrograms([...PROGRAMS, ...others]);
}

/** For a server that gets a view of its own of the file system. In a container root may not always make one. */
export const UNSHARE = '/usr/bin/unshare';

function mayMount(): boolean {
  const view = ['--mount', '--propagation', 'private', '--', 'true'];
  return spawnSync(UNSHARE, view, { stdio: 'ignore' }).status === 0;
}

/** The same of servers that need neither Dovecot nor Postfix. */
export function missingPrograms(programs: readonly string[]): string[] {
  const missing = programs.filter((program) => !existsSync(program));
  if (programs.includes(UNSHARE) && !missing.includes(UNSHARE) && !mayMount()) {
    missing.push('the right to mount');
  }
  // The servers give up their rights themselves, to the users that Debian's packages made for them.
  return process.getuid?.() === 0 ? missing : [...missing, 'the rights of root'];
}

/** A suite's title with the reason why it is skipped, if it is. */
export function titled(title: string, others: readonly string[] = []): string {
  return titledWithout(missingServers(others), title);
}

export function titledWithout(missing: readonly string[], title: string): string {
  return missing.length === 0 ? title : `${title} (skipped: needs ${missing.join(', ')})`;
}
