import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { ownRestServer } from '../../hosts/rest/rest-server.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';

const missing = missingPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'get_approval with wait_s, on Postgres'), () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('answers when the owner decides through another service on the same database', async () => {
    const connectionString = await postgres.createDatabase();
    onTestFinished(() => postgres.dropDatabase(connectionString));
    const secretKeys = [randomBytes(32)];
    const storage = () => postgresStorage({ connectionString });
    const server = await ownRestServer({ given: { storage: storage(), secretKeys } });
    const other = createService({
      ...{ storage: storage(), mail: sandboxMail(), reader: inlineReader(), secretKeys },
      ...{ baseUrl: 'http://127.0.0.1:1', dashboardUrl: 'http://127.0.0.1:2' },
    });
    onTestFinished(() => other.stop());
    const url = `http://127.0.0.1:${server.port}/v1`;
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ to: ['ada@example.org'], subject: 'Hello', body: 'Hello.' });
    await fetch(`${url}/messages`, { method: 'POST', headers, body });
    const { approvals } = await other.approvals.list(server.ownerId, { state: 'open', limit: 1 });
    const id = approvals[0]?.approval.id ?? '';

    const waiting = fetch(`${url}/approvals/${id}?wait_s=25`, { headers });
    // The call is recorded before it waits.
    const recorded = async () => (await other.owners.activity(server.ownerId, { limit: 1 })).entries[0];
    await expect.poll(recorded).toMatchObject({ tool: 'get_approval' });
    await other.approvals.reject(server.ownerId, id);
    // Without a decision, the answer has status 202.
    const answer = await waiting;
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { result: { approval: { id, state: 'rejected' } } },
    ]);
  });
});
