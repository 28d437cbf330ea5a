import type { Database } from 'better-sqlite3';
import { ServiceError } from '../../core/contract/errors.ts';
import { unavailable } from '../../core/contract/unavailable.ts';
import { sqliteDriver } from './driver.ts';

/** How long a verb waits for a lock that another program holds. */
export const LOCK_WAIT_MS = 5000;
/** Between two tries. Doubles each time, and is cut by up to a half, so that processes try at different moments. */
const PAUSE_MS = { first: 3, most: 25 };
const RETRY_AFTER_S = 5;

/** Runs what needs one of SQLite's locks, in the order of the calls. */
export interface LockLine {
  /**
   * Runs a transaction at once, unless others wait. While another program holds the lock, it waits behind them
   * without blocking the thread. Once it is refused, it never runs.
   * @param transaction  leaves nothing behind if it throws. It runs again if SQLite was busy.
   * @throws what the transaction throws; `temporarily_unavailable` if the database cannot be reached or the lock
   *   is not free in time
   */
  run<Result>(transaction: () => Result): Promise<Result>;
  /** Refuses those who wait, and all who come later. */
  close(): void;
}

interface Waiting {
  /** @returns whether it has its answer: otherwise SQLite was busy */
  attempt(): boolean;
  refuse(): void;
  readonly untilMs: number;
}

/**
 * Only the first in line tries again, so many that wait cost no more than one.
 * @param waitMs  how long each waits, at most
 */
export function lockLine(db: Database, waitMs = LOCK_WAIT_MS): LockLine {
  let line: Waiting[] = [];
  let pauseMs = PAUSE_MS.first;
  let timer: NodeJS.Timeout | undefined;
  /** Why the last try failed. */
  let busy: unknown;
  let isClosed = false;

  function tryFirst(): void {
    if (line[0]?.attempt() === true) {
      line.shift();
      pauseMs = PAUSE_MS.first;
      // One in each turn of the event loop.
      if (line.length > 0) setImmediate(tryFirst);
      return;
    }
    const nowMs = performance.now();
    while (line[0] !== undefined && line[0].untilMs <= nowMs) line.shift()?.refuse();
    waitForLock();
  }

  function waitForLock(): void {
    const [first] = line;
    if (first === undefined) return;
    const leftMs = first.untilMs - performance.now();
    timer = setTimeout(tryFirst, Math.min(leftMs, pauseMs * (1 - Math.random() / 2)));
    pauseMs = Math.min(2 * pauseMs, PAUSE_MS.most);
  }

  return {
    run: (transaction) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(unavailable());
        const attempt = (): boolean => {
          try {
            resolve(transaction());
          } catch (cause) {
            if (isBusy(cause)) {
              busy = cause;
              return false;
            }
            reject(isUnreachable(cause) ? unavailable(cause) : cause);
          }
          return true;
        };
        if (line.length === 0 && attempt()) return;
        line.push({
          attempt,
          refuse: () => reject(new DatabaseLockedError(db.name, busy)),
          untilMs: performance.now() + waitMs,
        });
        if (line.length > 1) return;
        pauseMs = PAUSE_MS.first;
        waitForLock();
      }),
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const one of line) one.refuse();
      line = [];
    },
  };
}

/** For people: what keeps a database from being used, and what to do about it. */
export const LOCKED =
  'another program keeps it locked. Finish or close what uses it there, such as an open change in a database ' +
  'browser or a backup script, and try again.';

/** The lock was not free in time. Its code is `temporarily_unavailable`. */
class DatabaseLockedError extends ServiceError {
  constructor(file: string, cause: unknown) {
    super('temporarily_unavailable', { details: { retry_after_s: RETRY_AFTER_S }, cause });
    this.name = 'DatabaseLockedError';
    this.message = `The database ${file} cannot be used: ${LOCKED}`;
  }
}

/** Whether SQLite found a lock in the way. Nothing was done, and a repeat may succeed. */
export function isBusy(cause: unknown): boolean {
  return codeOf(cause).startsWith('SQLITE_BUSY');
}

/** Whether the database cannot be used at the moment, whatever the statement was. */
export function isUnreachable(cause: unknown): boolean {
  return /^SQLITE_(BUSY|CANTOPEN|FULL|IOERR|NOMEM)/.test(codeOf(cause));
}

/** Empty if it is not an error of SQLite. */
function codeOf(cause: unknown): string {
  return cause instanceof sqliteDriver().SqliteError ? cause.code : '';
}
