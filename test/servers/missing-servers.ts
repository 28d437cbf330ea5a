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

/** The same of servers that need neither Dovecot nor Postfix. */
export function missingPrograms(programs: readonly string[]): string[] {
  const missing = programs.filter((program) => !existsSync(program));
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
