import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { UNPACKED } from '../debian-packages.ts';
import { DOMAIN, PASSWORD } from './mail-users.ts';
import { UNSHARE } from './missing-servers.ts';
import { freePorts, waitForPort } from './ports.ts';
import { type ProcessGroup, startProcessGroup } from './process-group.ts';

export interface Exim {
  /** Plain text, with AUTH. */
  readonly port: number;
  stop(): Promise<void>;
}

/** Where it delivers. */
export interface Mailboxes {
  readonly users: readonly string[];
  /** The path of a user's inbox, a Maildir. */
  inboxOf(user: string): string;
}

const EXIM = `${UNPACKED}/exim4-daemon-light/usr/sbin/exim4`;

export const EXIM_PROGRAMS = [EXIM, UNSHARE];

/**
 * Starts Exim on the loopback interface. Users sign in with the password in mail-users.ts, and may only use their own
 * address. Mail to other domains is accepted and discarded.
 */
export async function startExim(mailboxes: Mailboxes): Promise<Exim> {
  const folder = mkdtempSync('/tmp/cs-exim-');
  chmodSync(folder, 0o755);
  for (const name of ['queue', 'log']) {
    mkdirSync(`${folder}/${name}`);
    chmodSync(`${folder}/${name}`, 0o777);
  }
  // The name of its user is compiled in. It has one in its own view of the file system.
  writeFileSync(
    `${folder}/passwd`,
    `${readFileSync('/etc/passwd', 'utf8')}Debian-exim:x:8:8::/:/bin/false\n`,
  );
  writeFileSync(`${folder}/group`, `${readFileSync('/etc/group', 'utf8')}Debian-exim:x:8:\n`);

  let port = 0;
  const processes = await startOnFreePort();

  async function startOnFreePort(): Promise<ProcessGroup> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      [port = 0] = await freePorts(1);
      writeFileSync(`${folder}/exim.conf`, configuration(folder, mailboxes, port));
      const script = `
mount --bind ${folder}/passwd /etc/passwd
mount --bind ${folder}/group /etc/group
exec ${EXIM} -C ${folder}/exim.conf -bdf -q5s
`;
      const group = startProcessGroup(
        UNSHARE,
        ['--mount', '--propagation', 'private', '--', 'bash', '-euc', script],
        `${folder}/stderr.log`,
      );
      if (await waitForPort(port, () => group.hasEnded())) return group;
    }
    throw new Error(`Exim did not start: ${readFileSync(`${folder}/stderr.log`, 'utf8').slice(-2000)}`);
  }

  return {
    port,
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, { users, inboxOf }: Mailboxes, port: number): string {
  const isRight = `\${if and{{match{$auth2}{@${DOMAIN}\\$}}{eq{$auth3}{${PASSWORD}}}}}`;
  return `
exim_path = ${EXIM}
exim_user = Debian-exim
exim_group = Debian-exim
spool_directory = ${folder}/queue
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/exim.pid
primary_hostname = mail.${DOMAIN}
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
tls_advertise_hosts =
host_lookup =
rfc1413_query_timeout = 0s
keep_environment =
disable_ipv6 = true
smtp_accept_max = 100
acl_smtp_rcpt = check_rcpt
acl_smtp_data = check_data
begin acl
check_rcpt:
  deny !authenticated = *
       message = Authentication required
  deny condition = \${if !eqi{$sender_address}{$authenticated_id}}
       message = Sender does not match the signed-in user
  accept control = submission/sender_retain
check_data:
  accept
begin routers
inbox:
  driver = accept
  domains = ${DOMAIN}
  local_parts = ${users.join(' : ')}
  transport = maildir
elsewhere:
  driver = redirect
  data = :blackhole:
begin transports
maildir:
  driver = appendfile
  directory = ${inboxOf('$local_part_data')}
  maildir_format
  user = mail
  group = mail
begin retry
* * F,1h,5s
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${isRight}
  server_set_id = $auth2
`;
}
