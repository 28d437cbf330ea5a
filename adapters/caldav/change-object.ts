import { createCalendarObject, deleteCalendarObject, updateCalendarObject } from 'tsdav';
import { MailError, type Start } from '../../core/ports/mail.ts';
import { type CalendarHttp, davRequest } from './http.ts';
import { properties, propText } from './multistatus.ts';
import { statusInside } from './response.ts';
import { FailedDuringChange, failureOf, writeFailureOf } from './status.ts';

export interface ObjectChange {
  /** Null: the object is deleted. */
  readonly ics: string | null;
  /** The ETag of the object that is replaced or deleted. Null: there must be none. */
  readonly ifMatch: string | null;
}

/**
 * Stores or deletes an object. tsdav writes the request and takes every status for a success, so the response is judged
 * here. Reads the object's ETag first, because SOGo ignores the conditions of some requests. Reads it again if the
 * response does not show whether the object is gone or was changed.
 */
export async function changeObject(
  http: CalendarHttp,
  url: URL,
  { ics, ifMatch }: ObjectChange,
  start: Start,
  limit: AbortSignal,
): Promise<void> {
  const before = await etagNow(http, url, limit);
  if (before !== undefined && bare(before) !== bare(ifMatch)) throw failureOf(before === null ? 404 : 412);
  const fetch: typeof globalThis.fetch = async (address, init) => {
    const response = await http.change(davRequest(address, init), start, limit);
    const status = await statusInside(response, http.reading, limit);
    const failure = writeFailureOf(status);
    if (failure !== undefined) throw failure;
    return new Response(null, { status });
  };
  try {
    if (ifMatch === null) {
      const calendar = { url: new URL('.', url).href };
      const filename = url.href.slice(calendar.url.length);
      await createCalendarObject({ calendar, filename, iCalString: ics ?? '', fetch });
    } else {
      const calendarObject = { url: url.href, data: ics, etag: ifMatch };
      await (ics === null ? deleteCalendarObject : updateCalendarObject)({ calendarObject, fetch });
    }
  } catch (error) {
    const mayBeGone = error instanceof MailError && error.code === 'conflict' && ifMatch !== null;
    if (!mayBeGone && !(error instanceof FailedDuringChange)) throw error;
    const now = await etagNow(http, url, limit);
    // Servers also return 412 for an object that no longer exists.
    if (mayBeGone && now === null) throw failureOf(404);
    if (error instanceof FailedDuringChange && now === ifMatch) throw failureOf(500);
    throw error;
  }
}

/** Some servers write an ETag in two ways: weak or not, quoted or not. */
function bare(etag: string | null): string | null {
  return etag === null ? null : etag.replace(/^W\//, '').replaceAll('"', '');
}

/** Null: the object does not exist. Undefined: unknown. */
async function etagNow(http: CalendarHttp, url: URL, limit: AbortSignal): Promise<string | null | undefined> {
  try {
    const { resources, gone } = await properties(http, url, ['d:getetag'], '0', limit);
    const [found] = resources;
    if (found === undefined) return gone.length > 0 ? null : undefined;
    return propText(found, 'd:getetag');
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return error.code === 'not_found' ? null : undefined;
  }
}
