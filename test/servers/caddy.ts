import { existsSync, writeFileSync } from 'node:fs';
import { LOOPBACK, startWebProxy, type WebProxy } from './web-proxy.ts';

const CADDY = '/usr/bin/caddy';

export const caddyIsMissing = !existsSync(CADDY);

/**
 * Starts Caddy on the loopback addresses, without TLS and for every host name.
 * @param directives  of its only site, as in its configuration
 */
export function startCaddy(directives: string): Promise<WebProxy> {
  return startWebProxy('caddy', CADDY, (folder, port) => {
    const file = `${folder}/Caddyfile`;
    const site = `http://:${port} {\nbind ${LOOPBACK.join(' ')}\n${directives}\n}`;
    writeFileSync(file, `{\nadmin off\nstorage file_system ${folder}\n}\n${site}\n`);
    return ['run', '--config', file, '--adapter', 'caddyfile'];
  });
}
