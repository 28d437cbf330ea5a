import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { freePorts, waitForPort } from './ports.ts';
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
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const [port = 0] = await freePorts(1);
    const site = `http://:${port} {\nbind 127.0.0.1\n${directives}\n}`;
    writeFileSync(file, `{\nadmin off\nstorage file_system ${folder}\n}\n${site}\n`);
    const group = startProcessGroup(
      CADDY,
      ['run', '--config', file, '--adapter', 'caddyfile'],
      `${folder}/caddy.log`,
    );
    if (!(await waitForPort(port, () => group.hasEnded()))) continue;
    return {
      port,
      async stop() {
        await group.kill();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
  throw new Error(`Caddy did not start; see ${folder}/caddy.log`);
}
