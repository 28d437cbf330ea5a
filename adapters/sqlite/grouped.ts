import type { Database } from 'better-sqlite3';
import { ServiceError } from '../../core/contract/errors.ts';
import { atomic } from './database.ts';

/** A verb that waits for its group. */
interface Waiting {
  /** Does its work inside the group's transaction. @returns what tells the caller, once that is committed */
  run(): () => void;
  /** Does its work in a transaction of its own, and tells the caller how that went. */
  runAlone(): void;
  fail(cause: ServiceError): void;
}

/**
 * Makes verbs like those of `atomic`, but what is asked of them within one turn of the event loop is committed
 * together: under load a call costs a part of a commit, where it would cost two. They run one after the other, each
 * sees what those before it did, and each answers once all of it is committed. When one of them fails nothing of the
 * group is kept, and each runs again by itself: so they touch nothing but the database.
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
      // When the store cannot be reached, each of them would wait for it in vain. Any other failure is one verb's own.
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
