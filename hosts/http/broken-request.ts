import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Service } from '../../core/service.ts';
import { bodyFailure } from './body-rules.ts';
import { commonHeaders, type Reply, rateHeaders } from './reply.ts';
import { type AnswerRequest, addressRate } from './request.ts';
import type { RequestHead } from './request-head.ts';

/** What node:http's `clientError` brings. */
export interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Uint8Array;
}

/** Answers what node:http could not read as the host behind it would; what came before it in the order of refusals is still said first. */
export function brokenRequests(
  service: Pick<Service, 'baseUrl' | 'calls'>,
  answer: AnswerRequest,
): (error: ParseError, socket: Duplex) => void {
  return (error, socket) => {
    const head = LENGTH_ERRORS.has(error.code ?? '')
      ? brokenHead(error.rawPacket, peerOf(socket))
      : undefined;
    // An answer that is under way would be mixed up with this one; node:http's own listener looks there, too.
    if (!socket.writable || ('_httpMessage' in socket && socket._httpMessage)) return void socket.destroy();
    if (head === undefined) {
      const status = OTHER_STATUS[error.code ?? ''] ?? 400;
      bare(service, peerOf(socket), status).then(
        (response) => socket.end(response),
        () => socket.destroy(),
      );
      return;
    }
    answer(head, () => Promise.reject(new Error('a broken request has no body'))).then(
      (reply) => (reply === undefined ? socket.destroy() : socket.end(text(reply))),
      () => socket.destroy(),
    );
  };
}

const LENGTH_ERRORS: ReadonlySet<string> = new Set([
  'HPE_INVALID_CONTENT_LENGTH',
  'HPE_UNEXPECTED_CONTENT_LENGTH',
  'HPE_INVALID_TRANSFER_ENCODING',
]);

/** The statuses that node:http answers with when nobody listens. */
const OTHER_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The head that a packet begins with; undefined where it is not there whole, or is not what is broken. */
function brokenHead(packet: Uint8Array | undefined, peer: string): RequestHead | undefined {
  const [head, ...rest] = Buffer.from(packet ?? [])
    .toString('latin1')
    .split('\r\n\r\n');
  const [requestLine = '', ...lines] = (head ?? '').split('\r\n');
  const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(requestLine) ?? [];
  if (rest.length === 0 || method === undefined || target === undefined) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const [name, value] = [line.slice(0, colon), trimmed(line.slice(colon + 1))];
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  const broken = { method, target, headers: Object.fromEntries(headers), peer };
  return bodyFailure(broken, false) === undefined ? undefined : broken;
}

/** A header's value without the spaces and TABs around it. Source: RFC 9110, section 5.5. */
function trimmed(value: string): string {
  return value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

function peerOf(socket: Duplex): string {
  return 'remoteAddress' in socket && typeof socket.remoteAddress === 'string' ? socket.remoteAddress : '';
}

/** To what is no request of HTTP that can be read: no code of ours fits it, so it has the headers of every answer alone. */
async function bare(
  service: Pick<Service, 'baseUrl' | 'calls'>,
  address: string,
  status: number,
): Promise<string> {
  const rate = await addressRate(service, address);
  const body = '';
  const headers = { ...commonHeaders(service.baseUrl, randomUUID(), body), ...rateHeaders(rate) };
  return text({ status, headers, body });
}

function text(reply: Reply): string {
  const headers = { ...reply.headers, 'Content-Length': Buffer.byteLength(reply.body), Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines.join('')}\r\n${reply.body}`;
}
