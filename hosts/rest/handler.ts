import type { IncomingMessage, ServerResponse } from 'node:http';
import { headOf } from '../http/request-head.ts';
import type { Reply } from './answer.ts';
import { isAmbiguous } from './body-rules.ts';
import { type RestOptions, type RestService, restDoor } from './door.ts';
import { discardBody, readBody } from './read-body.ts';

export { restClientError } from './broken-request.ts';

/**
 * The REST API, for `node:http`, Express, Fastify and their like; to stand in front of any body parser.
 * It answers every request it is given, unknown paths with 404.
 * @throws Error when an option is wrong, naming it
 */
export function restHandler(
  service: RestService,
  options: RestOptions = {},
): (req: IncomingMessage, res: ServerResponse) => void {
  const door = restDoor(service, options);
  return (req, res) => {
    const head = headOf(req);
    door(head, () => readBody(req)).then(
      (reply) => {
        if (reply === undefined) return res.destroy();
        if (!req.complete) discardBody(req);
        write(res, reply, isAmbiguous(head));
      },
      // The door answers its own failures; without an answer the caller is at least not left waiting.
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
