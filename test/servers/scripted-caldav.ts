import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a scripted server was asked. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedCaldav {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** Answers a request, or leaves it to the calendar server that it otherwise is. */
export type Script = (
  asked: Asked,
  response: ServerResponse,
) => 'answered' | 'usual' | Promise<'answered' | 'usual'>;

/** One object of the calendar, as REPORT gives it. */
export interface ScriptedObject {
  readonly name: string;
  readonly data: string;
  readonly status?: number;
}

/**
 * A calendar server that does as it is told, so that faults can be forced that no real one shows. Otherwise it has
 * one calendar, `/home/calendar/`, with these objects, whatever is asked of it. It ends with the test.
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

function usual({ method, path }: Asked, response: ServerResponse, objects: readonly ScriptedObject[]): void {
  if (method === 'PUT' || method === 'DELETE') {
    response.writeHead(204).end();
    return;
  }
  const resource = (href: string, props: string) =>
    `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
  const calendar =
    '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>Mine</d:displayname>';
  const stored = objects.map(({ name, data, status }) =>
    status === undefined
      ? resource(
          `/home/calendar/${name}`,
          `<d:getetag>"1"</d:getetag><c:calendar-data>${data}</c:calendar-data>`,
        )
      : `<d:response><d:href>/home/calendar/${name}</d:href><d:status>HTTP/1.1 ${status} x</d:status></d:response>`,
  );
  const answers: Readonly<Record<string, string>> = {
    '/': resource('/', '<d:current-user-principal><d:href>/me/</d:href></d:current-user-principal>'),
    '/me/': resource('/me/', '<c:calendar-home-set><d:href>/home/</d:href></c:calendar-home-set>'),
    '/home/': resource('/home/calendar/', calendar),
    '/home/calendar/': stored.join(''),
  };
  multistatus(response, answers[path] ?? '');
}

export function multistatus(response: ServerResponse, responses: string): void {
  response.writeHead(207, { 'content-type': 'application/xml; charset=utf-8', dav: '1, calendar-access' });
  response.end(
    `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${responses}</d:multistatus>`,
  );
}
