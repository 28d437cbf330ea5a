import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type CalendarUser, makeCalendar } from './calendar-user.ts';
import { addressOf, DOMAIN, PASSWORD } from './mail-users.ts';
import { UNSHARE } from './missing-servers.ts';
import { startNginx } from './nginx.ts';
import { onFreePort } from './on-free-port.ts';
import { asked, startPostgres } from './postgres.ts';
import { run, startProcessGroup } from './process-group.ts';

export interface Sogo {
  /** A new user with an empty calendar, besides the personal one that every user has. */
  addUser(): Promise<CalendarUser>;
  stop(): Promise<void>;
}

/** Besides Postgres. */
export const SOGO_PROGRAMS = ['/usr/sbin/sogod', '/usr/bin/memcached', '/usr/sbin/nginx', UNSHARE];

/**
 * Starts SOGo on the loopback interface, behind nginx as its manual advises. It answers 501 to a PROPFIND for `d:acl` on
 * the calendar home, and advertises `calendar-auto-schedule` although it sends nothing.
 */
export async function startSogo(): Promise<Sogo> {
  const folder = mkdtempSync('/tmp/cs-sogo-');
  chmodSync(folder, 0o755);
  const idOf = async (which: '-u' | '-g') => Number((await run('id', [which, 'sogo'])).trim());
  const [uid, gid] = [await idOf('-u'), await idOf('-g')];
  for (const name of ['home', 'spool', 'etc']) mkdirSync(`${folder}/${name}`);
  for (const name of ['home', 'spool']) chownSync(`${folder}/${name}`, uid, gid);
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  await asked(
    database,
    'CREATE TABLE sogo_users (c_uid varchar(128) PRIMARY KEY, c_name varchar(128), c_password varchar(128), c_cn varchar(128), mail varchar(128))',
  );
  const cacheLog = `${folder}/memcached.log`;
  const [cachePort, cache] = await onFreePort(cacheLog, (port) =>
    startProcessGroup(
      '/usr/bin/memcached',
      ['-u', 'nobody', '-l', '127.0.0.1', '-p', String(port), '-U', '0', '-m', '32'],
      cacheLog,
    ),
  );
  const log = `${folder}/sogo.log`;
  const [serverPort, server] = await onFreePort(log, (port) => {
    writeFileSync(`${folder}/etc/sogo.conf`, configuration({ folder, database, cachePort, port }));
    return startProcessGroup(UNSHARE, asSogo(folder, uid, gid), log);
  });
  const gate = await startNginx(locations(serverPort));
  let users = 0;
  return {
    async addUser() {
      users += 1;
      const name = `user${users}`;
      const user = addressOf(name);
      await asked(
        database,
        `INSERT INTO sogo_users VALUES ('${name}', '${name}', '${PASSWORD}', '${name}', '${user}')`,
      );
      const url = `http://127.0.0.1:${gate.port}/SOGo/dav/`;
      const calendarUrl = `${url}${name}/Calendar/calendar/`;
      await makeCalendar({ url, user, calendarUrl });
      return { url, user, calendarUrl };
    },
    async stop() {
      await gate.stop();
      await server.kill();
      await cache.kill();
      await postgres.dropDatabase(database);
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Its configuration has a fixed path, so each server has its own view of the file system. */
function asSogo(folder: string, uid: number, gid: number): string[] {
  const script =
    'mount --bind "$1/etc" /etc/sogo; export HOME="$1/home" GNUSTEP_USER_ROOT="$1/home"; ' +
    'exec setpriv --reuid="$2" --regid="$3" --clear-groups -- /usr/sbin/sogod -WONoDetach YES';
  const view = ['--mount', '--propagation', 'private', '--'];
  return [...view, 'sh', '-ec', script, 'sogo', folder, String(uid), String(gid)];
}

interface Settings {
  readonly folder: string;
  readonly database: string;
  readonly cachePort: number;
  readonly port: number;
}

function configuration({ folder, database, cachePort, port }: Settings): string {
  const url = database.replace('postgres:', 'postgresql:');
  const tables = {
    SOGoProfileURL: 'sogo_user_profile',
    OCSFolderInfoURL: 'sogo_folder_info',
    OCSSessionsFolderURL: 'sogo_sessions_folder',
    OCSEMailAlarmsFolderURL: 'sogo_alarms_folder',
    OCSStoreURL: 'sogo_store',
    OCSAclURL: 'sogo_acl',
    OCSCacheFolderURL: 'sogo_cache_folder',
  };
  return `{
${Object.entries(tables)
  .map(([name, table]) => `  ${name} = "${url}/${table}";`)
  .join('\n')}
  SOGoUserSources = ({ type = sql; id = directory; viewURL = "${url}/sogo_users"; canAuthenticate = YES;
    isAddressBook = NO; userPasswordAlgorithm = plain; LoginFieldNames = (c_uid, mail); });
  SOGoLanguage = English; SOGoTimeZone = "Europe/Zurich"; SOGoMailDomain = "${DOMAIN}";
  SOGoAppointmentSendEMailNotifications = NO;
  SOGoMailingMechanism = smtp; SOGoSMTPServer = "smtp://127.0.0.1:9"; SOGoIMAPServer = "imap://127.0.0.1:9";
  SOGoMemcachedHost = "127.0.0.1:${cachePort}"; SOGoMailSpoolPath = "${folder}/spool";
  SOGoVacationEnabled = NO; SOGoForwardEnabled = NO; SOGoSieveScriptsEnabled = NO; SOGoPasswordChangeEnabled = NO;
  SOGoMaximumFailedLoginCount = 0; SxVMemLimit = 1024;
  WOPort = "127.0.0.1:${port}"; WOWorkersCount = 3; WOLogFile = "-"; WOPidFile = "${folder}/home/sogo.pid";
}
`;
}

/** As its manual advises. */
function locations(serverPort: number): string {
  const headers = {
    Host: '$http_host',
    'x-webobjects-server-protocol': 'HTTP/1.0',
    'x-webobjects-remote-host': '127.0.0.1',
    'x-webobjects-server-name': '127.0.0.1',
    'x-webobjects-server-url': 'http://$http_host',
    'x-webobjects-server-port': '$server_port',
  };
  return `
    merge_slashes off;
    client_max_body_size 20m;
    location = /.well-known/caldav { return 301 http://$http_host/SOGo/dav/; }
    location / {
      proxy_pass http://127.0.0.1:${serverPort};
      proxy_http_version 1.0;
      proxy_buffering off;
${Object.entries(headers)
  .map(([name, value]) => `      proxy_set_header ${name} ${value};`)
  .join('\n')}
    }`;
}
