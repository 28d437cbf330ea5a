import { type Database, DURABLE } from '../../../adapters/postgres/database.ts';
import type { RotatingDatabase } from './rotate-secrets.ts';

export function postgresRotating(db: Database): RotatingDatabase {
  return {
    schema: 'countersign.',
    transact: (work) =>
      db.transact(DURABLE, async (tx) => {
        const answer = await work({
          rows: (statement, values) => tx.rows('sealed_values', statement, values),
          run: (statement, values) => tx.run('renew_value', statement, values),
        });
        await tx.commit();
        return answer;
      }),
  };
}
