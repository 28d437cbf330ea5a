import type { Database } from 'better-sqlite3';
import type { DriverRow } from '../../core/state/query.ts';
import { sqliteDriver } from './driver.ts';
import { grouping } from './grouped.ts';
import { DatabaseLockedError, LOCK_WAIT_MS, lockLine } from './lock-line.ts';

type Verb<Arguments extends unknown[], Result> = (...args: Arguments) => Promise<Result>;

/**
 * The ways in which verbs use the database. Reads go on while others wait to write.
 * @param lockWaitMs  how long a verb waits for a lock that another program holds
 */
export function transactionsOn(db: Database, lockWaitMs = LOCK_WAIT_MS) {
  const [reads, writes, checkpoints] = [
    lockLine(db, lockWaitMs),
    lockLine(db, lockWaitMs),
    lockLine(db, lockWaitMs),
  ];

  return {
    /** Wraps a verb that only reads. */
    reading:
      <Arguments extends unknown[], Result>(unit: (...args: Arguments) => Result): Verb<Arguments, Result> =>
      (...args) =>
        reads.run(() => unit(...args)),

    /**
     * Wraps a verb in an IMMEDIATE transaction that it may share with others: no other process writes between its
     * reads and its writes. Committed with `synchronous=NORMAL`: consistent after any crash, but a power loss may
     * undo the newest commits.
     */
    together: grouping(db, writes),

    /**
     * Wraps a verb in an IMMEDIATE transaction with `synchronous=FULL`: it survives a power loss once it has
     * resolved. For records that someone acts on: an action's start and end, a decision, a key switched off.
     */
    durable<Arguments extends unknown[], Result>(
      unit: (...args: Arguments) => Result,
    ): Verb<Arguments, Result> {
      const run = db.transaction(unit).immediate;
      return (...args) =>
        writes.run(() => {
          // The setting cannot change inside a transaction.
          db.exec('PRAGMA synchronous = FULL');
          try {
            return run(...args);
          } finally {
            db.exec('PRAGMA synchronous = NORMAL');
          }
        });
    },

    /** Empties the log, which contains what was deleted until others overwrite it. Gives up if a reader needs it for too long. */
    async emptyLog(): Promise<void> {
      try {
        await checkpoints.run(() => {
          const row = db.prepare<[], DriverRow>('PRAGMA wal_checkpoint(TRUNCATE)').get();
          const { SqliteError } = sqliteDriver();
          if (row?.busy === 1) throw new SqliteError('the log is in use', 'SQLITE_BUSY');
        });
      } catch (cause) {
        if (!(cause instanceof DatabaseLockedError)) throw cause;
      }
    },

    /** Refuses the verbs that wait, and closes the database. */
    close(): void {
      for (const line of [reads, writes, checkpoints]) line.close();
      db.close();
    },
  };
}
