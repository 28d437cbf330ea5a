import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { UNPACKED } from '../debian-packages.ts';
import type { CalendarUser } from './calendar-user.ts';
import { imapMailbox } from './imap-mailbox.ts';
import { addressOf, DOMAIN, PASSWORD } from './mail-users.ts';
import { freePorts, waitForPort } from './ports.ts';
import { type ProcessGroup, run, startProcessGroup } from './process-group.ts';

export interface Cyrus {
  /** Plain text. */
  readonly port: number;
  /** The path of a unix socket that takes mail for its users. */
  readonly lmtpSocket: string;
  /** A new user with an empty mailbox. @returns the user's name */
  addUser(): Promise<string>;
  /** The calendar that every user has from the start; needs `calendars`. */
  calendarOf(user: string): CalendarUser;
  /** Everything it has sent by mail, as passed to the mail server: RCPT TO, and the message. */
  sent(): string;
  stop(): Promise<void>;
}

const OWN = '/usr/lib/cyrus/bin';
const UNPACKED_OWN = `${UNPACKED}/cyrus-imapd/usr/lib/cyrus/bin`;

export const CYRUS_PROGRAMS = [`${OWN}/master`, `${UNPACKED_OWN}/imapd`, '/usr/sbin/saslpasswd2'];
export const CYRUS_CALENDAR_PROGRAMS = [...CYRUS_PROGRAMS, `${OWN}/httpd`];

/**
 * Starts Cyrus IMAP on the loopback interface with Debian's configuration: every folder is below `INBOX.`. It supports
 * OBJECTID, so it has stable ids of messages and conversations.
 * @param calendars  also starts CalDAV, which notifies attendees itself (RFC 6638)
 */
