import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAmbiguous } from './body-rules.ts';
import { answeredEarly } from './last-response.ts';
import { discardBody, readBody } from './read-body.ts';
import type { Reply } from './reply.ts';
import type { AnswerRequest } from './request.ts';
import { headOf } from './request-head.ts';

/** A handler for `node:http`, Express, Fastify and similar servers. */
export type HttpHandler = (req: IncomingMessage, res: ServerResponse) => void;

/** Creates a handler for node:http. It answers every request that it receives. */
export function httpHandler(answer: AnswerRequest): HttpHandler {
  return (req, res) => {
    const head = headOf(req);
    answer(head, () => readBody(req)).then(
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
  const connection = close ? { Connection: 'close' } : {};
  res.writeHead(reply.status, {
    ...reply.headers,
    'Content-Length': Buffer.byteLength(reply.body),
    ...connection,
  });
  res.end(reply.body);
}
