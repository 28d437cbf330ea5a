import { type Asked, multistatus } from './caldav-answers.ts';
import { type ScriptedCaldav, startScriptedCaldav } from './scripted-caldav.ts';

/** How a calendar server differs from the usual one, as public reports describe it. */
export interface Dialect {
  /** The path of its only calendar. */
  readonly calendar: string;
  /** What the calendar says about itself. */
  readonly properties: string;
  /** Answers to PROPFIND at other paths: a status, or what is in the multistatus. Default: 404. */
  readonly discovery: Readonly<Record<string, number | string>>;
  /** The answer to a search by UID. Default: what matches. */
  readonly search?: 'nothing' | number;
  /** The calendar's tag. Default: none. */
  readonly ctag?: (changes: number) => string;
  /** Default: a quoted number. */
  readonly etag?: (version: number) => string;
  /** Turns what is stored into what is answered. */
  readonly answered?: (ics: string, answers: number) => string;
  /** Whether lists also contain the calendar itself. */
  readonly listsItself?: boolean;
}

export interface ReportedCaldav extends ScriptedCaldav {
  /** The stored objects, by path. */
  readonly stored: ReadonlyMap<string, string>;
  put(name: string, ics: string): void;
}

/** A calendar server of this dialect, which stores what it is sent. It stops with the test. */
export async function startReportedCaldav(dialect: Dialect): Promise<ReportedCaldav> {
  const { calendar, properties, discovery, search, ctag, etag = (version) => `"${version}"` } = dialect;
  const { answered = (ics) => ics, listsItself = false } = dialect;
  const stored = new Map<string, string>();
  const versions = new Map<string, number>();
  let [changes, answers] = [0, 0];

  function put(path: string, ics: string): void {
    changes += 1;
    stored.set(path, ics);
    versions.set(path, changes);
  }

  const etagOf = (path: string) => etag(versions.get(path) ?? 0);
  const row = (path: string, withData: boolean) => {
    const ics = stored.get(path);
    if (ics === undefined) return status(path, 404);
    answers += 1;
    const data = withData ? `<c:calendar-data>${written(answered(ics, answers))}</c:calendar-data>` : '';
    return resource(path, `<d:getetag>${written(etagOf(path))}</d:getetag>${data}`);
  };

  function found({ body }: Asked): readonly string[] | number {
    const hrefs = [...body.matchAll(/<\w+:href>([^<]*)<\/\w+:href>/g)].map(([, href = '']) => href);
    if (hrefs.length > 0) return hrefs;
    const [, uid] = /name="UID"[\s\S]*?>([^<]*)<\/\w+:text-match>/.exec(body) ?? [];
    if (uid !== undefined && search !== undefined) return search === 'nothing' ? [] : search;
    const paths = [...stored.keys()];
    const isSeries = /name="R(?:RULE|DATE)"/.test(body);
    return paths.filter((path) => {
      const ics = stored.get(path) ?? '';
      return isSeries ? /^R(?:RULE|DATE)/m.test(ics) : uid === undefined || ics.includes(uid);
    });
  }

  const server = await startScriptedCaldav((asked, response) => {
    const { method, path, headers, body } = asked;
    const now = stored.has(path) ? etagOf(path) : undefined;
    const isMet = headers['if-none-match'] === '*' ? now === undefined : now === headers['if-match'];
    if (method === 'PUT' || method === 'DELETE') {
      if (!isMet) response.writeHead(412).end();
      else if (method === 'PUT') {
        put(path, body);
        // Google, iCloud and others do not return the ETag of what they stored.
        response.writeHead(201).end();
      } else {
        changes += 1;
        stored.delete(path);
        response.writeHead(204).end();
      }
    } else if (method === 'REPORT') {
      const paths = found(asked);
      if (typeof paths === 'number') response.writeHead(paths).end('unavailable');
      else {
        const rows = paths.map((one) => row(one, body.includes('calendar-data')));
        multistatus(response, (listsItself ? resource(calendar, '') : '') + rows.join(''));
      }
    } else if (path === calendar) {
      const tag = ctag?.(changes);
      const tagged = `<cs:getctag xmlns:cs="http://calendarserver.org/ns/">${written(tag ?? '')}</cs:getctag>`;
      multistatus(response, resource(calendar, properties + (tag === undefined ? '' : tagged)));
    } else if (stored.has(path)) multistatus(response, row(path, false));
    else {
      const answer = discovery[path] ?? 404;
      if (typeof answer === 'number')
        response.writeHead(answer, { 'content-type': 'text/html' }).end('<html>');
      else multistatus(response, answer);
    }
    return 'answered';
  });
  return { ...server, stored, put: (name, ics) => put(calendar + name, ics) };
}

export function resource(path: string, properties: string): string {
  return `<d:response><d:href>${path}</d:href><d:propstat><d:prop>${properties}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
}

function status(path: string, code: number): string {
  return `<d:response><d:href>${path}</d:href><d:status>HTTP/1.1 ${code} x</d:status></d:response>`;
}

function written(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
