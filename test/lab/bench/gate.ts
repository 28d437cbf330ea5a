import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { addNinetyDays } from './add-ninety-days.ts';
import { answerParent } from './answer-parent.ts';
import { benchReader } from './bench-reader.ts';
import { NO_LIMITS } from './no-limits.ts';
import type { ServerAnswer } from './server-load.ts';

/**
 * Countersign in a separate process: REST and MCP on the sandbox. Its arguments, which may be missing: the URL of a
 * Postgres database, otherwise it takes SQLite; and `stored`, to begin with the rows of 90 days.
 */
const databaseUrl = process.argv.find((one) => one.startsWith('postgres://'));
const isStored = process.argv.includes('stored');

const folder = mkdtempSync(join(tmpdir(), 'countersign-gate-'));
const server = createServer({ requireHostHeader: false });
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const file = join(folder, 'countersign.db');
const service = createService({
  storage:
    databaseUrl === undefined ? sqliteStorage({ file }) : postgresStorage({ connectionString: databaseUrl }),
  mail: sandboxMail(),
  reader: benchReader(),
  secretKeys: [randomBytes(32)],
  baseUrl: `http://127.0.0.1:${port}`,
  dashboardUrl: 'http://127.0.0.1:1',
  limits: NO_LIMITS,
});
const api = nodeHandler(service, { doors: ['rest', 'mcp'] });
server.on('request', api);
server.on('clientError', api.clientError);
const email = 'owner@example.org';
const { ownerId } = await service.owners.create({ email });
await service.accounts.connect({ ownerId, email, settings: {} });
const { apiKey, keyId } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
if (isStored) {
  const keyIds = [keyId];
  for (const name of ['two', 'three'])
    keyIds.push((await service.keys.create({ ownerId, name, preset: 'full' })).keyId);
  await addNinetyDays(databaseUrl ?? file, { ownerId, keyIds, nowMs: Date.now() });
}
service.start();

answerParent(
  async (): Promise<ServerAnswer> => {
    const cpu = process.cpuUsage();
    return { port, apiKey, cpuMs: (cpu.user + cpu.system) / 1000 };
  },
  () => {
    server.closeAllConnections();
    service.stop().then(() => {
      rmSync(folder, { recursive: true });
      process.exit(0);
    }, console.error);
  },
);
