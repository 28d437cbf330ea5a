import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Certificate, makeCertificate } from './certificate.ts';
import { imapMailbox } from './imap-mailbox.ts';
import { addressOf, DOMAIN, PASSWORD } from './mail-users.ts';
import { freePorts, waitForPort } from './ports.ts';
import { type ProcessGroup, run, startProcessGroup } from './process-group.ts';

export interface DovecotVariant {
  /** Overrides the capabilities after sign-in, to simulate a poorer server. */
  readonly capability?: string;
  /** `INBOX.` puts every folder below the inbox, as Cyrus and Courier do. The separator is then a dot. */
  readonly prefix?: 'INBOX.';
  /** False: the folders exist without special-use attributes. */
  readonly specialUse?: boolean;
  /** Folder names to use instead of Sent, Drafts, Trash, Junk and Archive. */
  readonly folders?: readonly string[];
  /** False: no STARTTLS and no TLS port. */
  readonly tls?: boolean;
  /** False: no index of the folders. Dovecot writes it anew for each folder that is created, which adds up for hundreds. */
  readonly folderIndex?: boolean;
  /** True: a file `dovecot-acl` in a folder says who may do what there, as for folders that others share. */
  readonly acl?: boolean;
  /** Folders Views/All, Views/Flagged and Views/Important, marked as such, that show the messages of the other folders once more. */
  readonly views?: boolean;
  /**
   * Folders Public/News, which every user may read, and Public/Closed, which nobody may, although it is listed; and those that
   * users share with each other by `doveadm acl set`, below shared/. Implies `acl`.
   */
  readonly shared?: boolean;
  /** How much a user's mailbox may hold. Default: anything. */
  readonly quotaKb?: number;
  /** How many connections a user may have. */
  readonly maxConnections?: number;
  /** Where it asks for the user of an access token, which goes at the end. Default: it takes no access tokens. */
  readonly tokenInfoUrl?: string;
}

