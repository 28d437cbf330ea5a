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

function hostOf({ hostname }: URL): string {
  return LOOPBACK.has(hostname) ? 'localhost' : hostname;
}
