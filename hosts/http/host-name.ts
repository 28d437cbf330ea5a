const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether `authority` (host, and port where it is not the scheme's own) names the host and port of `baseUrl`.
 * The three names of the loopback host are one.
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
 * A name for the dashboard alone. Cookies ignore ports: a cookie of 127.0.0.1 goes to every server that the browser
 * opens at 127.0.0.1. A cookie of this name goes to another server only if that server leads the browser to this name.
 * Browsers resolve it to the loopback host by themselves.
 */
const OWN_NAME = 'countersign.localhost';

/** The address under that name, for a plain http address of the loopback host; undefined for any other. */
export function ownAddress(baseUrl: string): string | undefined {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== 'http:' || !LOOPBACK.has(hostname)) return undefined;
  return new URL(`http://${OWN_NAME}:${port || '80'}`).origin;
}

function hostOf({ hostname }: URL): string {
  return LOOPBACK.has(hostname) ? 'localhost' : hostname;
}
