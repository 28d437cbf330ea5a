import { namesHost, ownAddress } from '../http/host-name.ts';
import { headerOf, type RequestHead, targetOf } from '../http/request-head.ts';

/**
 * Checks a request before anything looks at its content. Pure.
 * `misdirected`: addressed to another host. `foreign`: a form from a page of another origin.
 * `origin`: the dashboard's origin as the sending browser sees it, including host name and port.
 */
export type Verdict =
  | { readonly kind: 'pass'; readonly origin: string }
  | { readonly kind: 'misdirected' }
  | { readonly kind: 'foreign'; readonly origin: string };

export function checkRequest(head: RequestHead, dashboardUrl: string): Verdict {
  const origin = addressedOrigin(head, dashboardUrl);
  if (origin === undefined) return { kind: 'misdirected' };
  if (head.method === 'GET' || head.method === 'HEAD') return { kind: 'pass', origin };
  return { kind: isFromOwnPage(head, origin) ? 'pass' : 'foreign', origin };
}

/** Undefined if the request is addressed to a host other than the dashboard's. */
function addressedOrigin(head: RequestHead, dashboardUrl: string): string | undefined {
  const { authority } = targetOf(head);
  const own = ownAddress(dashboardUrl);
  if (own !== undefined && namesHost(authority, own)) return own;
  if (!namesHost(authority, dashboardUrl)) return undefined;
  return new URL(`${new URL(dashboardUrl).protocol}//${authority}`).origin;
}

/**
 * Browsers send the Origin of every form. Each host name of the dashboard is a separate origin, and forms of one are not
 * accepted at another. A request without these headers does not come from a browser; it still needs everything else that
 * a form needs.
 */
function isFromOwnPage(head: RequestHead, own: string): boolean {
  const origin = headerOf(head, 'origin');
  if (origin !== undefined && origin !== own) return false;
  const site = headerOf(head, 'sec-fetch-site');
  return site === undefined || site === 'same-origin' || site === 'none';
}
