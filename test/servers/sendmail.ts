import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { UNPACKED } from '../debian-packages.ts';
import { DOMAIN, PASSWORD } from './mail-users.ts';
import { UNSHARE } from './missing-servers.ts';
import { onFreePort } from './on-free-port.ts';
import { run, startProcessGroup } from './process-group.ts';

export interface Sendmail {
  /** Plain text, with AUTH. */
  readonly port: number;
  stop(): Promise<void>;
}

/** Where it delivers. */
export interface LmtpMailboxes {
  readonly users: readonly string[];
  /** The path of a unix socket. */
  readonly lmtpSocket: string;
}

const SENDMAIL = `${UNPACKED}/sendmail-bin/usr/libexec/sendmail/sendmail`;
const MACROS = `${UNPACKED}/sendmail-cf/usr/share/sendmail/cf`;
const M4 = '/usr/bin/m4';
const SASLPASSWD = '/usr/sbin/saslpasswd2';
const SASL_FOLDER = '/usr/lib/sasl2';

/** Sendmail uses no socket below a folder that everyone may write to, as `/tmp`. */
const SOCKET_FOLDER = '/mnt';

export const SENDMAIL_PROGRAMS = [SENDMAIL, MACROS, M4, SASLPASSWD, SASL_FOLDER, SOCKET_FOLDER, UNSHARE];

/**
 * Starts Sendmail on the loopback interface. Users sign in with the password in mail-users.ts, and may only use their own
 * address. It answers only once a message is delivered. Mail to other domains is refused.
 */
export async function startSendmail({ users, lmtpSocket }: LmtpMailboxes): Promise<Sendmail> {
  const folder = mkdtempSync('/tmp/cs-sendmail-');
  chmodSync(folder, 0o755);
  for (const name of ['queue', 'sasl']) mkdirSync(`${folder}/${name}`, { mode: 0o700 });
  for (const user of users) {
    await run(SASLPASSWD, ['-p', '-c', '-f', `${folder}/sasldb2`, '-u', DOMAIN, user], PASSWORD);
  }
  writeFileSync(
    `${folder}/sasl/Sendmail.conf`,
    `pwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: ${folder}/sasldb2\n`,
  );
  writeFileSync(`${folder}/switch`, 'hosts files\n');
  // It waits a minute if this machine has no name with a dot.
  writeFileSync(`${folder}/hosts`, `127.0.0.1 localhost\n127.0.0.1 mail.${DOMAIN} ${hostname()}\n`);
  const macros = configuration(folder, `${SOCKET_FOLDER}/${basename(lmtpSocket)}`);
  writeFileSync(
    `${folder}/sendmail.template`,
    await run(M4, [`-D_CF_DIR_=${MACROS}/`, `${MACROS}/m4/cf.m4`, '-'], macros),
  );

  // Where SASL looks for its settings is compiled in, so it runs with its own view of the file system.
  const script = `
mount --bind ${folder}/sasl ${SASL_FOLDER}
mount --bind ${folder}/hosts /etc/hosts
mount --bind ${dirname(lmtpSocket)} ${SOCKET_FOLDER}
exec ${SENDMAIL} -bD -q5s -C ${folder}/sendmail.cf
`;
  const log = `${folder}/stderr.log`;
  const [port, processes] = await onFreePort(log, (candidate) => {
    const template = readFileSync(`${folder}/sendmail.template`, 'utf8');
    writeFileSync(`${folder}/sendmail.cf`, template.replace('Port=0', `Port=${candidate}`));
    const view = ['--mount', '--propagation', 'private', '--', 'bash', '-euc', script];
    return startProcessGroup(UNSHARE, view, log);
  });

  return {
    port,
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Macros of m4. A tab separates the two sides of a rule. */
function configuration(folder: string, lmtpSocket: string): string {
  return `
OSTYPE(\`linux')dnl
define(\`confDOMAIN_NAME', \`mail.${DOMAIN}')dnl
define(\`QUEUE_DIR', \`${folder}/queue')dnl
define(\`STATUS_FILE', \`')dnl
define(\`ALIAS_FILE', \`')dnl
define(\`confPID_FILE', \`${folder}/sendmail.pid')dnl
define(\`confSERVICE_SWITCH_FILE', \`${folder}/switch')dnl
define(\`confDELIVERY_MODE', \`interactive')dnl
define(\`confDEF_USER_ID', \`8:8')dnl
define(\`confTO_IDENT', \`0')dnl
define(\`confTO_QUEUERETURN', \`1h')dnl
define(\`confAUTH_MECHANISMS', \`PLAIN LOGIN')dnl
TRUST_AUTH_MECH(\`PLAIN LOGIN')dnl
FEATURE(\`no_default_msa')dnl
FEATURE(\`nocanonify')dnl
FEATURE(\`accept_unresolvable_domains')dnl
DAEMON_OPTIONS(\`Name=MSA, Family=inet, Addr=127.0.0.1, Port=0, Modify=a')dnl
LOCAL_DOMAIN(\`${DOMAIN}')dnl
define(\`SMART_HOST', \`error:5.7.1:550 Mail does not leave this machine')dnl
define(\`confLOCAL_MAILER', \`cyrusv2')dnl
define(\`CYRUSV2_MAILER_ARGS', \`FILE ${lmtpSocket}')dnl
MODIFY_MAILER_FLAGS(\`CYRUSV2', \`-A')dnl
MAILER(\`cyrusv2')dnl
LOCAL_RULESETS
SLocal_check_mail
R<$&{auth_authen}>\t$@ OK
R$*\t$#error $@ 5.7.1 $: "553 Sender does not match the signed-in user"
`;
}
