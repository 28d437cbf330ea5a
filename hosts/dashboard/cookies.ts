import { publicBase } from '../http/public-base.ts';

/**
 * The dashboard's cookies. Over https their names bind them to this exact host or, below a path, to https. Over http,
 * meant for loopback, the name contains the port: cookies ignore ports, and two servers must not sign each other out.
 */
export interface Cookies {
  readonly session: string;
  /** Ties the sign-in form to the browser that received it. */
  readonly signIn: string;
  /** Marks a browser that has signed in before. Grants no access; password tries from it have their own budget. */
  readonly device: string;
  /** Returns a Set-Cookie header. The cookie ends with the browser's session, or after `maxAgeS`. */
  set(name: string, value: string, maxAgeS?: number): string;
  clear(name: string): string;
}

/** How long a browser is remembered: the longest that Chrome keeps a cookie. Every sign-in renews it. */
export const DEVICE_S = 400 * 24 * 60 * 60;

export function dashboardCookies(dashboardUrl: string): Cookies {
  const { protocol, port } = new URL(dashboardUrl);
  const secure = protocol === 'https:';
  const { cookiePath } = publicBase(dashboardUrl);
  // `__Host-` is for the path `/` alone.
  const prefix = cookiePath === '/' ? '__Host-' : '__Secure-';
  const base = secure ? `${prefix}countersign` : `countersign-${port || '80'}`;
  // Lax, not Strict: a link in a notification must open the page signed in, and no GET changes anything.
  const attributes = `Path=${cookiePath}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    session: base,
    signIn: `${base}-sign-in`,
    device: `${base}-device`,
    set: (name, value, maxAgeS) =>
      `${name}=${encodeURIComponent(value)}; ${attributes}${maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`}`,
    clear: (name) => `${name}=; ${attributes}; Max-Age=0`,
  };
}

/** The value of a cookie in a Cookie header; undefined if it is missing or malformed. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key, ...rest] = part.split('=');
    if (key?.trim() === name) return decodedValue(rest.join('=').trim());
  }
  return undefined;
}

function decodedValue(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
