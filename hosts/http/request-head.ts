import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The head of a request. Every rule before the body uses it. */
export interface RequestHead {
  readonly method: string;
  /** The request target as received: a path with its query, or a whole URL (RFC 9112, 3.2). */
  readonly target: string;
  /** By lower-case name. node:http decides how it joins repeated headers. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The address of the other end of the connection. */
  readonly peer: string;
}

/** Express and similar frameworks remove the path of a mount from `url` and keep the whole in `originalUrl`. */
export function headOf(req: IncomingMessage & { readonly originalUrl?: unknown }): RequestHead {
  return {
    method: req.method ?? '',
    target: typeof req.originalUrl === 'string' ? req.originalUrl : (req.url ?? '/'),
    headers: req.headers,
    peer: req.socket.remoteAddress ?? '',
  };
}

/** Whose answer a request gets: HEAD gets that of GET, and nobody writes its body (RFC 9110, 9.3.2). */
export function answeredMethod({ method }: Pick<RequestHead, 'method'>): string {
  return method === 'HEAD' ? 'GET' : method;
}

/** The value of `Allow`. */
export function allowedMethods(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

/** The path of the tool protocol. Clients are also given it with a slash at its end, and lose the token in a redirect. */
export function isMcpPath(path: string): boolean {
  return path === '/mcp' || path === '/mcp/';
}

/** Undefined if the header is missing. */
export function headerOf(head: RequestHead, name: string): string | undefined {
  const value = head.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

export interface Target {
  /** The host and port that the request names. Undefined if it names none. */
  readonly authority: string | undefined;
  /** As received, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parameters whose percent-encoding is not UTF-8, so that their values in `query` are wrong. */
  readonly notUtf8: readonly string[];
}

/** A whole URL in the request line takes precedence over the Host header (RFC 9112, 3.2.2). */
export function targetOf(head: RequestHead): Target {
  const whole = /^https?:\/\/([^/?#]*)(.*)$/i.exec(head.target);
  const rest = whole === null ? head.target : (whole[2] ?? '');
  const [path = '', ...parts] = rest.split('?');
  const query = parts.join('?');
  return {
    authority: whole === null ? headerOf(head, 'host') : whole[1],
    path: path === '' ? '/' : path,
    query: new URLSearchParams(query),
    notUtf8: ENCODED.test(query) ? namesNotUtf8(query) : [],
  };
}

const ENCODED = /[%\u0080-\uffff]/;

function namesNotUtf8(query: string): string[] {
  return query.split('&').flatMap((pair) => (isUtf8(decodedBytes(pair)) ? [] : (pair.split('=')[0] ?? [])));
}

/** A request target is ASCII. Text that is not percent-encoded stays unchanged. */
function decodedBytes(text: string): Uint8Array {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}

/** Returns the text after `Bearer `. Undefined if the header is missing or malformed. */
export function bearerToken(head: RequestHead): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(headerOf(head, 'authorization') ?? '')?.[1];
}
