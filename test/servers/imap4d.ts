import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { UNPACKED } from '../debian-packages.ts';
import { DOMAIN, PASSWORD } from './mail-users.ts';
import { freePorts, waitForPort } from './ports.ts';
import { type ProcessGroup, run, startProcessGroup } from './process-group.ts';

/** GNU mailutils' IMAP server. It has no MOVE, UIDPLUS, CONDSTORE or SPECIAL-USE, and a session does not show flags of another. */
export interface Imap4d {
  /** Plain text. */
  readonly port: number;
  readonly users: readonly string[];
  /** The path of a user's inbox, a Maildir. */
  inboxOf(user: string): string;
  stop(): Promise<void>;
}

const PROGRAM = `${UNPACKED}/mailutils-imap4d/usr/sbin/imap4d`;
const LIBRARIES = `${UNPACKED}/libmailutils9/usr/lib`;

export const IMAP4D_PROGRAMS = [PROGRAM, LIBRARIES];

/** Debian's `mail` user, who owns the mail files. */
const mailUser = { uid: 8, gid: 8 };
const USERS = ['alice', 'bob', 'carol'];
const FOLDERS = ['INBOX', 'Sent', 'Drafts', 'Trash', 'Archive'];

/** Starts it on the loopback interface. */
export async function startImap4d(): Promise<Imap4d> {
  const folder = mkdtempSync('/tmp/cs-imap4d-');
  chmodSync(folder, 0o755);
  const homeOf = (user: string) => `${folder}/home/${user}`;
  for (const name of ['auth', 'home', 'spool']) mkdirSync(`${folder}/${name}`);
  const hash = (await run('/usr/bin/openssl', ['passwd', '-1', PASSWORD])).trim();
  const passwd = USERS.map((user) => {
    const home = homeOf(user);
    mkdirSync(home);
    const folders = FOLDERS.map((name) => `${home}/${name}`);
    const parts = folders.flatMap((path) => ['cur', 'new', 'tmp'].map((part) => `${path}/${part}`));
    for (const path of [...folders, ...parts]) mkdirSync(path);
    for (const path of [home, ...folders, ...parts]) chownSync(path, mailUser.uid, mailUser.gid);
    return `${user}:${hash}:${mailUser.uid}:${mailUser.gid}:${user}:${home}:/bin/sh\n`;
  });
  writeFileSync(`${folder}/auth/${DOMAIN}`, passwd.join(''));

  const triplet =
    (await run('/usr/bin/dpkg', ['--print-architecture'])).trim() === 'arm64' ? 'aarch64' : 'x86_64';
  let port = 0;
  const processes = await startOnFreePort();

  async function startOnFreePort(): Promise<ProcessGroup> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      [port = 0] = await freePorts(1);
      writeFileSync(`${folder}/imap4d.conf`, configuration(folder, port));
      const libraries = `LD_LIBRARY_PATH=${LIBRARIES}/${triplet}-linux-gnu`;
      const command = ['/usr/bin/env', [libraries, PROGRAM, `--config-file=${folder}/imap4d.conf`]] as const;
      const group = startProcessGroup(...command, `${folder}/imap4d.log`);
      if (await waitForPort(port, () => group.hasEnded())) return group;
    }
    throw new Error(`imap4d did not start: ${readFileSync(`${folder}/imap4d.log`, 'utf8').slice(-2000)}`);
  }

  return {
    port,
    users: USERS,
    inboxOf: (user) => `${homeOf(user)}/INBOX`,
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number): string {
  return `
mode daemon;
foreground yes;
pidfile ${folder}/imap4d.pid;
max-children 50;
server 127.0.0.1:${port} { tls-mode no; };
mailbox { mail-spool ${folder}/spool; mailbox-type maildir; };
virtdomain { passwd-dir ${folder}/auth; };
auth { authentication generic; authorization virtdomain; };
logging { syslog no; };
`;
}
