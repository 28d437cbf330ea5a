import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAmbiguous } from './body-rules.ts';
import { answeredEarly } from './last-response.ts';
import { discardBody, readBody } from './read-body.ts';
import type { Reply } from './reply.ts';
import type { AnswerRequest } from './request.ts';
import { headOf } from './request-head.ts';

/** A handler for `node:http`, Express, Fastify and similar servers. */
export type HttpHandler = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Creates a handler for node:http. It answers every request that it receives.
 * @param session  the app's session hook
 */
export function httpHandler(answer: AnswerRequest, session?: (req: IncomingMessage) => unknown): HttpHandler {
  return (req, res) => {
    const head = headOf(req);
    const gone = new AbortController();
    res.once('close', () => {
      // It also closes after a complete response. Then nobody waits, and to abort would only build an error.
      if (!res.writableFinished) gone.abort();
    });
    answer(head, () => readBody(req), gone.signal, session && (() => session(req))).then(
      (reply) => {
        if (reply === undefined) return res.destroy();
        if (!req.complete) {
          discardBody(req);
          answeredEarly(req);
        }
        write(res, reply, isAmbiguous(head));
      },
      // `answer` handles failures itself. If it throws all the same, do not leave the caller waiting.
      () => res.destroy(),
    );
  };
}

function write(res: ServerResponse, reply: Reply, close: boolean): void {
  const { status, headers, body, rest } = reply;
  const connection = close ? { Connection: 'close' } : {};
  if (rest === undefined) {
    // A 304 would name the length of the body that it leaves out.
    const length = status === 304 ? {} : { 'Content-Length': Buffer.byteLength(body) };
    res.writeHead(status, { ...headers, ...length, ...connection });
    res.end(body);
    return;
  }
  res.writeHead(status, { ...headers, ...connection });
  res.write(body);
  // If either side fails, both end: the caller sees an incomplete response. `pipeline` would add six listeners for `close`
  // to the response, and Node warns at eleven.
  const end = () => {
    if (rest.readableEnded) return;
    rest.destroy();
    res.destroy();
  };
  rest.once('error', end).once('close', end);
  res.once('close', end);
  if (rest.destroyed || res.destroyed) end();
  else rest.pipe(res);
}
