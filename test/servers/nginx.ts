import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { freePorts, waitForPort } from './ports.ts';
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
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const [port = 0] = await freePorts(1);
    writeFileSync(`${folder}/nginx.conf`, configuration(folder, port, locations));
    const group = startProcessGroup(
      NGINX,
      ['-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`],
      `${folder}/nginx.log`,
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
  throw new Error(`nginx did not start; see ${folder}/error.log`);
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
