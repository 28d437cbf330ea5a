import { type Database, DURABLE } from '../../../adapters/postgres/database.ts';
import type { RotatingDatabase } from './rotate-secrets.ts';

export function postgresRotating(db: Database): RotatingDatabase {
  return {
    schema: 'countersign.',
    transact: (work) =>
      db.transact(DURABLE, async (tx) => {
        const answer = await work(tx);
        await tx.commit();
        return answer;
      }),
  };
}
