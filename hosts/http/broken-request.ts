import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Failure, failure } from '../../core/call/outcome.ts';
import type { Service } from '../../core/service/service.ts';
import { HEAD_MAX_BYTES, recordedHead } from './arriving-head.ts';
import { BODY_MAX_BYTES, bodyFailure } from './body-rules.ts';
import { brokenStatus, endConnection, type ParseError } from './last-response.ts';
import { BodyLost } from './read-body.ts';
import { codedBody, commonHeaders, failureStatus, type Reply, rateHeaders } from './reply.ts';
import { type AnswerRequest, addressRate } from './request.ts';
import type { RequestHead } from './request-head.ts';

/**
 * Answers requests that node:http cannot read, in the form of the API. Failures that come earlier in the order of
 * refusals are still reported first, if the whole head is there: see `recordHeads`.
 */
export function brokenRequests(
  service: Pick<Service, 'baseUrl' | 'calls'>,
  answer: AnswerRequest,
): (error: ParseError, socket: Duplex) => void {
  /** The packets of a head that was not recorded, from the first one that could not be read. */
  const packets = new WeakMap<Duplex, Uint8Array>();

  function headSoFar(socket: Duplex, packet: Uint8Array): string {
    const before = packets.get(socket) ?? new Uint8Array();
    packets.set(socket, Buffer.concat([before, packet]));
    const recorded = recordedHead(socket);
    return Buffer.from(recorded.length > 0 ? recorded : Buffer.concat([before, packet])).toString('latin1');
  }

  return (error, socket) => {
    const { rawPacket = new Uint8Array() } = error;
    const peer = peerOf(socket);
    const wrongLength = lengthFailure(error);
    const text = wrongLength === undefined ? '' : headSoFar(socket, rawPacket);
    // The error comes again with the next packet.
    if (rawPacket.length > 0 && isIncomplete(text)) return;
    const head = brokenHead(text, peer);
    const reply = () =>
      head === undefined
        ? replyWithoutHead(service, peer, wrongLength ?? brokenStatus(error))
        : answer(head, () => Promise.reject(new BodyLost('a broken request has no body')));
    // A chunked body is refused before it is read.
    endConnection(socket, reply, ({ headers }) => headers['transfer-encoding'] !== undefined);
  };
}

/** Returns what is wrong with the length of a body. Reads only the parser's error. */
function lengthFailure({ code, reason = '' }: ParseError): Failure | undefined {
  switch (code) {
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return failure('length_required');
    case 'HPE_INVALID_CONTENT_LENGTH':
    case 'HPE_UNEXPECTED_CONTENT_LENGTH':
      if (reason.includes('Transfer-Encoding')) return failure('length_required');
      return reason.includes('overflow')
        ? failure('payload_too_large', { max_bytes: BODY_MAX_BYTES })
        : failure('invalid_content_length');
    default:
      return undefined;
  }
}

/** Undefined if the text does not begin with a whole request line. */
function requestLineOf(text: string): { readonly method: string; readonly target: string } | undefined {
  const [line = ''] = text.split('\r\n', 1);
  const [, method = '', target = ''] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(line) ?? [];
  // The text may start in the middle of a request line: `OST` is not a method.
  return METHODS.includes(method) ? { method, target } : undefined;
}

/** Whether more of the head is still to arrive. */
function isIncomplete(text: string): boolean {
  return text.length <= HEAD_MAX_BYTES && !text.includes('\r\n\r\n') && requestLineOf(text) !== undefined;
}

/** Returns the head at the start of a text. Undefined if there is none, or if it is not the broken part. */
function brokenHead(text: string, peer: string): RequestHead | undefined {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [, ...lines] = head.split('\r\n');
  const requestLine = requestLineOf(text);
  if (rest.length === 0 || requestLine === undefined) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const [name, value] = [line.slice(0, colon), trimmed(line.slice(colon + 1))];
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  const broken = { ...requestLine, headers: Object.fromEntries(headers), peer };
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
 * Answers bytes without a readable head.
 * @param why  a status if no error code of the API applies: then the response has only the common headers and no body
 */
async function replyWithoutHead(
  service: Pick<Service, 'baseUrl' | 'calls'>,
  address: string,
  why: Failure | number,
): Promise<Reply> {
  const rate = await addressRate(service, address);
  const [{ status, headers }, body] =
    typeof why === 'number' ? [{ status: why, headers: {} }, ''] : [failureStatus(why), codedBody(why)];
  const common = commonHeaders(service.baseUrl, randomUUID(), body);
  return { status, headers: { ...common, ...headers, ...rateHeaders(rate) }, body };
}
