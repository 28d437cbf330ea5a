import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Certificate, makeCertificate } from './certificate.ts';
import type { Dovecot } from './dovecot.ts';
import { DOMAIN } from './mail-users.ts';
import { freePorts, waitForPort } from './ports.ts';
import { type ProcessGroup, startProcessGroup } from './process-group.ts';

export interface PostfixVariant {
  /** False: no STARTTLS, and AUTH in plain text. */
  readonly tls?: boolean;
  /** False: no AUTH; accepts mail only for its own users. */
  readonly auth?: boolean;
  /** The only mechanism that it offers for signing in. Default: all that Dovecot has. */
  readonly mechanism?: string;
  /** At most so many recipients of a message. */
  readonly recipients?: number;
  /** At most so many bytes of a message. */
  readonly messageBytes?: number;
  /** The port of a policy service that is asked about each recipient. */
  readonly policyPort?: number;
  /** Writes under this name that the domain of each envelope is the sender's (Authentication-Results), as a check of SPF does. */
  readonly authservId?: string;
  /** The certificate to present instead of its own. */
  readonly certificate?: Certificate;
}

/** How the server treats mail to these addresses, from any sender. */
export const RECIPIENTS = {
  /** 451 at RCPT. */
  tempfail: `tempfail@${DOMAIN}`,
  /** 552 at RCPT. */
  full: `full@${DOMAIN}`,
  /** 554 at RCPT. */
  blocked: `blocked@${DOMAIN}`,
  /** 550 at RCPT. */
  unknown: `nobody-such@${DOMAIN}`,
  /** 451 after the final dot. */
  tempfailAtEnd: `tempfail-at-end@${DOMAIN}`,
  /** 554 after the final dot. */
  blockedAtEnd: `blocked-at-end@${DOMAIN}`,
} as const;

export interface Postfix {
  /** Submission: plain text with STARTTLS, and AUTH only over TLS. */
  readonly port: number;
  readonly tlsPort: number;
  readonly certificate: Certificate;
  /** Resolves when everything it has accepted is delivered. */
  delivered(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Postfix on the loopback interface. It checks passwords with Dovecot and delivers to it. Senders may only use
 * their own address. Mail to other domains is accepted and discarded, so nothing leaves this machine.
 */
export async function startPostfix(dovecot: Dovecot, variant: PostfixVariant = {}): Promise<Postfix> {
  const folder = mkdtempSync('/tmp/cs-postfix-');
  chmodSync(folder, 0o755);
  const certificate = variant.certificate ?? (await makeCertificate(folder));
  for (const name of ['etc', 'spool', 'spool/pid']) mkdirSync(`${folder}/${name}`);
  // `postfix check` would create the folders of the queue, too: with a hundred processes.
  const postfixUser = statSync('/var/lib/postfix').uid;
  for (const name of ['data', ...OWN_FOLDERS.map((queue) => `spool/${queue}`)]) {
    mkdirSync(`${folder}/${name}`, { mode: 0o700 });
    chownSync(`${folder}/${name}`, postfixUser, statSync(folder).gid);
  }
  const log = `${folder}/postfix.log`;
  writeFileSync(
    `${folder}/etc/mailboxes`,
    `/^(alice|bob|carol|user[0-9]+|tempfail-at-end|blocked-at-end)@${DOMAIN}$/ ok\n`,
  );
  writeFileSync(`${folder}/etc/senders`, `/^(.+)@${DOMAIN}$/ $1@${DOMAIN}\n`);
  writeFileSync(
    `${folder}/etc/recipients`,
    `${RECIPIENTS.tempfail} 451 4.3.0 Temporary failure, try again later
${RECIPIENTS.full} 552 5.2.2 Mailbox full
${RECIPIENTS.blocked} 554 5.7.1 Message refused by policy
`,
  );
  writeFileSync(
    `${folder}/etc/recipients-at-end`,
    `${RECIPIENTS.tempfailAtEnd} 451 4.3.0 Temporary failure, try again later
${RECIPIENTS.blockedAtEnd} 554 5.7.1 Message refused by policy
`,
  );
  writeFileSync(
    `${folder}/etc/results`,
    `/@(.+)$/ PREPEND Authentication-Results: ${variant.authservId}; spf=pass smtp.mailfrom=$1\n`,
  );
  writeFileSync(`${folder}/etc/main.cf`, mainConfiguration(folder, certificate, dovecot, variant));

  let ports: [number, number] = [0, 0];
  const processes = await start();

  async function start(): Promise<ProcessGroup> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const [port = 0, tlsPort = 0] = await freePorts(2);
      ports = [port, tlsPort];
      writeFileSync(`${folder}/etc/master.cf`, services(ports, variant));
      // -d: stays in the process group it is started in.
      const group = startProcessGroup('/usr/lib/postfix/sbin/master', ['-d', '-c', `${folder}/etc`], log);
      if (await waitForPort(port, () => group.hasEnded())) return group;
    }
    throw new Error(`Postfix did not start: ${readFileSync(log, 'utf8').slice(-2000)}`);
  }

