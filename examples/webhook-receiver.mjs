// A server that receives webhooks. It verifies each request, stores the event once, answers at once, and works
// afterwards, so it neither loses an event nor handles one twice.
//
//   TLS_CERT=tls.crt TLS_KEY=tls.key WEBHOOK_SECRET=whsec_… COUNTERSIGN_KEY=svc_pat_… node examples/webhook-receiver.mjs
//
// docs/webhooks.md shows how to try it on one machine.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import Database from 'better-sqlite3';
import { verifyWebhook, WebhookVerificationError } from 'countersign/webhooks';

const { TLS_CERT, TLS_KEY, WEBHOOK_SECRET, COUNTERSIGN_KEY } = process.env;
const {
  COUNTERSIGN_URL = 'http://127.0.0.1:8787',
  PORT = '8443',
  EVENTS_FILE = 'webhook-events.db',
} = process.env;
for (const name of ['TLS_CERT', 'TLS_KEY', 'WEBHOOK_SECRET', 'COUNTERSIGN_KEY']) {
  if (!process.env[name]) throw new Error(`Set ${name}.`);
}

/** Every event that was accepted. Its id is the key, because an event can arrive more than once. */
const database = new Database(EVENTS_FILE);
database.exec(
  'CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, event TEXT NOT NULL, done INTEGER NOT NULL) STRICT',
);
const insert = database.prepare('INSERT INTO events VALUES (?, ?, 0) ON CONFLICT DO NOTHING');
const oldest = database.prepare('SELECT id, event FROM events WHERE done = 0 ORDER BY rowid LIMIT 1');
const finish = database.prepare('UPDATE events SET done = 1 WHERE id = ?');

/** An event has a few hundred bytes. */
const BODY_BYTES_MAX = 64 * 1024;
const RETRY_MS = 10_000;

const server = createServer(
  { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) },
  async (request, response) => {
    try {
      const event = verifyWebhook(await rawBody(request), request.headers, WEBHOOK_SECRET);
      const isNew = insert.run(event.id, JSON.stringify(event)).changes === 1;
      // The event is stored, and Countersign does not send it again.
      response.writeHead(204).end();
      if (isNew) work();
      else console.log(`${event.id}: received again`);
    } catch (error) {
      // A 500 makes Countersign try again later.
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
      console.error(`refused: ${error.message}`);
    }
  },
);

/** @returns the bytes as they came: the signature covers them, not the parsed JSON */
async function rawBody(request) {
  const pieces = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    // The signature of a longer body cannot match.
    if (bytes <= BODY_BYTES_MAX) pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

let isWorking = false;

/** Handles what is stored, oldest first. After a crash it goes on where it stopped. */
async function work() {
  if (isWorking) return;
  isWorking = true;
  try {
    for (let row = oldest.get(); row !== undefined; row = oldest.get()) {
      await handle(JSON.parse(row.event));
      finish.run(row.id);
    }
  } catch (error) {
    console.error(`will try again: ${error.message}`);
    setTimeout(work, RETRY_MS);
  } finally {
    isWorking = false;
  }
}

/** Put your work here. A crash before it is marked as done runs it again. @throws to try again later */
async function handle({ id, type, data }) {
  // Types that a program does not know are skipped.
  if (type !== 'approval.decided') return console.log(`${id}: ${type}`);
  // An event contains only ids. The same key reads the rest.
  const headers = { authorization: `Bearer ${COUNTERSIGN_KEY}` };
  const response = await fetch(`${COUNTERSIGN_URL}/v1/approvals/${data.approval_id}`, { headers });
  if (response.status === 429 || response.status >= 500)
    throw new Error(`the API returned ${response.status}`);
  const { result, code } = await response.json();
  console.log(`${data.approval_id}: ${data.state}: ${result?.meaning ?? code}`);
}

server.listen(Number(PORT), () => {
  console.log(`Listening on https://localhost:${server.address().port}`);
  work();
});
