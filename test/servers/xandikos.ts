import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type CalendarUser, makeCalendar, removeCalendar } from './calendar-user.ts';
import { addressOf, PASSWORD } from './mail-users.ts';
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
  for (const name of ['data', 'nginx']) {
    mkdirSync(`${folder}/${name}`);
    chownSync(`${folder}/${name}`, nobody, nobody);
  }
  writeFileSync(`${folder}/htpasswd`, `${USER}:{PLAIN}${PASSWORD}\n`);
  const as = (command: string, args: readonly string[], log: string) =>
    startProcessGroup(
      'setpriv',
      [
        `--reuid=${nobody}`,
        `--regid=${nobody}`,
        '--clear-groups',
        '--',
        'env',
        `HOME=${folder}/data`,
        command,
        ...args,
      ],
      `${folder}/${log}`,
    );
  const [serverPort, server] = await onFreePort(`${folder}/xandikos.log`, (port) =>
    as(
      '/usr/bin/xandikos',
      [
        '-d',
        `${folder}/data`,
        '-l',
        '127.0.0.1',
        '-p',
        String(port),
        '--current-user-principal',
        '/user/',
        '--autocreate',
      ],
      'xandikos.log',
    ),
  );
  const [port, gate] = await onFreePort(`${folder}/nginx/error.log`, (port) => {
    writeFileSync(`${folder}/nginx.conf`, configuration(folder, port, serverPort));
    return as(
      '/usr/sbin/nginx',
      ['-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/nginx/error.log`],
      'nginx.log',
    );
  });
  let added = 0;
  let last: CalendarUser | undefined;

  return {
    async addCalendar() {
      if (last !== undefined) await removeCalendar(last);
      added += 1;
      const url = `http://127.0.0.1:${port}/`;
      const user = { url, user: USER, calendarUrl: `${url}user/calendars/calendar${added}/` };
      await makeCalendar(user);
      last = user;
      return user;
    },
    async stop() {
      await gate.kill();
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number, serverPort: number): string {
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx/nginx.pid;
events { worker_connections 128; }
http {
  access_log off;
  ${scratch.map((name) => `${name}_temp_path ${folder}/nginx/${name};`).join(' ')}
  client_max_body_size 20m;
  server {
    listen 127.0.0.1:${port};
    auth_basic "Xandikos";
    auth_basic_user_file ${folder}/htpasswd;
    location / {
      proxy_pass http://127.0.0.1:${serverPort};
      proxy_set_header Host $http_host;
    }
  }
}
`;
}
