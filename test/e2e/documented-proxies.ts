import { spawnSync } from 'node:child_process';
import { documentText } from '../docs/documents.ts';
import { apacheIsMissing, startApache } from '../servers/apache.ts';
import { caddyIsMissing, startCaddy } from '../servers/caddy.ts';
import { haproxyIsMissing, startHaproxy } from '../servers/haproxy.ts';
import { nginxIsMissing, startNginx } from '../servers/nginx.ts';
import type { WebProxy } from '../servers/web-proxy.ts';

/** The page with the configurations. */
export const PROXY_PAGE = 'docs/proxies.md';

/** Where the page puts a dashboard that has a path. */
export const DASHBOARD_PATH = '/owner';

/** A proxy whose configuration the page shows. */
export interface DocumentedProxy {
  readonly name: string;
  readonly isMissing: boolean;
  /** Starts it with the block of the page. */
  start(layout: Layout): Promise<WebProxy>;
  /** The first two numbers of its version. */
  version(): string;
}

interface Layout {
  /** The port of the API, instead of 8787. The next two are those of the dashboard and the sign-in. */
  readonly port: number;
  /** Where the dashboard is. Default: `/`. */
  readonly dashboard?: typeof DASHBOARD_PATH;
}

interface Description {
  readonly name: string;
  readonly isMissing: boolean;
  readonly start: (configuration: string) => Promise<WebProxy>;
  readonly block: RegExp;
  /** The line of the block that sends other paths to the dashboard, and what it is for a dashboard below a path. */
  readonly dashboard: readonly [everyPath: string, belowPath: string];
  /** Prints the version. */
  readonly version: readonly [program: string, option: string];
}

const DESCRIPTIONS: readonly Description[] = [
  {
    name: 'nginx',
    isMissing: nginxIsMissing,
    start: startNginx,
    block: /```nginx\n(.*?)```/s,
    dashboard: [
      'location / { proxy_pass http://127.0.0.1:8788; }',
      'location /owner { proxy_pass http://127.0.0.1:8788; }',
    ],
    version: ['nginx', '-v'],
  },
  {
    name: 'Caddy',
    isMissing: caddyIsMissing,
    start: startCaddy,
    block: /```\nmail\.example\.org \{\n(.*?)\n\}\n```/s,
    dashboard: ['reverse_proxy 127.0.0.1:8788', 'reverse_proxy /owner* 127.0.0.1:8788'],
    version: ['caddy', 'version'],
  },
  {
    name: 'HAProxy',
    isMissing: haproxyIsMissing,
    start: startHaproxy,
    block: /```haproxy\n(.*?)```/s,
    dashboard: ['default_backend dashboard', 'use_backend dashboard if { path_beg /owner }'],
    version: ['haproxy', '-v'],
  },
  {
    name: 'Apache',
    isMissing: apacheIsMissing,
    start: startApache,
    block: /```apache\n(.*?)```/s,
    dashboard: [
      'ProxyPass "/" "http://127.0.0.1:8788/" nocanon retry=0 ttl=60 upgrade=websocket',
      'ProxyPass "/owner" "http://127.0.0.1:8788/owner" nocanon retry=0 ttl=60 upgrade=websocket',
    ],
    version: ['apache2', '-v'],
  },
];

export const PROXIES: readonly DocumentedProxy[] = DESCRIPTIONS.map((described) => ({
  name: described.name,
  isMissing: described.isMissing,
  start: (layout) => described.start(configurationOf(described, layout)),
  version() {
    const [program, option] = described.version;
    const { stdout, stderr } = spawnSync(program, [option], { encoding: 'utf8' });
    return /\d+\.\d+/.exec(stdout + stderr)?.[0] ?? 'unknown';
  },
}));

/** @throws Error if the page does not have it */
function configurationOf(
  { name, block, dashboard: [everyPath, belowPath] }: Description,
  { port, dashboard }: Layout,
): string {
  const page = documentText(PROXY_PAGE);
  const [, text = ''] = block.exec(page) ?? [];
  if (!text.includes(everyPath) || !page.includes(`\`${belowPath}\``))
    throw new Error(`${PROXY_PAGE} does not say how to set up ${name}`);
  const placed = dashboard === undefined ? text : text.replace(everyPath, belowPath);
  return placed.replaceAll(/\b878[789]\b/g, (written) => String(Number(written) - 8787 + port));
}
