import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UNPACKED } from '../debian-packages.ts';
import type { Mailboxes } from './exim.ts';
import { DOMAIN } from './mail-users.ts';
import { UNSHARE } from './missing-servers.ts';
import { onFreePort } from './on-free-port.ts';
import { startProcessGroup } from './process-group.ts';
import { startSmtpSignIn } from './smtp-sign-in.ts';

export interface OpenSmtpd {
  /** Plain text, with AUTH. */
  readonly port: number;
  stop(): Promise<void>;
}

const PACKAGE = `${UNPACKED}/opensmtpd`;
const SMTPD = `${PACKAGE}/usr/sbin/smtpd`;

export const OPENSMTPD_PROGRAMS = [SMTPD, UNSHARE];

/** Debian's `mail` user, who owns the mail files. */
const MAIL_USER = '8:8';

/**
 * Starts OpenSMTPD on the loopback interface, and the sign-in in front of it: it offers AUTH only over TLS, and Debian 12
 * has a version of it whose TLS fails every handshake with OpenSSL 3. It refuses mail to other domains and other users.
 */
export async function startOpenSmtpd({ users, inboxOf }: Mailboxes): Promise<OpenSmtpd> {
  const folder = mkdtempSync('/tmp/cs-opensmtpd-');
  chmodSync(folder, 0o755);
  for (const name of ['lib/opensmtpd/empty', 'spool/smtpd', 'run', 'tmp']) {
    mkdirSync(`${folder}/var/${name}`, { recursive: true });
  }
  chmodSync(`${folder}/var/spool/smtpd`, 0o711);
  for (const [name, entry] of [
    ['passwd', (user: string, id: number) => `${user}:x:${id}:${id}::/var/lib/opensmtpd/empty:/bin/false\n`],
    ['group', (user: string, id: number) => `${user}:x:${id}:\n`],
  ] as const) {
    const own = ['opensmtpd', 'opensmtpq'].map((user, index) => entry(user, 64_001 + index));
    writeFileSync(`${folder}/${name}`, readFileSync(`/etc/${name}`, 'utf8') + own.join(''));
  }
  writeFileSync(`${folder}/resolv.conf`, 'lookup file\n');

  // Its users and paths are compiled in, so it runs with its own view of the file system.
  const script = `
mount --bind ${folder}/passwd /etc/passwd
mount --bind ${folder}/group /etc/group
${existsSync('/etc/resolv.conf') ? `mount --bind ${folder}/resolv.conf /etc/resolv.conf` : ''}
mount --bind ${PACKAGE}/usr/libexec /usr/libexec
mount --bind ${folder}/var /var
exec ${SMTPD} -d -f ${folder}/smtpd.conf
`;
  const log = `${folder}/smtpd.log`;
  const [port, processes] = await onFreePort(log, (candidate) => {
    const owners = users.map((user) => `"${user}" = "${MAIL_USER}:${dirname(inboxOf(user))}"`);
    writeFileSync(
      `${folder}/smtpd.conf`,
      `
table owners { ${owners.join(', ')} }
listen on 127.0.0.1 port ${candidate} hostname mail.${DOMAIN}
action inbox maildir "${inboxOf('%{user.username}')}" userbase <owners>
match from local for domain "${DOMAIN}" action inbox
`,
    );
    const view = ['--mount', '--propagation', 'private', '--', 'bash', '-euc', script];
    return startProcessGroup(UNSHARE, view, log);
  });
  const signIn = await startSmtpSignIn(port, users);

  return {
    port: signIn.port,
    async stop() {
      await signIn.stop();
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
