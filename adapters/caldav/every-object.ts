import { MailError } from '../../core/ports/mail.ts';
import { decodedPath } from './decoded.ts';
import type { FoundCalendar } from './discover.ts';
import type { CalendarHttp } from './http.ts';
import {
  eventsMatching,
  type Multistatus,
  objectsAt,
  properties,
  propText,
  type Resource,
} from './multistatus.ts';
import { FailedOnRequest } from './status.ts';

/** Number of objects per request. */
const TOGETHER = 256;

/**
 * Requests every object of a calendar, for a server that fails to filter them: Radicale answers 500 to every query with
 * a filter if one of the objects cannot be filtered. Requests all of them first, then by name. `failed` contains those
 * that the server fails to return even one by one.
 * @param cause thrown if the calendar contains no object that could have caused the failure
 */
export async function everyObject(
  http: CalendarHttp,
  { url }: Pick<FoundCalendar, 'url'>,
  mostBytes: number,
  limit: AbortSignal,
  cause: FailedOnRequest,
): Promise<Multistatus> {
  try {
    return await eventsMatching(http, url, { filter: {}, mostBytes }, limit);
  } catch (error) {
    if (!(error instanceof FailedOnRequest)) throw error;
  }
  const names = ['d:getetag', 'd:resourcetype'];
  const { resources: named, headers } = await properties(http, url, names, '1', limit);
  const urls = named.filter((one) => isObject(one, url)).map((one) => one.url);
  if (urls.length === 0) throw cause;
  return { ...(await objectsNamed(http, url, urls, mostBytes, limit)), headers };
}

/**
 * Requests objects by name. `failed` contains those that the server fails to return even one by one.
 * @param mostBytes of each response, and of all objects together
 */
export async function objectsNamed(
  http: CalendarHttp,
  url: URL,
  urls: readonly URL[],
  mostBytes: number,
  limit: AbortSignal,
): Promise<Omit<Multistatus, 'headers'>> {
  const resources: Resource[] = [];
  const failed: string[] = [];
  const gone: string[] = [];
  let chars = 0;
  const waiting = chunksOf(urls, TOGETHER);
  for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
    try {
      const found = await objectsAt(http, url, chunk, mostBytes, limit);
      for (const one of found.resources) chars += propText(one, 'calendarData')?.length ?? 0;
      if (chars > mostBytes) throw new MailError('refused', 'the objects of the calendar are too large');
      resources.push(...found.resources);
      failed.push(...found.failed);
      gone.push(...found.gone);
    } catch (error) {
      if (!(error instanceof FailedOnRequest)) throw error;
      const [only, ...others] = chunk;
      if (only !== undefined && others.length === 0) failed.push(decodedPath(only));
      else waiting.push(...chunksOf(chunk, Math.ceil(chunk.length / 8)));
    }
  }
  return { resources, failed, gone };
}

/** Whether it is an object, and not the collection itself. */
function isObject({ url, props }: Resource, collection: URL): boolean {
  return url.pathname !== collection.pathname && props.getetag !== undefined;
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
