import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';
import { unavailable } from '../../core/contract/unavailable.ts';
import { checkpointsOf } from './checkpoints.ts';

/**
 * The log to which SQLite commits. With `synchronous=NORMAL`, a commit only writes to it, and no disk makes this thread
 * wait: who needs it to survive a loss of power waits for a flush, which is all that `FULL` would add, and another thread
 * moves what is old into the database.
 */
export interface WriteAheadLog {
  /**
   * Resolves once all that was committed before the call survives a loss of power. Calls made in the meantime share one
   * flush.
   * @throws `temporarily_unavailable` if the disk failed, and from then on: nobody knows what it has lost
   */
  flush(): Promise<void>;
  /** To be called after each commit. Has a long log shortened, without waiting for that. */
  shorten(): void;
  /** Empties it: it contains what was deleted until others overwrite it. Gives up if a reader needs it for too long. */
  empty(): Promise<void>;
  /** To be called after the database was closed. */
  close(): Promise<void>;
}

/** SQLite's own limit, 1,000 pages, in bytes. */
const LONG_BYTES = 4_096_000;
/** Commits between two looks at its length. */
const LOOK_EVERY = 16;

/** What was written to a file survives a loss of power once it has resolved. */
export const flushFile: (descriptor: number) => Promise<void> = promisify(fdatasync);

/** @param db  in WAL mode. Others, such as those in memory, have nothing that could be flushed or shortened. */
export function writeAheadLog(db: Database, flushed: typeof flushFile): WriteAheadLog {
  if (db.pragma('journal_mode', { simple: true }) !== 'wal') return NONE;
  // Shortening it in a commit would block the thread. What is shortened begins anew at this length.
  db.pragma('wal_autocheckpoint = 0');
  db.pragma(`journal_size_limit = ${LONG_BYTES}`);
  const checkpoints = checkpointsOf(db.name);
  const flush = sharedFlush(async () => flushed(descriptor()));
  let opened: number | undefined;
  let commits = 0;
  let isLooking = false;

  /** SQLite creates the file with the first change, and keeps it until the last connection closes. */
  const descriptor = () => {
    opened ??= openSync(`${db.name}-wal`, 'r+');
    return opened;
  };

  async function restartIfLong(): Promise<void> {
    isLooking = true;
    try {
      if (fstatSync(descriptor()).size > LONG_BYTES) await checkpoints.run('restart');
    } catch {
      // As in SQLite's own commits: nothing is lost, and the next commits try again.
    }
    isLooking = false;
  }

  return {
    flush,
    shorten() {
      commits += 1;
      if (commits % LOOK_EVERY === 0 && !isLooking) void restartIfLong();
    },
    empty: () => checkpoints.run('truncate'),
    async close() {
      await checkpoints.close();
      // One may be running.
      if (opened !== undefined) await flush().catch(() => undefined);
      if (opened !== undefined) closeSync(opened);
      opened = undefined;
    },
  };
}

const NONE: WriteAheadLog = {
  flush: async () => undefined,
  shorten: () => undefined,
  empty: async () => undefined,
  close: async () => undefined,
};

/**
 * Flushes for all who wait. Who comes while one runs waits for the next: the disk may not have seen what came later.
 * @param flushed  its failure is final: after one, the system takes what was lost for written
 */
export function sharedFlush(flushed: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;

  async function begin(): Promise<void> {
    next = undefined;
    running = flushed().catch((cause: unknown) => {
      throw unavailable(cause);
    });
    return running;
  }

  return () => {
    next ??= running.then(begin);
    return next;
  };
}
