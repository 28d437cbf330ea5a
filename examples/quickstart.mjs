// One complete round: a program requests to send a message, nothing happens until the owner approves it, then it is
// sent. Uses a temporary file and the sandbox mailbox. Run it: node examples/quickstart.mjs
import assert from 'node:assert/strict';
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

const folder = mkdtempSync(join(tmpdir(), 'countersign-quickstart-'));
const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${server.address().port}`;

const storage = sqliteStorage({ file: join(folder, 'app.db') });
const mail = sandboxMail();
const reader = processReader();
const secretKeys = [randomBytes(32)];
const dashboardUrl = 'http://127.0.0.1:8788';
const service = createService({ storage, mail, reader, secretKeys, baseUrl, dashboardUrl });
server.on('request', nodeHandler(service, { doors: ['rest'] }));

const { ownerId } = await service.owners.create({ email: 'owner@example.org' });
await service.accounts.connect({ ownerId, email: 'owner@example.org', settings: {} });
const { apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full' });

const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
const body = JSON.stringify({ to: ['ada@example.org'], subject: 'Hello', body: 'Hello, Ada.' });
const response = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body });
assert.equal(response.status, 202);
assert.equal(mail.transmitted().length, 0); // Nothing has happened yet.

// What the dashboard does when the owner clicks Approve. No key can do this.
const { approval } = await response.json();
const shown = await service.approvals.show(ownerId, approval.id);
assert.equal(shown.content.message.says.text, 'Hello, Ada.');
await service.approvals.approve(ownerId, approval.id, shown.approval.digest);

const outcome = await fetch(`${baseUrl}${response.headers.get('location')}`, { headers });
assert.equal((await outcome.json()).executed, true);
assert.equal(mail.transmitted().length, 1);
console.log('It waited for its owner, and was sent once.');

server.closeAllConnections();
server.close();
await service.stop();
rmSync(folder, { recursive: true });
