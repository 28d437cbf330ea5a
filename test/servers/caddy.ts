import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { onFreePort } from './on-free-port.ts';
import { startProcessGroup } from './process-group.ts';

const CADDY = '/usr/bin/caddy';

export const caddyIsMissing = !existsSync(CADDY);

/**
 * Starts Caddy on the loopback interface, without TLS and for every host name.
 * @param directives  of its only site, as in its configuration
 */
export async function startCaddy(
  directives: string,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const folder = mkdtempSync('/tmp/cs-caddy-');
  const file = `${folder}/Caddyfile`;
  const log = `${folder}/caddy.log`;
  const [port, server] = await onFreePort(log, (free) => {
    const site = `http://:${free} {\nbind 127.0.0.1\n${directives}\n}`;
    writeFileSync(file, `{\nadmin off\nstorage file_system ${folder}\n}\n${site}\n`);
    return startProcessGroup(CADDY, ['run', '--config', file, '--adapter', 'caddyfile'], log);
  });
  return {
    port,
    async stop() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
