const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether `authority` (the host, and the port unless it is the scheme's default) names the host and port of `baseUrl`.
 * The three names of the loopback host count as one.
 */
export function namesHost(authority: string | undefined, baseUrl: string): boolean {
  if (authority !== undefined && baseUrl.endsWith(`//${authority}`)) return true;
  const own = new URL(baseUrl);
  if (authority === undefined || !/^[^\s/\\?#@]+$/.test(authority)) return false;
  if (!URL.canParse(`${own.protocol}//${authority}`)) return false;
  const named = new URL(`${own.protocol}//${authority}`);
  return hostOf(named) === hostOf(own) && named.port === own.port;
}

/**
 * A host name only for the dashboard. Cookies ignore ports: the browser sends a cookie of 127.0.0.1 to every server at
 * 127.0.0.1. It sends a cookie of this name to a different server only if that server directs the browser to this name.
 * Browsers resolve the name to the loopback host without DNS.
 */
const OWN_NAME = 'countersign.localhost';

/**
 * Returns the URL with that name, for a plain http URL of the loopback host without a path. Undefined for any other URL:
 * below a path, the dashboard shares its host name with an app, and the app's cookies have that name.
 */
export function ownAddress(baseUrl: string): string | undefined {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  if (protocol !== 'http:' || !LOOPBACK.has(hostname) || pathname !== '/') return undefined;
  return new URL(`http://${OWN_NAME}:${port || '80'}`).origin;
}

function hostOf({ hostname }: URL): string {
  return LOOPBACK.has(hostname) ? 'localhost' : hostname;
}
