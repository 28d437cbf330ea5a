import { existsSync, writeFileSync } from 'node:fs';
import { LOOPBACK, startWebProxy, type WebProxy } from './web-proxy.ts';

const APACHE = '/usr/sbin/apache2';
const MODULES = '/usr/lib/apache2/modules';

export const apacheIsMissing = !existsSync(APACHE);

/**
 * Starts Apache on the loopback addresses, with the modules of the documented configuration.
 * @param directives  of its only virtual host, as in its configuration
 */
export function startApache(directives: string): Promise<WebProxy> {
  return startWebProxy('apache', APACHE, (folder, port) => {
    const file = `${folder}/apache2.conf`;
    writeFileSync(file, configuration(folder, port, directives));
    return ['-d', folder, '-f', file, '-D', 'FOREGROUND'];
  });
}

function configuration(folder: string, port: number, directives: string): string {
  const modules = ['mpm_event', 'authz_core', 'headers', 'proxy', 'proxy_http'];
  return `
${modules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n')}
ServerName localhost
User www-data
Group www-data
PidFile ${folder}/apache2.pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/error.log
${LOOPBACK.map((address) => `Listen ${address}:${port}`).join('\n')}
<VirtualHost *:${port}>
${directives}
</VirtualHost>
`;
}