  return {
    port: ports[0],
    tlsPort: ports[1],
    certificate,
    async delivered() {
      for (let looks = 0; QUEUES.some((queue) => holdsFiles(`${folder}/spool/${queue}`)); looks += 1) {
        if (looks === 1000)
          throw new Error(`Postfix does not deliver: ${readFileSync(log, 'utf8').slice(-2000)}`);
        await setTimeout(20);
      }
    },
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The folders below its queue that belong to Postfix. The folder of its processes belongs to root. */
const OWN_FOLDERS = [
  ...['active', 'bounce', 'corrupt', 'defer', 'deferred', 'flush', 'hold', 'incoming', 'maildrop'],
  ...['private', 'public', 'saved', 'trace'],
];

/** Where a message is between the first byte of its reception and its delivery. */
const QUEUES = ['maildrop', 'incoming', 'active', 'deferred'];

function holdsFiles(queue: string): boolean {
  return readdirSync(queue, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());
}

function mainConfiguration(
  folder: string,
  { certFile, keyFile }: Certificate,
  dovecot: Dovecot,
  {
    tls = true,
    mechanism,
    recipients = 1000,
    messageBytes = 10_240_000,
    policyPort,
    authservId,
  }: PostfixVariant,
): string {
  return `
compatibility_level = 3.6
config_directory = ${folder}/etc
queue_directory = ${folder}/spool
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
meta_directory = /etc/postfix
sendmail_path = /usr/sbin/sendmail
newaliases_path = /usr/bin/newaliases
mailq_path = /usr/bin/mailq
setgid_group = postdrop
mail_owner = postfix
maillog_file_prefixes = ${folder}
maillog_file = ${folder}/mail.log
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.${DOMAIN}
mydestination =
mynetworks =
local_recipient_maps =
alias_maps =
alias_database =
smtputf8_enable = yes
disable_dns_lookups = yes
smtp_host_lookup = native
append_dot_mydomain = no
biff = no
default_transport = discard:kept on this machine
relay_transport = discard:kept on this machine
virtual_mailbox_domains = ${DOMAIN}
virtual_mailbox_maps = regexp:${folder}/etc/mailboxes
virtual_transport = lmtp:unix:${dovecot.folder}/run/lmtp
lmtp_tls_security_level = none
recipient_delimiter = +
smtpd_error_sleep_time = 0
smtpd_recipient_limit = ${recipients}
message_size_limit = ${messageBytes}
smtpd_client_connection_count_limit = 0
smtpd_peername_lookup = no
smtpd_tls_cert_file = ${certFile}
smtpd_tls_key_file = ${keyFile}
smtpd_tls_security_level = ${tls ? 'may' : 'none'}
smtpd_tls_auth_only = ${tls ? 'yes' : 'no'}
smtpd_tls_session_cache_database =
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${dovecot.folder}/run/auth-postfix
smtpd_sasl_mechanism_filter = ${mechanism ?? '!external, static:rest'}
smtpd_sasl_local_domain = ${DOMAIN}
smtpd_sender_login_maps = regexp:${folder}/etc/senders
smtpd_end_of_data_restrictions = check_recipient_access texthash:${folder}/etc/recipients-at-end
smtpd_recipient_restrictions = ${authservId === undefined ? '' : `check_sender_access regexp:${folder}/etc/results, `}check_recipient_access texthash:${folder}/etc/recipients, reject_unlisted_recipient${policyPort === undefined ? '' : `, check_policy_service inet:127.0.0.1:${policyPort}`}
`;
}

function services([port, tlsPort]: [number, number], { tls = true, auth = true }: PostfixVariant): string {
  const options = auth
    ? `  -o smtpd_sasl_auth_enable=yes
  -o smtpd_sender_restrictions=reject_sender_login_mismatch
  -o smtpd_relay_restrictions=permit_sasl_authenticated,reject
`
    : '  -o smtpd_relay_restrictions=reject_unauth_destination\n';
  const tlsService = `127.0.0.1:${tlsPort} inet n - n - - smtpd\n${options}  -o smtpd_tls_wrappermode=yes\n`;
  return `127.0.0.1:${port} inet n - n - - smtpd
${options}${tls ? tlsService : ''}pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
}
