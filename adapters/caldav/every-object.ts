import { MailError } from '../../core/ports/mail.ts';
import { decodedPath } from './decoded.ts';
import type { FoundCalendar } from './discover.ts';
import type { CalendarHttp } from './http.ts';
import { eventsMatching, type Multistatus, objectsAt, properties, propText } from './multistatus.ts';
import type { ReadResponse, Resource } from './response.ts';
import { hasFailed, type StatusError } from './status.ts';

/** Number of objects per request. */
const TOGETHER = 256;

/**
 * Requests every object of a calendar, for a server that fails to filter them: Radicale answers 500 to every query with
 * a filter if one of the objects cannot be filtered. Requests all of them first, then by name. `failed` contains those
 * that the server fails to return even one by one.
 * @param cause thrown if the calendar contains no object that could have caused the failure; undefined: it did not fail
 */
export async function everyObject(
  http: CalendarHttp,
  { url }: Pick<FoundCalendar, 'url'>,
  mostBytes: number,
  limit: AbortSignal,
  cause: StatusError | undefined,
): Promise<Multistatus> {
  try {
    return await eventsMatching(http, url, { filter: {}, mostBytes }, limit);
  } catch (error) {
    if (!hasFailed(error)) throw error;
  }
  const names = ['d:getetag', 'd:resourcetype'];
  const { resources: named, headers } = await properties(http, url, names, '1', limit);
  const urls = named.filter((one) => isObject(one, url)).map((one) => one.url);
  if (urls.length === 0 && cause !== undefined) throw cause;
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
): Promise<ReadResponse> {
  const answers: ReadResponse[] = [];
  const failed: string[] = [];
  let chars = 0;
  const waiting = chunksOf(urls, TOGETHER);
  for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
    try {
      const found = await objectsAt(http, url, chunk, mostBytes, limit);
      for (const one of found.resources) chars += propText(one, 'c:calendar-data')?.length ?? 0;
      if (chars > mostBytes) throw new MailError('refused', 'the objects of the calendar are too large');
      answers.push(found);
    } catch (error) {
      if (!hasFailed(error)) throw error;
      const [only, ...others] = chunk;
      if (only !== undefined && others.length === 0) failed.push(decodedPath(only));
      else for (const smaller of chunksOf(chunk, Math.ceil(chunk.length / 8))) waiting.push(smaller);
    }
  }
  return {
    resources: answers.flatMap(({ resources }) => resources),
    failed: [...answers.flatMap((one) => one.failed), ...failed],
    gone: answers.flatMap(({ gone }) => gone),
  };
}

/** Whether it is an object, and not the collection itself. */
function isObject({ url, props }: Resource, collection: URL): boolean {
  return url.pathname !== collection.pathname && props.has('d:getetag');
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
