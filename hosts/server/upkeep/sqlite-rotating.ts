import type { Database } from 'better-sqlite3';
import { lockLine } from '../../../adapters/sqlite/lock-line.ts';
import type { DriverRow } from '../../../core/state/query.ts';
import type { RotatingDatabase, RotatingTransaction } from './rotate-secrets.ts';

/** @param db  used by nobody else meanwhile */
export function sqliteRotating(db: Database): RotatingDatabase {
  // A key that is withdrawn must not be needed again after a loss of power.
  db.pragma('synchronous = FULL');
  const writes = lockLine(db);
  const tx: RotatingTransaction = {
    rows: async (statement, values) => db.prepare<[typeof values], DriverRow>(statement).all(values),
    run: async (statement, values) => db.prepare(statement).run(values).changes,
  };
  return {
    schema: '',
    async transact(work) {
      await writes.run(() => db.exec('BEGIN IMMEDIATE'));
      try {
        const answer = await work(tx);
        db.exec('COMMIT');
        return answer;
      } catch (cause) {
        if (db.inTransaction) db.exec('ROLLBACK');
        throw cause;
      }
    },
  };
}
