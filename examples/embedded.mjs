// Countersign inside an app of your own: your users, your database file, your HTTP servers.
// Run it: node examples/embedded.mjs
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService } from 'countersign';
import { dashboardHandler } from 'countersign/dashboard';
import { mcpHandler } from 'countersign/mcp';
import { processReader } from 'countersign/reader';
import { restClientError, restHandler } from 'countersign/rest';
import { sandboxMail } from 'countersign/sandbox';
import { sqliteStorage } from 'countersign/sqlite';

/** A user of the app, who has an id there already. */
const user = { id: 'user-17', email: 'grace@example.org', password: randomBytes(12).toString('base64url') };
const folder = mkdtempSync(join(tmpdir(), 'countersign-embedded-'));

const app = await listening();
// The owner's pages have an address of their own: none of the app's pages shares their origin.
const pages = await listening();

const service = createService({
  storage: sqliteStorage({ file: join(folder, 'app.db') }),
  // For real mailboxes: imapMail() of 'countersign/imap', and their servers in the `settings` below.
  mail: sandboxMail({ journalFile: join(folder, 'sandbox.jsonl') }),
  // Reads what strangers wrote, in processes of its own.
  reader: processReader(),
  // Made once and kept where the app keeps its secrets; whatever is stored is sealed with it.
  secretKeys: [randomBytes(32)],
  baseUrl: app.url,
  dashboardUrl: pages.url,
});

const api = restHandler(service);
const tools = mcpHandler(service);
app.server.on('request', (request, response) => {
  if (request.url.startsWith('/v1/')) return api(request, response);
  if (request.url === '/mcp') return tools(request, response);
  response.end('The app itself.\n');
});
app.server.on('clientError', restClientError(service));
pages.server.on('request', dashboardHandler(service));

await service.owners.create({ ownerId: user.id, email: user.email, password: user.password });
await service.accounts.connect({ ownerId: user.id, email: user.email, settings: {} });
const { apiKey } = await service.keys.create({ ownerId: user.id, name: 'Assistant', preset: 'full' });

// The app tells its user in its own way; ids only, the page shows the rest.
service.on('approval.pending', ({ ownerId, approvalId }) => {
  say({ waits_for: ownerId, page: `${pages.url}/approvals/${approvalId}` });
});
service.start();
const { email, password } = user;
say({ base_url: app.url, dashboard_url: pages.url, owner: { email, password }, api_key: apiKey });

process.once('SIGTERM', stop);
process.once('SIGINT', stop);

async function stop() {
  for (const { server } of [app, pages]) server.close();
  // Waits for what is being carried out.
  await service.stop();
  for (const { server } of [app, pages]) server.closeAllConnections();
  rmSync(folder, { recursive: true });
}

function say(what) {
  console.log(JSON.stringify(what));
}

async function listening() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}
