import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import SqliteDatabase from 'better-sqlite3';
import * as z from 'zod';
import { answerParent } from './answer-parent.ts';
import type { ServerAnswer } from './server-load.ts';

/**
 * The floor, in a separate process: the least that any comparable server must do. It validates with ajv, reads a key's
 * row by hash, updates two counters in one SQLite transaction, and writes a prepared response.
 */

const question = z.object({
  /** The key of the caller. */
  apiKey: z.string(),
  /** JSON responses by path and query. */
  answers: z.record(z.string(), z.string()),
});

const folder = mkdtempSync(join(tmpdir(), 'countersign-floor-'));
const db = new SqliteDatabase(join(folder, 'floor.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec(`
  CREATE TABLE keys (hash TEXT PRIMARY KEY, owner_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE counters (
    owner_id TEXT NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (owner_id, name)
  ) STRICT, WITHOUT ROWID;`);

const find = db.prepare<[string], { owner_id: string }>('SELECT owner_id FROM keys WHERE hash = ?');
const count = db.prepare(`
  INSERT INTO counters (owner_id, name, count) VALUES (?, ?, 1)
  ON CONFLICT DO UPDATE SET count = count + 1`);
const admit = db.transaction((hash: string): boolean => {
  const key = find.get(hash);
  if (key === undefined) return false;
  count.run(key.owner_id, 'minute');
  count.run(key.owner_id, 'day');
  return true;
}).immediate;

const isValid = new Ajv2020().compile({
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 50 } },
  additionalProperties: false,
});

const hashOf = (apiKey: string) => createHash('sha256').update(apiKey).digest('hex');
const answers = new Map<string, unknown>();

const server = createServer((req, res) => {
  const target = req.url ?? '';
  const limit = new URLSearchParams(target.split('?')[1]).get('limit');
  const admitted = admit(hashOf(req.headers.authorization?.slice('Bearer '.length) ?? ''));
  const valid = isValid(limit === null ? {} : { limit: Number(limit) });
  const body = JSON.stringify(answers.get(target));
  res.writeHead(admitted && valid ? 200 : 400, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

answerParent(
  async (asked): Promise<ServerAnswer> => {
    const given = question.parse(asked);
    db.prepare('INSERT OR IGNORE INTO keys VALUES (?, ?)').run(hashOf(given.apiKey), 'owner');
    for (const [target, text] of Object.entries(given.answers)) answers.set(target, JSON.parse(text));
    const cpu = process.cpuUsage();
    return {
      port: (server.address() as AddressInfo).port,
      apiKey: given.apiKey,
      cpuMs: (cpu.user + cpu.system) / 1000,
    };
  },
  () => {
    db.close();
    rmSync(folder, { recursive: true });
    process.exit(0);
  },
);
