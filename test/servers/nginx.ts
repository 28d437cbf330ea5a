import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { onFreePort } from './on-free-port.ts';
import { startProcessGroup } from './process-group.ts';

const NGINX = '/usr/sbin/nginx';

export const nginxIsMissing = !existsSync(NGINX);

export interface Nginx {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts nginx on the loopback interface. @param locations  of its only server, as in its configuration */
export async function startNginx(locations: string): Promise<Nginx> {
  const folder = mkdtempSync('/tmp/cs-nginx-');
  mkdirSync(`${folder}/scratch`);
  const log = `${folder}/error.log`;
  const [port, server] = await onFreePort(log, (free) => {
    writeFileSync(`${folder}/nginx.conf`, configuration(folder, free, locations));
    const options = ['-p', folder, '-c', `${folder}/nginx.conf`, '-e', log];
    return startProcessGroup(NGINX, options, `${folder}/nginx.log`);
  });
  return {
    port,
    async stop() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number, locations: string): string {
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 128; }
http {
  access_log off;
  ${scratch.map((name) => `${name}_temp_path ${folder}/scratch/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    ${locations}
  }
}
`;
}
