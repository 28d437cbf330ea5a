import { existsSync, writeFileSync } from 'node:fs';
import { LOOPBACK, startWebProxy, type WebProxy } from './web-proxy.ts';

const HAPROXY = '/usr/sbin/haproxy';

export const haproxyIsMissing = !existsSync(HAPROXY);

/**
 * Starts HAProxy on the loopback addresses, with the defaults of Debian's own configuration.
 * @param rules  what follows the addresses of its only frontend, as in its configuration, and its backends
 */
export function startHaproxy(rules: string): Promise<WebProxy> {
  return startWebProxy('haproxy', HAPROXY, (folder, port) => {
    const file = `${folder}/haproxy.cfg`;
    const binds = LOOPBACK.map((address) => `  bind ${address}:${port}`).join('\n');
    writeFileSync(file, `${DEFAULTS}\nfrontend web\n${binds}\n${rules}\n`);
    return ['-db', '-f', file];
  });
}

const DEFAULTS = `
defaults
  mode http
  timeout connect 5000
  timeout client 50000
  timeout server 50000
`;
