/**
 * The public URLs of a host. Its base may have a path, for example `https://example.org/mail`. Every link, form,
 * redirect and cookie of a host gets its URL here. No other code joins a base and a path.
 */
export interface PublicBase {
  /** The path that browsers and clients request. @param path the host's own path; starts with a slash */
  path(path: string): string;
  /** The whole URL. @param path as above, or empty for the base itself */
  address(path: string): string;
  /** The path of the host's cookies. */
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
