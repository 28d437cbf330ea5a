// Countersign for the app's user, on a temporary file and the sandbox mailbox. The examples of the frameworks share it.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService } from 'countersign';
import { processReader } from 'countersign/reader';
import { sandboxMail } from 'countersign/sandbox';
import { sqliteStorage } from 'countersign/sqlite';
import { user } from './users.mjs';

/**
 * @param url  the public address of the mount, with its path
 * @returns the service, and a function that announces the example and stops everything at SIGTERM
 */
export async function openService(url) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-app-'));
  const service = createService({
    storage: sqliteStorage({ file: join(folder, 'app.db') }),
    mail: sandboxMail(),
    reader: processReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: url,
    dashboardUrl: url,
  });
  await service.owners.create({ ownerId: user.id, email: user.email });
  await service.accounts.connect({ ownerId: user.id, email: user.email, settings: {} });
  const { apiKey } = await service.keys.create({ ownerId: user.id, name: 'Assistant', preset: 'full' });
  service.start();
  return {
    service,
    /** @param server  the app's, from node:http. Undefined: the framework keeps it to itself */
    announce(server) {
      process.once('SIGTERM', async () => {
        server?.close();
        await service.stop();
        server?.closeAllConnections();
        rmSync(folder, { recursive: true });
        if (server === undefined) process.exit();
      });
      const { email, password } = user;
      console.log(JSON.stringify({ url, owner: { email, password }, api_key: apiKey }));
    },
  };
}
