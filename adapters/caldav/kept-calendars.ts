/**
 * What lists have read of calendars, in memory, so that the next list only requests what changed. Bounded for all accounts
 * together: the calendars that were not listed for the longest time are dropped.
 */
export interface KeptCalendars {
  /** @param account of `forget` */
  get(account: string, calendar: string): KeptCalendar | undefined;
  set(account: string, calendar: string, kept: KeptCalendar): void;
  forget(account: string): void;
}

export interface KeptCalendar {
  /** By decoded path. */
  readonly objects: ReadonlyMap<string, KeptObject>;
  /** The lists of the calendar as it was with this tag. */
  readonly ctag: string | undefined;
  readonly lists: readonly KeptList[];
}

export interface KeptObject {
  readonly etag: string;
  readonly ics: string;
}

/** The objects that a list of a range contains. */
export interface KeptList {
  readonly range: string;
  /** It also contains the series whose first instance is outside of the range. */
  readonly hasSeries: boolean;
  readonly paths: readonly string[];
  /** In case the server does not change its tag with each change. By `performance.now()`. */
  readonly untilMs: number;
}

/** Five calendars with ten thousand events each. */
const MOST_CHARS = 64 * 1024 * 1024;

export function keptCalendars(mostChars = MOST_CHARS): KeptCalendars {
  // In the order of their use.
  const accounts = new Map<string, { account: string; kept: KeptCalendar; chars: number }>();
  let chars = 0;

  function drop(key: string): void {
    chars -= accounts.get(key)?.chars ?? 0;
    accounts.delete(key);
  }

  const keyOf = (account: string, calendar: string) => JSON.stringify([account, calendar]);
  return {
    get(account, calendar) {
      const key = keyOf(account, calendar);
      const found = accounts.get(key);
      if (found === undefined) return undefined;
      accounts.delete(key);
      accounts.set(key, found);
      return found.kept;
    },
    set(account, calendar, kept) {
      const key = keyOf(account, calendar);
      drop(key);
      let size = 0;
      for (const [path, { etag, ics }] of kept.objects) size += path.length + etag.length + ics.length;
      if (size > mostChars) return;
      accounts.set(key, { account, kept, chars: size });
      chars += size;
      for (const oldest of accounts.keys()) {
        if (chars <= mostChars) break;
        drop(oldest);
      }
    },
    forget(account) {
      for (const [key, one] of accounts) if (one.account === account) drop(key);
    },
  };
}
