import { documentText, withTable } from '../docs/documents.ts';
import { type DocumentedProxy, PROXIES, PROXY_PAGE } from './documented-proxies.ts';

/** What is tried behind each proxy, in the words of the page's table. */
export const CHECKS = {
  doors: 'REST and MCP with a key',
  signIn: 'where an assistant signs in',
  pages: 'pages below a path, and their changes by WebSocket',
  paths: 'encoded characters in paths',
  addresses: 'the address of the client',
  ipv6: 'IPv6, with the address of the client',
  sizes: 'answers of 5 MB, and the largest request',
  slow: '70 slow senders and a slow reader, while others are served',
  progress: 'reports of a call while it waits',
  proxyRestart: 'a restart of the proxy',
  serverRestart: 'a restart of Countersign',
  waits: 'calls that wait 25 seconds, and pages that are silent for 70',
} as const;

export type Check = keyof typeof CHECKS;

/** The first cell of the table's head. */
export const TRIED = 'What was tried';

/** The page with the table of what held. */
export function pageWith(held: (proxy: DocumentedProxy, check: Check) => boolean): string {
  const head = [TRIED, ...PROXIES.map((proxy) => `${proxy.name} ${proxy.version()}`)];
  const rows = (Object.keys(CHECKS) as Check[]).map((check) => [
    CHECKS[check],
    ...PROXIES.map((proxy) => (held(proxy, check) ? 'yes' : 'no')),
  ]);
  return withTable(documentText(PROXY_PAGE), [TRIED], [head, ...rows]);
}
