import { type AccountCache, accountCache } from '../../core/accounts/account-cache.ts';

/** What lists have read of calendars, by their `calendar`, so that the next list only requests what changed. */
export type KeptCalendars = AccountCache<KeptCalendar>;

export interface KeptCalendar {
  /** By decoded path: those that a kept list contains. */
  readonly objects: ReadonlyMap<string, KeptObject>;
  readonly lists: readonly KeptList[];
}

export interface KeptObject {
  /** The path as the server writes it. */
  readonly pathname: string;
  readonly etag: string;
  readonly ics: string;
}

/** The objects that a list of a range contains. */
export interface KeptList {
  readonly range: string;
  /** It also contains the series whose first instance is outside of the range. */
  readonly hasSeries: boolean;
  readonly paths: readonly string[];
  /** The calendar's tag at that time. Undefined: the list was not whole, or the calendar has no tag. */
  readonly ctag: string | undefined;
  /** When this tag was first seen, and when the list was made. By `performance.now()`. */
  readonly ctagSinceMs: number;
  readonly madeMs: number;
  /** In case the server does not change its tag with each change. By `performance.now()`. */
  readonly untilMs: number;
}

/** In UTF-16, with the maps around them. Six calendars with ten thousand small events each. */
const MOST_BYTES = 128 * 1024 * 1024;
/** Of an object that is kept, besides its text. */
const OBJECT_BYTES = 400;
const PATH_BYTES = 16;

export function keptCalendars(): KeptCalendars {
  return accountCache(MOST_BYTES, sizeOf);
}

function sizeOf({ objects, lists }: KeptCalendar): number {
  let chars = 0;
  for (const [path, { pathname, etag, ics }] of objects)
    chars += path.length + pathname.length + etag.length + ics.length;
  const paths = lists.reduce((sum, list) => sum + list.paths.length, 0);
  return 2 * chars + objects.size * OBJECT_BYTES + paths * PATH_BYTES;
}