export interface Dovecot {
  /** Plain text, with STARTTLS. */
  readonly port: number;
  readonly tlsPort: number;
  readonly certificate: Certificate;
  readonly folder: string;
  /** A new user with an empty mailbox. @returns the user's name */
  addUser(): string;
  /** Saves a message unchanged. */
  deliver(
    user: string,
    raw: string | Uint8Array,
    options?: { mailbox?: string; receivedAt?: Date },
  ): Promise<void>;
  /** The messages of a folder, lowest UID first, with LF line ends. */
  messages(user: string, mailbox?: string): Promise<string[]>;
  /** Runs doveadm for one user. */
  doveadm(
    command: string,
    user: string,
    args?: readonly string[],
    input?: string | Uint8Array,
  ): Promise<string>;
  /** Changes the password of every user, to one without spaces, and restarts it: programs keep a connection to it. */
  setPassword(password: string): Promise<void>;
  /** Kills all processes at once; every connection drops. */
  crash(): Promise<void>;
  /** Restarts it on the same ports with the same mail. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Dovecot on the loopback interface. Any name is a user, with the password in mail-users.ts. Mail survives the death
 * of the server, not of the machine.
 */
export async function startDovecot(variant: DovecotVariant = {}): Promise<Dovecot> {
  // A unix socket path has at most 107 bytes, so this one is short. Other users must be able to traverse it.
  const folder = mkdtempSync('/tmp/cs-dovecot-');
  chmodSync(folder, 0o755);
  const certificate = await makeCertificate(folder);
  for (const name of ['run', 'mail', 'state']) mkdirSync(`${folder}/${name}`);
  chownSync(`${folder}/mail`, mailUser.uid, mailUser.gid);
  const config = `${folder}/dovecot.conf`;
  let password = PASSWORD;
  const savePassword = () =>
    writeFileSync(`${folder}/passdb.conf`, `passdb {\n  driver = static\n  args = password=${password}\n}\n`);
  savePassword();

  if (variant.views === true) addViews(`${folder}/views`);
  if (variant.shared === true) addPublicFolders(folder);
  let ports: [number, number] = [0, 0];
  let processes = await startOnFreePorts();
  let added = 0;

  async function startOnFreePorts(): Promise<ProcessGroup> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const [port = 0, tlsPort = 0] = await freePorts(2);
      ports = [port, tlsPort];
      writeFileSync(config, configuration(folder, certificate, ports, variant));
      writeFileSync(
        `${folder}/oauth2.conf`,
        `tokeninfo_url = ${variant.tokenInfoUrl ?? ''}\nusername_attribute = username\nintrospection_mode =\n`,
      );
      const started = await launch();
      if (started !== undefined) return started;
    }
    throw new Error(`Dovecot did not start; see ${folder}/dovecot.log`);
  }

  async function launch(): Promise<ProcessGroup | undefined> {
    rmSync(`${folder}/run/master.pid`, { force: true });
    const group = startProcessGroup('/usr/sbin/dovecot', ['-F', '-c', config], `${folder}/stderr.log`);
    return (await waitForPort(ports[0], () => group.hasEnded())) ? group : undefined;
  }

  async function restart(): Promise<void> {
    await processes.kill();
    for (let attempt = 1; attempt <= 50; attempt += 1) {
      const started = await launch();
      if (started !== undefined) {
        processes = started;
        return;
      }
      // A connection of another test may have taken the port meanwhile.
      await delay(100);
    }
    throw new Error(`Dovecot did not start again; see ${folder}/dovecot.log`);
  }

  function doveadm(
    command: string,
    user: string,
    args: readonly string[] = [],
    input: string | Uint8Array = '',
  ) {
    const [verb = '', ...words] = command.split(' ');
    return run('/usr/bin/doveadm', ['-c', config, verb, ...words, '-u', addressOf(user), ...args], input);
  }

  return {
    get port() {
      return ports[0];
    },
    get tlsPort() {
      return ports[1];
    },
    certificate,
    folder,
    addUser() {
      added += 1;
      return `user${added}`;
    },
    deliver: (user, raw, { mailbox = 'INBOX', ...options } = {}) =>
      imapMailbox(ports[0], user, password).deliver(mailbox, raw, options),
    async messages(user, mailbox = 'INBOX') {
      const raws = await imapMailbox(ports[0], user, password).messages(mailbox);
      return raws.map((raw) => raw.replaceAll('\r\n', '\n'));
    },
    doveadm,
    async setPassword(changed) {
      password = changed;
      savePassword();
      await restart();
    },
    crash: () => processes.kill(),
    restart,
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const VIEWS = { All: 'all', Flagged: 'flagged', Important: 'keyword $Important' };

/** Each view says in a file which folders it shows, and which of their messages. One that may not be read closes the view. */
function addViews(path: string): void {
  for (const [name, search] of Object.entries(VIEWS)) {
    mkdirSync(`${path}/${name}`, { recursive: true });
    writeFileSync(`${path}/${name}/dovecot-virtual`, `*\n-Trash\n-Junk\n-Views/*\n-Shared\n  ${search}\n`);
  }
}

const PUBLIC = { News: 'lr', Closed: 'l' };

/** Each public folder says in a file who has which rights. */
function addPublicFolders(folder: string): void {
  const added = [`${folder}/shared`, `${folder}/public`];
  for (const [name, rights] of Object.entries(PUBLIC)) {
    const path = `${folder}/public/.${name}`;
    added.push(path, ...['cur', 'new', 'tmp'].map((part) => `${path}/${part}`));
    mkdirSync(path, { recursive: true });
    writeFileSync(`${path}/dovecot-acl`, `anyone ${rights}\n`);
  }
  for (const path of added) {
    mkdirSync(path, { recursive: true });
    chownSync(path, mailUser.uid, mailUser.gid);
  }
}

/** Debian's `mail` user, who owns the mail files. */
const mailUser = { uid: 8, gid: 8 };

const ROLE_FOLDERS = ['Sent', 'Drafts', 'Trash', 'Junk', 'Archive'];

function configuration(
  folder: string,
  { certFile, keyFile }: Certificate,
  [port, tlsPort]: [number, number],
  {
    capability,
    prefix,
    specialUse = true,
    folders = ROLE_FOLDERS,
    tls = true,
    folderIndex = true,
    shared = false,
    acl = shared,
    views = false,
    quotaKb,
    maxConnections = 100,
    tokenInfoUrl,
  }: DovecotVariant,
): string {
  const mailboxes = folders.map((name) => {
    const attribute = specialUse && ROLE_FOLDERS.includes(name) ? `special_use = \\${name}` : '';
    return `  mailbox "${name}" {\n    auto = subscribe\n    ${attribute}\n  }\n`;
  });
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
instance_name = test-${port}
log_path = ${folder}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
shutdown_clients = yes
mail_location = maildir:~/Maildir
mail_uid = mail
mail_gid = mail
mail_privileged_group =
first_valid_uid = 1
first_valid_gid = 1
mailbox_list_index = ${folderIndex ? 'yes' : 'no'}
mail_fsync = never
mail_max_userip_connections = ${maxConnections}
mail_plugins =${acl ? ' acl' : ''}${quotaKb === undefined ? '' : ' quota'}${views ? ' virtual' : ''}
plugin {
  ${acl ? 'acl = vfile' : ''}
  ${shared ? `acl_shared_dict = file:${folder}/shared/mailboxes` : ''}
  ${quotaKb === undefined ? '' : `quota = maildir\n  quota_rule = *:storage=${quotaKb}K`}
}
disable_plaintext_auth = no
auth_mechanisms = plain login${tokenInfoUrl === undefined ? '' : ' xoauth2 oauthbearer'}
auth_failure_delay = 0
auth_username_format = %Lu
auth_default_realm = ${DOMAIN}
ssl = ${tls ? 'yes' : 'no'}
ssl_cert = <${certFile}
ssl_key = <${keyFile}
postmaster_address = postmaster@${DOMAIN}
hostname = mail.${DOMAIN}
recipient_delimiter = +
${tokenInfoUrl === undefined ? '' : `passdb {\n  driver = oauth2\n  mechanisms = xoauth2 oauthbearer\n  args = ${folder}/oauth2.conf\n}`}
!include ${folder}/passdb.conf
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/mail/%Ln
}
namespace inbox {
  inbox = yes
  separator = ${prefix === undefined ? '/' : '.'}
  prefix = ${prefix ?? ''}
${mailboxes.join('')}}
${
  views
    ? `namespace views {
  prefix = Views/
  separator = /
  list = yes
  location = virtual:${folder}/views:INDEX=~/view-index:CONTROL=~/view-control
${Object.keys(VIEWS)
  .map((name) => `  mailbox ${name} {\n    special_use = \\${name}\n  }\n`)
  .join('')}}`
    : ''
}
${
  shared
    ? `namespace {
  type = public
  prefix = Public/
  separator = /
  location = maildir:${folder}/public:INDEX=~/public-index:CONTROL=~/public-control
  subscriptions = no
  list = children
}
namespace {
  type = shared
  prefix = shared/%%n/
  separator = /
  location = maildir:${folder}/mail/%%n/Maildir:INDEX=~/shared-index/%%n
  subscriptions = no
  list = children
}`
    : ''
}
protocol imap {
  ${capability === undefined ? '' : `imap_capability = ${capability}`}
}
service imap-login {
  service_count = 0
  process_min_avail = 1
  client_limit = 1000
  inet_listener imap {
    address = 127.0.0.1
    port = ${port}
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = ${tls ? tlsPort : 0}
    ssl = yes
  }
}
service imap {
  # Its processes serve one connection after another: to start one takes longer than most of what it then does.
  service_count = 0
  process_limit = 1000
}
service lmtp {
  unix_listener lmtp {
    mode = 0666
  }
}
service auth {
  unix_listener auth-postfix {
    mode = 0666
  }
}
service anvil {
  # No growing penalty after wrong passwords: tests all come from one address.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}
