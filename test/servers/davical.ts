import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type CalendarUser, makeCalendar } from './calendar-user.ts';
import { addressOf, DOMAIN, PASSWORD } from './mail-users.ts';
import { UNSHARE } from './missing-servers.ts';
import { onFreePort } from './on-free-port.ts';
import { asked, startOwnPostgres } from './postgres.ts';
import { run, startProcessGroup } from './process-group.ts';

export interface Davical {
  /** A new user with one empty calendar. */
  addUser(): Promise<CalendarUser>;
  stop(): Promise<void>;
}

const CREATE = '/usr/share/davical/dba/create-database.sh';

/** Besides Postgres of Debian. */
export const DAVICAL_PROGRAMS = ['/usr/bin/php', '/usr/bin/psql', CREATE, UNSHARE];

/** Starts DAViCal on the loopback interface, in PHP's own web server. It stores several objects with one UID. */
export async function startDavical(): Promise<Davical> {
  const folder = mkdtempSync('/tmp/cs-davical-');
  chmodSync(folder, 0o755);
  mkdirSync(`${folder}/etc`);
  const nobody = Number((await run('id', ['-u', 'nobody'])).trim());
  const postgres = await startOwnPostgres({ auth: 'trust' });
  const { port: databasePort, username } = new URL(await postgres.createDatabase());
  const environment = ['PGHOST=127.0.0.1', `PGPORT=${databasePort}`, `PGUSER=${username}`, 'LC_ALL=C.UTF-8'];
  const place = `DBAOPTS=--dbhost 127.0.0.1 --dbport ${databasePort}`;
  await run('env', [...environment, place, 'sh', CREATE, 'davical', PASSWORD]);
  const database = `postgres://${username}@127.0.0.1:${databasePort}/davical`;
  writeFileSync(`${folder}/etc/config.php`, configuration(databasePort));
  writeFileSync(`${folder}/router.php`, ROUTER);
  const log = `${folder}/php.log`;
  const [port, server] = await onFreePort(log, (free) =>
    startProcessGroup(UNSHARE, inOwnView(folder, nobody, free), log),
  );
  let users = 0;
  return {
    async addUser() {
      users += 1;
      const user = addressOf(`user${users}`);
      await asked(database, userRows(user));
      const url = `http://127.0.0.1:${port}/caldav.php/`;
      const calendarUrl = `${url}${user}/calendar/`;
      await makeCalendar({ url, user, calendarUrl });
      return { url, user, calendarUrl };
    },
    async stop() {
      await server.kill();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function userRows(user: string): string {
  return `
    INSERT INTO usr (username, fullname, email, active, password, date_format_type, locale)
    VALUES ('${user}', '${user}', '${user}', true, '**${PASSWORD}', 'E', 'en');
    INSERT INTO principal (type_id, user_no, displayname, default_privileges)
    SELECT 1, user_no, fullname, privilege_to_bits(array['read-free-busy', 'schedule-send', 'schedule-deliver'])
    FROM usr WHERE username = '${user}'`;
}

/** Its configuration has a fixed path, so each server has its own view of the file system. */
function inOwnView(folder: string, user: number, port: number): string[] {
  const php = [
    ...['-d', 'include_path=/usr/share/awl/inc:/usr/share/davical/inc', '-d', 'display_errors=0'],
    ...['-S', `127.0.0.1:${port}`, '-t', HTDOCS, `${folder}/router.php`],
  ];
  const script =
    'mount --bind "$1/etc" /etc/davical; user=$2; shift 2; ' +
    'exec setpriv --reuid="$user" --regid=mail --clear-groups -- env PHP_CLI_SERVER_WORKERS=3 /usr/bin/php "$@"';
  const view = ['--mount', '--propagation', 'private', '--'];
  return [...view, 'sh', '-ec', script, 'davical', folder, String(user), ...php];
}

const HTDOCS = '/usr/share/davical/htdocs';

function configuration(databasePort: string): string {
  return `<?php
$c->pg_connect[] = "host=127.0.0.1 port=${databasePort} dbname=davical user=davical_app";
$c->domain_name = "127.0.0.1";
$c->sysabbr = "davical";
$c->admin_email = "postmaster@${DOMAIN}";
$c->system_name = "DAViCal";
$c->enable_auto_schedule = false;
`;
}

/** What Apache's rewriting rules do in its manual. */
const ROUTER = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (strpos($path, '/caldav.php') !== 0) {
  header('Location: /caldav.php/', true, strpos($path, '/.well-known/') === 0 ? 301 : 302);
  return true;
}
chdir('${HTDOCS}');
$_SERVER['SCRIPT_NAME'] = '/caldav.php';
$_SERVER['PATH_INFO'] = rawurldecode(substr($path, 11));
$_SERVER['PHP_SELF'] = '/caldav.php' . $_SERVER['PATH_INFO'];
$_SERVER['SCRIPT_FILENAME'] = '${HTDOCS}/caldav.php';
require '${HTDOCS}/caldav.php';
return true;
`;
