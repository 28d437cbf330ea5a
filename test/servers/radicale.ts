import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type CalendarUser, makeCalendar } from './calendar-user.ts';
import { addressOf, PASSWORD } from './mail-users.ts';
import { onFreePort } from './on-free-port.ts';
import { run, startProcessGroup } from './process-group.ts';

export interface Radicale {
  /** A new user with one empty calendar. @param name  without its domain */
  addUser(name?: string): Promise<CalendarUser>;
  stop(): Promise<void>;
}

export const RADICALE_PROGRAMS = ['/usr/bin/radicale', '/usr/bin/python3'];

/**
 * Starts Radicale on the loopback interface. It keeps no connection alive, writes `@` as `%40`, expands nothing, and
 * notifies nobody.
 * @param hook  a command to run after every change; if it fails, the server answers 500
 */
export async function startRadicale({ hook }: { readonly hook?: string } = {}): Promise<Radicale> {
  const folder = mkdtempSync('/tmp/cs-radicale-');
  chmodSync(folder, 0o755);
  const nobody = Number((await run('id', ['-u', 'nobody'])).trim());
  mkdirSync(`${folder}/data`);
  chownSync(`${folder}/data`, nobody, nobody);
  const users: string[] = [];
  writeUsers();
  const log = `${folder}/radicale.log`;
  const [port, processes] = await onFreePort(log, (free) => {
    writeFileSync(`${folder}/radicale.conf`, configuration(folder, free, hook));
    const python = ['/usr/bin/python3', '/usr/bin/radicale', '-C', `${folder}/radicale.conf`];
    const as = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'];
    return startProcessGroup('setpriv', [...as, ...python], log);
  });

  function writeUsers(): void {
    writeFileSync(`${folder}/htpasswd`, users.map((user) => `${user}:${PASSWORD}\n`).join(''));
  }

  return {
    async addUser(name = `user${users.length + 1}`) {
      const user = addressOf(name);
      users.push(user);
      writeUsers();
      const url = `http://127.0.0.1:${port}/`;
      const calendarUrl = `${url}${encodeURIComponent(user)}/calendar/`;
      await makeCalendar({ url, user, calendarUrl });
      return { url, user, calendarUrl };
    },
    async stop() {
      await processes.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number, hook = ''): string {
  return `
[server]
hosts = 127.0.0.1:${port}
max_connections = 100
timeout = 30
[auth]
type = htpasswd
htpasswd_filename = ${folder}/htpasswd
htpasswd_encryption = plain
delay = 0
[rights]
type = owner_only
[storage]
type = multifilesystem
filesystem_folder = ${folder}/data
hook = ${hook}
[web]
type = none
[logging]
level = warning
`;
}
