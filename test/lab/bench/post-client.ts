import { Agent, request } from 'node:https';
import pg from 'pg';
import { answerParent } from './answer-parent.ts';
import { type DeliveriesAnswer, deliveriesQuestion, IN_FLIGHT } from './deliveries.ts';

/** The bare client, in a separate process: keeps connections and posts the bytes of an event. */

const BODY = Buffer.from(
  JSON.stringify({
    id: `evt_${'a'.repeat(22)}`,
    type: 'approval.decided',
    created_at: new Date(0).toISOString(),
    api_version: 'v1',
    data: { approval_id: `apr_${'a'.repeat(22)}`, state: 'approved', account_id: 1 },
  }),
);

const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
let pool: pg.Pool | undefined;

answerParent(
  async (asked): Promise<DeliveriesAnswer> => {
    const { port, ca, database, count } = deliveriesQuestion.parse(asked);
    if (database !== null) pool ??= new pg.Pool({ connectionString: database, max: 10 });
    let left = count;
    async function postSome(): Promise<void> {
      while (left > 0) {
        left -= 1;
        await pool?.query('SELECT 1');
        await post(port, ca);
      }
    }
    const began = performance.now();
    await Promise.all(Array.from({ length: IN_FLIGHT }, postSome));
    const tookS = (performance.now() - began) / 1000;
    return { perS: count / tookS, rssBytes: process.memoryUsage.rss() };
  },
  () => process.exit(0),
);

function post(port: number, ca: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': BODY.length };
    const sent = request(
      { host: 'localhost', port, path: '/', method: 'POST', agent, ca, headers },
      (response) => {
        response.resume();
        response.once('end', resolve);
      },
    );
    sent.once('error', reject);
    sent.end(BODY);
  });
}
