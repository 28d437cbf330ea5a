import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface PlainResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Sends one request as it is: with any Host and any path, from any address of this machine. */
export async function plainRequest(options: RequestOptions, body = ''): Promise<PlainResponse> {
  const sent = request(options);
  const answered = responseTo(sent);
  sent.end(body);
  const answer = await answered;
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes: await buffer(answer) };
}

/** The response to a request, as soon as it begins. */
export function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
}
