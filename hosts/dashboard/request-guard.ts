import { namesHost } from '../http/host-name.ts';
import { headerOf, type RequestHead, targetOf } from '../http/request-head.ts';

/** `misdirected`: addressed to another host. `foreign`: a form that a page of another site sent. */
export type Verdict = 'pass' | 'misdirected' | 'foreign';

/** Judges a request before anybody looks at what it wants. Pure. */
export function judgeRequest(head: RequestHead, dashboardUrl: string): Verdict {
  if (!namesHost(targetOf(head).authority, dashboardUrl)) return 'misdirected';
  if (head.method === 'GET' || head.method === 'HEAD') return 'pass';
  return isOwnSite(head, dashboardUrl) ? 'pass' : 'foreign';
}

/**
 * Browsers name the origin of every form that they send. A request with neither header is no browser's; it
 * still needs the form's token.
 */
function isOwnSite(head: RequestHead, dashboardUrl: string): boolean {
  const origin = headerOf(head, 'origin');
  if (origin !== undefined && !isOwnOrigin(origin, dashboardUrl)) return false;
  const site = headerOf(head, 'sec-fetch-site');
  return site === undefined || site === 'same-origin' || site === 'none';
}

function isOwnOrigin(origin: string, dashboardUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return protocol === new URL(dashboardUrl).protocol && namesHost(host, dashboardUrl);
}
