import { type IncomingMessage, type RequestOptions, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { expectPlainAnswer } from '../remote/plain-answer.ts';
import { withTimeLimit } from '../remote/time-limit.ts';

/** Less than the lease of a grant, so that no second process begins meanwhile. */
const TIME_LIMIT_MS = 20_000;
const BODY_BYTES_MAX = 256 * 1024;

/**
 * `fetch` with limits on the time and size of an answer, and without redirects. Each request has a connection of its own:
 * Node's `fetch` opens another one when a request is aborted, and a server that is silent on it keeps the next request too.
 * @throws Error beyond the limits, or if there is no answer
 */
export async function limitedFetch(
  url: string,
  init: { method: string; headers: Record<string, string>; body?: BodyInit | null | undefined },
  timeLimitMs = TIME_LIMIT_MS,
): Promise<Response> {
  const { method, headers, body = null } = init;
  const sent = Buffer.from(await new Response(body).arrayBuffer());
  return withTimeLimit({ signal: new AbortController().signal, ms: timeLimitMs }, async (signal) => {
    const length = body === null ? {} : { 'content-length': String(sent.length) };
    const sentHeaders = { 'user-agent': 'countersign', ...headers, ...length };
    const options = { method, headers: sentHeaders, agent: false, signal } as const;
    const answer = await answerTo(new URL(url), options, sent);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      // Leaving the loop ends the connection.
      if (bytes > BODY_BYTES_MAX) throw new Error('the answer is too large');
      chunks.push(chunk);
    }
    return new Response(bytes === 0 ? null : Buffer.concat(chunks), {
      status: answer.statusCode ?? 0,
      headers: headersOf(answer),
    });
  });
}

function answerTo(url: URL, options: RequestOptions, body: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? requestByHttps : requestByHttp)(url, options);
    outgoing.once('error', reject);
    outgoing.once('response', resolve);
    expectPlainAnswer(outgoing);
    outgoing.end(body);
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  }
  return headers;
}
