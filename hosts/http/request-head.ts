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
}

/** A whole address in the request line counts more than the Host header (RFC 9112, 3.2.2). */
export function targetOf(head: RequestHead): Target {
  const whole = /^https?:\/\/([^/?#]*)(.*)$/i.exec(head.target);
  const rest = whole === null ? head.target : (whole[2] ?? '');
  const [path = '', ...query] = rest.split('?');
  return {
    authority: whole === null ? headerOf(head, 'host') : whole[1],
    path: path === '' ? '/' : path,
    query: new URLSearchParams(query.join('?')),
  };
}

/** What follows `Bearer `; undefined where there is no such header or it is malformed. */
export function bearerToken(head: RequestHead): string | undefined {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(headerOf(head, 'authorization') ?? '')?.[1];
}
