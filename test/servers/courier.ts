import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { UNPACKED } from '../debian-packages.ts';
import { addressOf, PASSWORD } from './mail-users.ts';
import { UNSHARE } from './missing-servers.ts';
import { freePorts, waitForPort } from './ports.ts';
import { type ProcessGroup, run, startProcessGroup } from './process-group.ts';

export interface Courier {
  /** Plain text. */
  readonly port: number;
  /** A new user with an empty mailbox. @returns the user's name */
  addUser(): string;
  /** The path of a user's inbox, a Maildir. */
  inboxOf(user: string): string;
  stop(): Promise<void>;
}

const PACKAGE = `${UNPACKED}/courier-imap`;

export const COURIER_PROGRAMS = [
  `${PACKAGE}/usr/bin/imapd`,
  '/usr/sbin/couriertcpd',
  '/usr/lib/courier/courier-authlib/authdaemond',
  '/usr/sbin/makeuserdb',
  UNSHARE,
];

/** Debian's `mail` user, who owns the mail files. */
const mailUser = { uid: 8, gid: 8 };
/** Passwords are in a database that is created once; a user's mailbox is created on demand. */
const MOST_USERS = 500;

/**
 * Starts Courier IMAP on the loopback interface. It has no MOVE, SPECIAL-USE or CONDSTORE, and every folder is below
 * `INBOX.`.
 */
export async function startCourier({
  maxConnections = 200,
}: {
  readonly maxConnections?: number;
} = {}): Promise<Courier> {
  const folder = mkdtempSync('/tmp/cs-courier-');
  chmodSync(folder, 0o755);
  for (const name of ['etc/shared', 'run/authdaemon', 'mail']) {
    mkdirSync(`${folder}/${name}`, { recursive: true });
  }
  await run('chown', ['-R', 'courier:courier', `${folder}/run`]);
  chownSync(`${folder}/mail`, mailUser.uid, mailUser.gid);
  writeFileSync(`${folder}/etc/authdaemonrc`, AUTHENTICATION);
  writeFileSync(
    `${folder}/etc/imapd`,
    `${readFileSync(`${PACKAGE}/etc/courier/imapd`, 'utf8')}\n${SETTINGS}`,
  );
  writeFileSync(`${folder}/etc/userdb`, await passwords(folder), { mode: 0o600 });

  let port = 0;
  const processes = await startOnFreePort();
  let added = 0;
  const homeOf = (user: string) => `${folder}/mail/${user}`;

  async function startOnFreePort(): Promise<ProcessGroup> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      [port = 0] = await freePorts(1);
      // Its paths are compiled in, so it runs with its own view of the file system.
      const group = startProcessGroup(
        UNSHARE,
        [
          '--mount',
          '--propagation',
          'private',
          '--',
          'bash',
          '-euc',
          startScript(folder, port, maxConnections),
        ],
        `${folder}/courier.log`,
      );
      if (await waitForPort(port, () => group.hasEnded())) return group;
    }
    throw new Error(`Courier did not start; see ${folder}/courier.log`);
  }

  return {
    port,
    addUser() {
      added += 1;
      if (added > MOST_USERS) throw new Error('There are no more users');
      const user = `user${added}`;
      makeMailbox(homeOf(user));
      return user;
    },
    inboxOf: (user) => `${homeOf(user)}/Maildir`,
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makeMailbox(home: string): void {
  const maildir = `${home}/Maildir`;
  const folders = ['Sent', 'Drafts', 'Trash', 'Junk', 'Archive'].map((name) => `${maildir}/.${name}`);
  for (const path of [home, maildir, ...folders]) owned(path);
  for (const path of [maildir, ...folders]) {
    for (const part of ['cur', 'new', 'tmp']) owned(`${path}/${part}`);
  }
  for (const path of folders) writeFileSync(`${path}/maildirfolder`, '');
}

function owned(path: string): void {
  mkdirSync(path);
  chownSync(path, mailUser.uid, mailUser.gid);
}

async function passwords(folder: string): Promise<string> {
  const hash = (await run('/usr/bin/openssl', ['passwd', '-1', PASSWORD])).trim();
  const lines = Array.from({ length: MOST_USERS }, (_, index) => {
    const user = `user${index + 1}`;
    const home = `${folder}/mail/${user}`;
    const facts = { ...mailUser, home, mail: `${home}/Maildir`, imappw: hash };
    const listed = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
    return `${addressOf(user)}\t${listed.join('|')}\n`;
  });
  return lines.join('');
}

const AUTHENTICATION = `
authmodulelist="authuserdb"
authmodulelistorig="authuserdb"
daemons=3
authdaemonvar=/run/courier/authdaemon
DEBUG_LOGIN=0
DEFAULTOPTIONS=""
LOGGEROPTS=""
`;

const SETTINGS = `
IMAP_EMPTYTRASH=
IMAP_IDLE_TIMEOUT=1
IMAP_ULIMITD=1048576
`;

/** The second process keeps running as leader of the group; killing it kills the server too. */
function startScript(folder: string, port: number, maxConnections: number): string {
  return `
mkdir -p /run/courier
mount --bind ${folder}/etc /etc/courier
mount --bind ${folder}/run /run/courier
makeuserdb
set -a
. /etc/courier/authdaemonrc
/usr/lib/courier/courier-authlib/authdaemond &
. /etc/courier/imapd
prefix=/usr exec_prefix=/usr sbindir=/usr/sbin bindir=/usr/bin
set +a
while [ ! -S /run/courier/authdaemon/socket ]; do sleep 0.02; done
umask 022
exec /usr/sbin/couriertcpd -address=127.0.0.1 -maxprocs=200 -maxperip=${maxConnections} -nodnslookup -noidentlookup ${port} \\
  ${PACKAGE}/usr/lib/courier/courier/imaplogin ${PACKAGE}/usr/bin/imapd Maildir
`;
}
