import type { Database } from 'better-sqlite3';
import { isUnreachable, type LockLine } from './lock-line.ts';

/** A verb that waits for its group. It works inside the group's transaction. */
interface Waiting {
  /** @returns a function that answers the caller, for after the commit */
  run(): () => void;
  /** The same, but if the verb fails, its own changes are rolled back, and the caller's answer is the error. */
  runApart(): () => void;
  fail(cause: unknown): void;
}

/**
 * Wraps verbs in IMMEDIATE transactions, and commits all verbs of one turn of the event loop together: under load a
 * call costs a part of a commit instead of two. The verbs run one after the other. Each sees the changes of
 * those before it, and each answers once everything is committed. If one fails, the whole group is rolled
 * back and runs again without the changes of what fails, so verbs must not touch anything except the database.
 * @param afterCommit  called once a group is committed
 */
export function grouping(db: Database, writes: LockLine, afterCommit: () => void) {
  let waiting: Waiting[] = [];
  const runAll = db.transaction((group: readonly Waiting[]) => group.map((verb) => verb.run())).immediate;
  const runEach = db.transaction((group: readonly Waiting[]) =>
    group.map((verb) => verb.runApart()),
  ).immediate;

  async function commit(): Promise<void> {
    const group = waiting;
    waiting = [];
    let told: readonly (() => void)[];
    try {
      told = await writes.run(() => {
        try {
          return runAll(group);
        } catch (cause) {
          if (isUnreachable(cause)) throw cause;
          return runEach(group);
        }
      });
    } catch (cause) {
      for (const verb of group) verb.fail(cause);
      return;
    }
    for (const tell of told) tell();
    afterCommit();
  }

  return <Arguments extends unknown[], Result>(
    unit: (...args: Arguments) => Result,
  ): ((...args: Arguments) => Promise<Result>) => {
    return (...args) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(() => void commit());
        waiting.push({
          run() {
            const result = unit(...args);
            return () => resolve(result);
          },
          runApart() {
            try {
              // Inside another transaction, this is a savepoint.
              const result = db.transaction(unit)(...args);
              return () => resolve(result);
            } catch (cause) {
              if (isUnreachable(cause)) throw cause;
              return () => reject(cause);
            }
          },
          fail: reject,
        });
      });
  };
}
