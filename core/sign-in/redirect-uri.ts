/**
 * The address that the browser returns to after a sign-in. It receives the code, so its owner gets the access.
 * Sources: RFC 8252, 7 (native programs); RFC 9700, 2.1 and 4.1 (exact comparison).
 */

const URI_CHARS_MAX = 500;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
/**
 * Editors that register a scheme without a dot. RFC 8252, 8.4, advises against such schemes: nobody owns their names. A
 * general rule would also accept the schemes that an operating system gives to other programs. Cursor registers
 * `cursor://anysphere.cursor-mcp/oauth/callback` together with https and loopback addresses, and one that is refused
 * would refuse all.
 */
const EDITOR_SCHEMES: ReadonlySet<string> = new Set(['cursor:', 'vscode:', 'vscode-insiders:']);

/**
 * Whether a client may name this address: https, http to a loopback address, or a scheme of a program (with a dot, such
 * as `com.example.app:`). Without a fragment, a user or a password.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > URI_CHARS_MAX || !/^[\x21-\x7e]+$/.test(text) || /[\\<>"'`{}|^#]/.test(text))
    return false;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  // The parser accepts https:host as well; a person may read it differently.
  if (protocol === 'https:') return /^https:\/\/[^/]/i.test(text) && hostname !== '';
  if (protocol === 'http:') return /^http:\/\/[^/]/i.test(text) && LOOPBACK.has(hostname);
  return protocol.slice(0, -1).includes('.') || EDITOR_SCHEMES.has(protocol);
}

/**
 * Whether a request may use the address: it equals a registered one character by character. The port of a loopback
 * address may differ, because a program listens on any free port (RFC 8252, 7.3).
 * @param registered addresses that `isRedirectUri` accepts
 */
export function isRegistered(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  const bare = withoutLoopbackPort(requested);
  return bare !== undefined && registered.some((one) => withoutLoopbackPort(one) === bare);
}

function withoutLoopbackPort(text: string): string | undefined {
  if (!isRedirectUri(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:') return undefined;
  const [, path = ''] = /^http:\/\/[^/?]*(.*)$/i.exec(text) ?? [];
  return `http://${url.hostname}${path}`;
}

/** Returns the host that receives the code. Undefined: a program on the computer of the browser. */
export function receivingHost(redirectUri: string): string | undefined {
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' ? host : undefined;
}

/** Adds parameters and leaves those of the client unchanged. */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  const mark = redirectUri.includes('?') ? '&' : '?';
  return `${redirectUri}${mark}${new URLSearchParams(parameters).toString()}`;
}
