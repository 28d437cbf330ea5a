import type { Database } from 'better-sqlite3';
import { grouping } from './grouped.ts';
import { LOCK_WAIT_MS, lockLine } from './lock-line.ts';
import { flushFile, writeAheadLog } from './write-ahead-log.ts';

type Verb<Arguments extends unknown[], Result> = (...args: Arguments) => Promise<Result>;

/**
 * The ways in which verbs use the database. Reads go on while others wait to write.
 * @param lockWaitMs  how long a verb waits for a lock that another program holds
 */
export function transactionsOn(db: Database, lockWaitMs = LOCK_WAIT_MS, flushed = flushFile) {
  const [reads, writes] = [lockLine(db, lockWaitMs), lockLine(db, lockWaitMs)];
  const log = writeAheadLog(db, flushed);
  /**
   * Wraps a verb in an IMMEDIATE transaction that it may share with others: no other process writes between its reads and
   * its writes. Consistent after any crash, but a power loss may undo the newest commits.
   */
  const together = grouping(db, writes, log.shorten);

  return {
    /** Wraps a verb that only reads. */
    reading:
      <Arguments extends unknown[], Result>(unit: (...args: Arguments) => Result): Verb<Arguments, Result> =>
      (...args) =>
        reads.run(() => unit(...args)),

    together,

    /**
     * The same, but it survives a power loss once it has resolved. For records that someone acts on: an action's start
     * and end, a decision, a key switched off.
     */
    durable<Arguments extends unknown[], Result>(
      unit: (...args: Arguments) => Result,
    ): Verb<Arguments, Result> {
      const commit = together(unit);
      return async (...args) => {
        const result = await commit(...args);
        await log.flush();
        return result;
      };
    },

    /** Empties the log, which contains what was deleted until others overwrite it. Gives up if a reader needs it for too long. */
    emptyLog: log.empty,

    /** Refuses the verbs that wait, and closes the database. */
    async close(): Promise<void> {
      for (const line of [reads, writes]) line.close();
      db.close();
      await log.close();
    },
  };
}
