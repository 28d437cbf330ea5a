import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Service } from '../../core/service/service.ts';
import { bodyFailure } from './body-rules.ts';
import { brokenStatus, endConnection, type ParseError } from './last-response.ts';
import { BodyLost } from './read-body.ts';
import { commonHeaders, type Reply, rateHeaders } from './reply.ts';
import { type AnswerRequest, addressRate } from './request.ts';
import type { RequestHead } from './request-head.ts';

/**
 * Answers requests that node:http cannot read, in the form of the API. Failures that come earlier in the order of
 * refusals are still reported first.
 */
export function brokenRequests(
  service: Pick<Service, 'baseUrl' | 'calls'>,
  answer: AnswerRequest,
): (error: ParseError, socket: Duplex) => void {
  return (error, socket) => {
    const head = LENGTH_ERRORS.has(error.code ?? '')
      ? brokenHead(error.rawPacket, peerOf(socket))
      : undefined;
    const reply = () =>
      head === undefined
        ? bareReply(service, peerOf(socket), brokenStatus(error))
        : answer(head, () => Promise.reject(new BodyLost('a broken request has no body')));
    // A chunked body is refused before it is read.
    endConnection(socket, reply, ({ headers }) => headers['transfer-encoding'] !== undefined);
  };
}

const LENGTH_ERRORS: ReadonlySet<string> = new Set([
  'HPE_INVALID_CONTENT_LENGTH',
  'HPE_UNEXPECTED_CONTENT_LENGTH',
  'HPE_INVALID_TRANSFER_ENCODING',
]);

/** Returns the head at the start of a packet. Undefined if it is incomplete, or is not the broken part. */
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

/** Returns a header's value without the spaces and tabs around it. Source: RFC 9110, section 5.5. */
function trimmed(value: string): string {
  return value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

function peerOf(socket: Duplex): string {
  return 'remoteAddress' in socket && typeof socket.remoteAddress === 'string' ? socket.remoteAddress : '';
}

/**
 * Answers bytes that are not a readable HTTP request. The response has only the common headers and no body, because no
 * error code of the API applies.
 */
async function bareReply(
  service: Pick<Service, 'baseUrl' | 'calls'>,
  address: string,
  status: number,
): Promise<Reply> {
  const rate = await addressRate(service, address);
  const headers = { ...commonHeaders(service.baseUrl, randomUUID(), ''), ...rateHeaders(rate) };
  return { status, headers, body: '' };
}
