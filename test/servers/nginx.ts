import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { LOOPBACK, startWebProxy, type WebProxy } from './web-proxy.ts';

const NGINX = '/usr/sbin/nginx';

export const nginxIsMissing = !existsSync(NGINX);

/** Starts nginx on the loopback addresses. @param locations  of its only server, as in its configuration */
export function startNginx(locations: string): Promise<WebProxy> {
  return startWebProxy('nginx', NGINX, (folder, port) => {
    mkdirSync(`${folder}/scratch`, { recursive: true });
    writeFileSync(`${folder}/nginx.conf`, configuration(folder, port, locations));
    return ['-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`];
  });
}

function configuration(folder: string, port: number, locations: string): string {
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 768; }
http {
  access_log off;
  ${scratch.map((name) => `${name}_temp_path ${folder}/scratch/${name};`).join(' ')}
  server {
    ${LOOPBACK.map((address) => `listen ${address}:${port};`).join(' ')}
    ${locations}
  }
}
`;
}
