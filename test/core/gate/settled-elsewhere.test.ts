import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { openTestService } from '../../open-service.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { approvalOf, digestOf, FRIEND, sendTo } from '../scene.ts';

const missing = missingPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'approvals.settled on Postgres'), () => {
  let postgres: Postgres;
  let bundle: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    bundle = await bundleForChild(join(import.meta.dirname, 'settling-process.ts'), 'bundle');
  });
  afterAll(() => postgres.stop());

  it.each([
    ['approves', 'executed'],
    ['rejects', 'rejected'],
  ])('returns in one process when the owner %s in another', async (decision, state) => {
    const connectionString = await postgres.createDatabase();
    const secretKey = randomBytes(32);
    const storage = postgresStorage({ connectionString });
    const { service, ownerId, addKey } = await openTestService({ storage, secretKeys: [secretKey] });
    onTestFinished(() => service.stop());
    const { keyId } = await addKey('full');
    const { id } = approvalOf(await service.as({ ownerId, keyId }).call('send_email', sendTo(FRIEND)));

    const args = [bundle, connectionString, secretKey.toString('hex'), ownerId, id];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('pending');

    if (decision === 'rejects') await service.approvals.reject(ownerId, id);
    else await service.approvals.approve(ownerId, id, await digestOf(service, ownerId, id));
    expect((await lines.next()).value).toBe(JSON.stringify({ state, error: null }));
  });
});
