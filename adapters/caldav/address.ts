import { MailError } from '../../core/ports/mail.ts';

/**
 * An address that a calendar server names, made absolute. Behind a proxy that ends TLS, some servers write `http://`
 * and their own port: on the same host that means the path.
 * @returns undefined if it is not an address
 */
export function resolvedUrl(href: string, base: URL): URL | undefined {
  if (!URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  const isProxied = base.protocol === 'https:' && url.protocol === 'http:' && url.hostname === base.hostname;
  return isProxied ? new URL(url.pathname + url.search, base) : url;
}

/**
 * The address of an object of a calendar.
 * @param name as the server writes it  @throws MailError `not_found` if an object cannot have that name
 */
export function addressOf({ url }: { readonly url: URL }, name: string): URL {
  if (/[/\\?#]|^\.{0,2}$/.test(name)) throw new MailError('not_found', 'an object cannot have that name');
  const collection = url.pathname.endsWith('/') ? url.href : `${url.href}/`;
  // A name such as `a:b.ics` alone would be an address with the scheme `a`.
  return new URL(`./${name}`, collection);
}
