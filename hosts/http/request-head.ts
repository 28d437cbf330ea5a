import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** A request as far as its head: what every rule before the body is judged on. */
export interface RequestHead {
  readonly method: string;
  /** The request target as it came: a path with its query, or a whole address (RFC 9112, 3.2). */
  readonly target: string;
  /** By lower-case name; of a header that came several times what node:http makes of it. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Address of the other end of the connection. */
  readonly peer: string;
}

export function headOf(req: IncomingMessage): RequestHead {
  return {
    method: req.method ?? '',
    target: req.url ?? '/',
    headers: req.headers,
    peer: req.socket.remoteAddress ?? '',
  };
}

/** Undefined where the header is missing. */
export function headerOf(head: RequestHead, name: string): string | undefined {
  const value = head.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

export interface Target {
  /** Host and port that the request is addressed to; undefined where nothing says so. */
  readonly authority: string | undefined;
  /** As it came, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parameters whose percent-encoding is not of UTF-8: what `query` has of them is not what was meant. */
  readonly notUtf8: readonly string[];
}

/** A whole address in the request line counts more than the Host header (RFC 9112, 3.2.2). */
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

/** A request target is ASCII; what is no percent-encoding stands for itself. */
function decodedBytes(text: string): Uint8Array {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}

/** What follows `Bearer `; undefined where there is no such header or it is malformed. */
export function bearerToken(head: RequestHead): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(headerOf(head, 'authorization') ?? '')?.[1];
}
