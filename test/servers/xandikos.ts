import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type CalendarUser, makeCalendar, removeCalendar } from './calendar-user.ts';
import { addressOf, PASSWORD } from './mail-users.ts';
import { startNginx } from './nginx.ts';
import { onFreePort } from './on-free-port.ts';
import { run, startProcessGroup } from './process-group.ts';

export interface Xandikos {
  /** The only user, with a new, empty calendar. */
  addCalendar(): Promise<CalendarUser>;
  stop(): Promise<void>;
}

export const XANDIKOS_PROGRAMS = ['/usr/bin/xandikos', '/usr/bin/python3', '/usr/sbin/nginx'];

const USER = addressOf('user');

/**
 * Starts Xandikos for one user on the loopback interface. nginx in front of it handles the sign-in, as its manual
 * advises. It only looks at the first event of a series, and answers a failed PUT with 207.
 */
export async function startXandikos(): Promise<Xandikos> {
  const folder = mkdtempSync('/tmp/cs-xandikos-');
  chmodSync(folder, 0o755);
  const nobody = Number((await run('id', ['-u', 'nobody'])).trim());
  mkdirSync(`${folder}/data`);
  chownSync(`${folder}/data`, nobody, nobody);
  writeFileSync(`${folder}/htpasswd`, `${USER}:{PLAIN}${PASSWORD}\n`);
  const as = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--', 'env', `HOME=${folder}/data`];
  const log = `${folder}/xandikos.log`;
  const [serverPort, server] = await onFreePort(log, (port) => {
    const place = ['-d', `${folder}/data`, '-l', '127.0.0.1', '-p', String(port)];
    const options = [...place, '--current-user-principal', '/user/', '--autocreate'];
    return startProcessGroup('setpriv', [...as, '/usr/bin/xandikos', ...options], log);
  });
  const gate = await startNginx(locations(folder, serverPort));
  let added = 0;
  let last: CalendarUser | undefined;

  return {
    async addCalendar() {
      if (last !== undefined) await removeCalendar(last);
      added += 1;
      const url = `http://127.0.0.1:${gate.port}/`;
      const user = { url, user: USER, calendarUrl: `${url}user/calendars/calendar${added}/` };
      await makeCalendar(user);
      last = user;
      return user;
    },
    async stop() {
      await gate.stop();
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function locations(folder: string, serverPort: number): string {
  return `
    client_max_body_size 20m;
    auth_basic "Xandikos";
    auth_basic_user_file ${folder}/htpasswd;
    location / {
      proxy_pass http://127.0.0.1:${serverPort};
      proxy_set_header Host $http_host;
    }`;
}
