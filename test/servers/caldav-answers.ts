import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that a scripted server received. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** One calendar object in a REPORT response. */
export interface ScriptedObject {
  readonly name: string;
  readonly data: string;
  readonly status?: number;
}

/** A calendar server with one calendar, `/home/calendar/`, that returns these objects for any REPORT. */
export function usual(
  { method, path }: Asked,
  response: ServerResponse,
  objects: readonly ScriptedObject[],
): void {
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
  if (path.startsWith('/home/calendar/') && !(path in answers)) {
    const isStored = objects.some(({ name }) => path === `/home/calendar/${name}`);
    if (isStored) multistatus(response, resource(path, '<d:getetag>"1"</d:getetag>'));
    else response.writeHead(404).end();
    return;
  }
  multistatus(response, answers[path] ?? '');
}

export function multistatus(response: ServerResponse, responses: string): void {
  response.writeHead(207, { 'content-type': 'application/xml; charset=utf-8', dav: '1, calendar-access' });
  response.end(
    `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${responses}</d:multistatus>`,
  );
}
