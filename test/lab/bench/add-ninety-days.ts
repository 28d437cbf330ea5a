import SqliteDatabase from 'better-sqlite3';
import pg from 'pg';
import { ninetyDays, POSTGRES, SQLITE } from './ninety-days.ts';

/** Adds the rows of 90 days. @param database  the URL of a Postgres database, or the path of an SQLite file */
export async function addNinetyDays(
  database: string,
  owner: Parameters<typeof ninetyDays>[1],
  calls?: number,
): Promise<void> {
  if (!database.startsWith('postgres://')) {
    const db = new SqliteDatabase(database);
    for (const statement of ninetyDays(SQLITE, owner, calls)) db.exec(statement);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  for (const statement of ninetyDays(POSTGRES, owner, calls)) await client.query(statement);
  // As the server does by itself after a while.
  await client.query('VACUUM ANALYZE');
  await client.end();
}
