import { startPostgres } from '../../servers/postgres.ts';
import { startChild } from './child.ts';
import { alternate } from './rounds.ts';
import { answerOf, getRequest, loadOn, serverAnswer } from './server-load.ts';
import type { Row } from './table.ts';

const ROUNDS = 9;
const ROUND_MS = 600;
const WARM_MS = 3000;
const CLIENTS = 8;
const PATHS = ['/v1/me', '/v1/messages?limit=20', '/v1/approvals'];

/** What a call takes with the rows of 90 days, against an empty database: 5,000 calls a day, 20,000 requests. */
export async function stored(): Promise<Row[]> {
  const postgres = await startPostgres();
  try {
    const rows: Row[] = [];
    for (const name of ['SQLite', 'Postgres']) {
      const database = async () => (name === 'SQLite' ? [] : [await postgres.createDatabase()]);
      const empty = startChild('gate', [], await database());
      const full = startChild('gate', [], [...(await database()), 'stored']);
      const load = startChild('load');
      try {
        const ours = await full.ask({}, serverAnswer);
        rows.push({ name: `With the rows of 90 days on ${name}, against an empty database`, unit: '' });
        for (const path of PATHS) {
          await answerOf(ours, path);
          const emptyLoad = loadOn(empty, {}, load, getRequest(path), CLIENTS);
          const fullLoad = loadOn(full, {}, load, getRequest(path), CLIENTS);
          await emptyLoad(WARM_MS);
          await fullLoad(WARM_MS);
          const msPerCall = async (measured: typeof fullLoad) =>
            (1000 * CLIENTS) / (await measured(ROUND_MS)).callsPerS;
          const compared = await alternate(
            ROUNDS,
            () => msPerCall(emptyLoad),
            () => msPerCall(fullLoad),
          );
          rows.push({
            name: `  GET ${path}, ${CLIENTS} clients`,
            unit: 'ms',
            ...compared,
            bound: { most: 1.2 },
          });
        }
      } finally {
        await Promise.all([empty.stop(), full.stop(), load.stop()]);
      }
    }
    return rows;
  } finally {
    await postgres.stop();
  }
}
