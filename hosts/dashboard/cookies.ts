/**
 * The dashboard's cookies. Over https their names bind them to this very host; over http, which is for the
 * loopback host, the port is in the name, because cookies ignore ports and two servers must not sign each other out.
 */
export interface Cookies {
  readonly session: string;
  /** Ties the sign-in form to the browser that was shown it. */
  readonly signIn: string;
  /** Marks a browser that signed in before. It opens nothing: tries at the password from it have a budget of their own. */
  readonly device: string;
  /** A Set-Cookie header. The cookie ends with the browser's session, or after `maxAgeS`. */
  set(name: string, value: string, maxAgeS?: number): string;
  clear(name: string): string;
}

/** How long a browser is remembered: the longest that Chrome keeps a cookie. Every sign-in begins it anew. */
export const DEVICE_S = 400 * 24 * 60 * 60;

export function dashboardCookies(dashboardUrl: string): Cookies {
  const { protocol, port } = new URL(dashboardUrl);
  const secure = protocol === 'https:';
  const base = secure ? '__Host-countersign' : `countersign-${port || '80'}`;
  // Lax, not Strict: who follows a link from a notice shall find the page, and no GET changes anything.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    session: base,
    signIn: `${base}-sign-in`,
    device: `${base}-device`,
    set: (name, value, maxAgeS) =>
      `${name}=${encodeURIComponent(value)}; ${attributes}${maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`}`,
    clear: (name) => `${name}=; ${attributes}; Max-Age=0`,
  };
}

/** The value of the cookie in a Cookie header; undefined where there is none, or none that can be read. */
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