export async function startCyrus({ calendars = false } = {}): Promise<Cyrus> {
  const folder = mkdtempSync('/tmp/cs-cyrus-');
  chmodSync(folder, 0o755);
  const owner = statSync('/var/lib/cyrus');
  for (const name of FOLDERS) {
    mkdirSync(`${folder}/${name}`, { recursive: true });
    chownSync(`${folder}/${name}`, owner.uid, owner.gid);
  }
  chownSync(`${folder}/conf`, owner.uid, owner.gid);
  writeFileSync(`${folder}/imapd.conf`, configuration(folder));
  writeFileSync(`${folder}/sendmail`, mailServer(`${folder}/tmp/sent`), { mode: 0o755 });
  await addPassword('cyrus');
  chownSync(`${folder}/sasldb2`, owner.uid, owner.gid);

  let port = 0;
  let httpPort = 0;
  const processes = await startOnFreePort();
  let added = 0;

  async function startOnFreePort(): Promise<ProcessGroup> {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      [port = 0, httpPort = 0] = await freePorts(2);
      writeFileSync(`${folder}/cyrus.conf`, services(folder, port, calendars ? httpPort : undefined));
      const files = [
        '-C',
        `${folder}/imapd.conf`,
        '-M',
        `${folder}/cyrus.conf`,
        '-p',
        `${folder}/conf/master.pid`,
      ];
      const group = startProcessGroup(
        'setpriv',
        ['--reuid=cyrus', `--regid=${owner.gid}`, '--clear-groups', '--', `${OWN}/master`, ...files],
        `${folder}/master.log`,
      );
      const listens = await waitForPort(port, () => group.hasEnded());
      if (listens && (!calendars || (await waitForPort(httpPort, () => group.hasEnded())))) return group;
    }
    throw new Error(`Cyrus did not start; see ${folder}/master.log`);
  }

  async function addPassword(user: string): Promise<void> {
    const realm = `mail.${DOMAIN}`;
    await run('/usr/sbin/saslpasswd2', ['-p', '-c', '-f', `${folder}/sasldb2`, '-u', realm, user], PASSWORD);
  }

  return {
    port,
    lmtpSocket: socketIn(folder),
    async addUser() {
      added += 1;
      const user = `user${added}`;
      await addPassword(user);
      // The first sign-in creates the mailbox.
      await imapMailbox(port, user).messages('INBOX');
      return user;
    },
    calendarOf(user) {
      const url = `http://127.0.0.1:${httpPort}/`;
      const name = addressOf(user);
      return { url, user: name, calendarUrl: `${url}dav/calendars/user/${user}/Default/` };
    },
    sent() {
      return existsSync(`${folder}/tmp/sent`) ? readFileSync(`${folder}/tmp/sent`, 'utf8') : '';
    },
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const STATE = ['db', 'log', 'msg', 'proc', 'ptclient', 'quota', 'socket', 'sieve', 'sync', 'user', 'lock'];
const FOLDERS = [...STATE.map((name) => `conf/${name}`), 'spool', 'tmp', 'search'];

function configuration(folder: string): string {
  return `
configdirectory: ${folder}/conf
defaultpartition: default
partition-default: ${folder}/spool
proc_path: ${folder}/conf/proc
mboxname_lockpath: ${folder}/conf/lock
temp_path: ${folder}/tmp
sievedir: ${folder}/conf/sieve
defaultsearchtier: t1
t1searchpartition-default: ${folder}/search
altnamespace: no
unixhierarchysep: no
virtdomains: userid
defaultdomain: ${DOMAIN}
servername: mail.${DOMAIN}
admins: cyrus
allowplaintext: yes
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: ${folder}/sasldb2
sasl_mech_list: PLAIN LOGIN
autocreate_quota: 0
autocreate_post: yes
autocreate_inbox_folders: Sent|Drafts|Trash|Junk|Archive
autocreate_subscribe_folders: Sent|Drafts|Trash|Junk|Archive
xlist-sent: Sent
xlist-drafts: Drafts
xlist-trash: Trash
xlist-junk: Junk
xlist-archive: Archive
specialusealways: yes
conversations: yes
conversations_db: twoskip
sync_log: no
hashimapspool: no
httpmodules: caldav
httpallowtrace: no
caldav_create_default: yes
caldav_realm: cyrus
calendar_user_address_set: ${DOMAIN}
sendmail: ${folder}/sendmail
syslog_prefix: test-cyrus
`;
}

/** A program that accepts mail like `sendmail -bs` and records what it received. */
function mailServer(file: string): string {
  return `#!/bin/sh
say() { printf '%s\\r\\n' "$1"; }
say '220 test'
while IFS= read -r line; do
  printf '%s\\n' "$line" >> ${file}
  case "$line" in
    DATA*) say '354 go on'
      while IFS= read -r line; do
        printf '%s\\n' "$line" >> ${file}
        [ "$line" = "$(printf '.\\r')" ] && break
      done
      say '250 taken';;
    QUIT*) say '221 bye'; exit 0;;
    *) say '250 test';;
  esac
done
`;
}

const socketIn = (folder: string) => `${folder}/conf/socket/lmtp`;

function services(folder: string, port: number, httpPort: number | undefined): string {
  const config = `-C ${folder}/imapd.conf`;
  const http = `http cmd="${OWN}/httpd ${config} -U 30" listen="127.0.0.1:${httpPort}" prefork=1 maxchild=100`;
  return `
START {
  recover cmd="${OWN}/ctl_cyrusdb ${config} -r"
  idled cmd="${UNPACKED_OWN}/idled ${config}"
}
SERVICES {
  imap cmd="${UNPACKED_OWN}/imapd ${config} -U 30" listen="127.0.0.1:${port}" prefork=1 maxchild=200
  lmtp cmd="${OWN}/lmtpd ${config}" listen="${socketIn(folder)}" prefork=0 maxchild=20
  ${httpPort === undefined ? '' : http}
}
EVENTS {
  checkpoint cmd="${OWN}/ctl_cyrusdb ${config} -c" period=30
}
`;
}
