// Countersign inside your own app: your users, your database file, your HTTP servers.
// Run it: node examples/embedded.mjs
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService } from 'countersign';
import { nodeHandler } from 'countersign/node';
import { processReader } from 'countersign/reader';
import { sandboxMail } from 'countersign/sandbox';
import { sqliteStorage } from 'countersign/sqlite';

/** An existing user of the app. */
const user = { id: 'user-17', email: 'grace@example.org', password: randomBytes(12).toString('base64url') };
const folder = mkdtempSync(join(tmpdir(), 'countersign-embedded-'));

const app = await startServer();
// The owner's pages have their own origin, which no page of the app shares.
const pages = await startServer();

const service = createService({
  storage: sqliteStorage({ file: join(folder, 'app.db') }),
  // For real mailboxes, use imapMail() from 'countersign/imap' and put their servers into `settings` below.
  mail: sandboxMail({ journalFile: join(folder, 'sandbox.jsonl') }),
  // Reads untrusted mail in separate processes.
  reader: processReader(),
  // In a real app, create it once and keep it with your secrets. It encrypts what is stored.
  secretKeys: [randomBytes(32)],
  baseUrl: app.url,
  dashboardUrl: pages.url,
});

const api = nodeHandler(service, { doors: ['rest', 'mcp'] });
app.server.on('request', (request, response) => {
  if (request.url.startsWith('/v1/') || request.url === '/mcp') return api(request, response);
  response.end('The app itself.\n');
});
app.server.on('clientError', api.clientError);
pages.server.on('request', nodeHandler(service, { doors: ['dashboard'] }));

await service.owners.create({ ownerId: user.id, email: user.email, password: user.password });
await service.accounts.connect({ ownerId: user.id, email: user.email, settings: {} });
const { apiKey } = await service.keys.create({ ownerId: user.id, name: 'Assistant', preset: 'full' });

// Notify your user in your own way. The event contains only ids; the page shows the rest.
service.on('approval.pending', ({ ownerId, approvalId }) => {
  say({ waits_for: ownerId, page: `${pages.url}/approvals/${approvalId}` });
});
// Stored events come from every process. Save the cursor, and pass it as `after` at the next start.
await service.on('approval.decided', ({ ownerId, data }) => {
  say({ decided_for: ownerId, state: data.state });
});
service.start();
const { email, password } = user;
say({ base_url: app.url, dashboard_url: pages.url, owner: { email, password }, api_key: apiKey });

process.once('SIGTERM', stop);
process.once('SIGINT', stop);

async function stop() {
  for (const { server } of [app, pages]) server.close();
  // Waits for running work.
  await service.stop();
  for (const { server } of [app, pages]) server.closeAllConnections();
  rmSync(folder, { recursive: true });
}

function say(what) {
  console.log(JSON.stringify(what));
}

async function startServer() {
  const server = createServer();
  // Answers a client that closes its sending side after its request.
  server.httpAllowHalfOpen = true;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}
