import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Asked, type ScriptedObject, usual } from './caldav-answers.ts';

export interface ScriptedCaldav {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** Answers a request, or leaves it to the default server. */
export type Script = (
  asked: Asked,
  response: ServerResponse,
) => 'answered' | 'usual' | Promise<'answered' | 'usual'>;

/**
 * A scripted calendar server, to force faults that no real server shows. By default it has one calendar,
 * `/home/calendar/`, and returns these objects for any request. It stops with the test.
 * @param tls  default: plain text
 */
export async function startScriptedCaldav(
  script: Script = () => 'usual',
  objects: readonly ScriptedObject[] = [],
  tls?: { readonly key: string; readonly cert: string },
): Promise<ScriptedCaldav> {
  const asked: Asked[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const question = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
    asked.push(question);
    if ((await script(question, response)) === 'usual') usual(question, response, objects);
  }

  // Connections that the client forgets stay taken.
  server.keepAliveTimeout = 3_600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
  };
}
