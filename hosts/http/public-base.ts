/**
 * The addresses of a host for those outside. Its public base may have a path, such as `https://example.org/mail`. Every
 * link, form, redirect and cookie of a host gets its address here; nothing else joins a base and a path.
 */
export interface PublicBase {
  /** A path as browsers and clients must ask for it. @param path begins with a slash; the host's own */
  path(path: string): string;
  /** The whole address. @param path as above, or empty for the base itself */
  address(path: string): string;
  /** The path that a cookie of the host is sent to. */
  readonly cookiePath: string;
}

export function publicBase(url: string): PublicBase {
  const { origin, pathname } = new URL(url);
  const before = pathname.replace(/\/$/, '');
  return {
    path: (path) => `${before}${path}`,
    address: (path) => `${origin}${before}${path}`,
    cookiePath: before === '' ? '/' : before,
  };
}
