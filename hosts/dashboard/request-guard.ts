import { namesHost, ownAddress } from '../http/host-name.ts';
import { headerOf, type RequestHead, targetOf } from '../http/request-head.ts';

/**
 * Judges a request before anything looks at what it wants. Pure.
 * `misdirected`: addressed to another host. `foreign`: a form that another origin's page sent.
 * `origin`: the dashboard's origin as the browser that sent it sees it, host name and port included.
 */
export type Verdict =
  | { readonly kind: 'pass'; readonly origin: string }
  | { readonly kind: 'misdirected' }
  | { readonly kind: 'foreign'; readonly origin: string };

export function judgeRequest(head: RequestHead, dashboardUrl: string): Verdict {
  const origin = addressedOrigin(head, dashboardUrl);
  if (origin === undefined) return { kind: 'misdirected' };
  if (head.method === 'GET' || head.method === 'HEAD') return { kind: 'pass', origin };
  return { kind: isFromOwnPage(head, origin) ? 'pass' : 'foreign', origin };
}

/** Undefined when the request is addressed to a host that is not the dashboard's. */
function addressedOrigin(head: RequestHead, dashboardUrl: string): string | undefined {
  const { authority } = targetOf(head);
  const own = ownAddress(dashboardUrl);
  if (own !== undefined && namesHost(authority, own)) return own;
  if (!namesHost(authority, dashboardUrl)) return undefined;
  return new URL(`${new URL(dashboardUrl).protocol}//${authority}`).origin;
}

/**
 * Browsers name the origin of every form that they send. Each host name of the dashboard is an origin of its own: one
 * does not send forms to another. A request with neither header comes from no browser; it still needs what every form
 * needs.
 */
function isFromOwnPage(head: RequestHead, own: string): boolean {
  const origin = headerOf(head, 'origin');
  if (origin !== undefined && origin !== own) return false;
  const site = headerOf(head, 'sec-fetch-site');
  return site === undefined || site === 'same-origin' || site === 'none';
}
