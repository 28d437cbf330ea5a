import type { Database } from 'better-sqlite3';
import { ServiceError } from '../../core/contract/errors.ts';
import { atomic } from './database.ts';

/** A verb that waits for its group. */
interface Waiting {
  /**
   * Works inside the group's transaction. @returns a function that answers the caller, for after the commit
   */
  run(): () => void;
  /** Works in a separate transaction, and answers the caller. */
  runAlone(): void;
  fail(cause: ServiceError): void;
}

/**
 * Wraps verbs as `atomic` does, but commits all verbs of one turn of the event loop together: under load a
 * call costs a part of a commit instead of two. The verbs run one after the other. Each sees the changes of
 * those before it, and each answers once everything is committed. If one fails, the whole group is rolled
 * back and each verb runs again by itself, so verbs must not touch anything except the database.
 */
export function grouping(db: Database) {
  let waiting: Waiting[] = [];
  const runAll = atomic(db, (group: readonly Waiting[]) => group.map((verb) => verb.run()));

  async function commit(): Promise<void> {
    const group = waiting;
    waiting = [];
    let told: readonly (() => void)[];
    try {
      told = await runAll(group);
    } catch (cause) {
      // If the store cannot be reached, each of them would wait in vain. Any other failure belongs to one
      // verb.
      for (const verb of group) cause instanceof ServiceError ? verb.fail(cause) : verb.runAlone();
      return;
    }
    for (const tell of told) tell();
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
          runAlone: () => resolve(atomic(db, unit)(...args)),
          fail: reject,
        });
      });
  };
}
