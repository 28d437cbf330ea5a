import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { imapMail } from '../../adapters/imap/mail.ts';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import type { Draft } from '../../core/plans/edit-diff.ts';
import type { Calendar } from '../../core/ports/calendar.ts';
import type { Mail } from '../../core/ports/ports.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { WebhookSender } from '../../core/ports/webhook-sender.ts';
import { createService, type ServiceOptions } from '../../core/service/create-service.ts';
import { eventsOn } from '../events-on.ts';
import { silentLog, testClock } from '../open-service.ts';

/**
 * One folder of the crash proof, with a database, a mailbox and the call that a program was about to make.
 */
export interface Scene {
  readonly mail: 'sandbox' | 'imap';
  /** Settings of the account; none for the sandbox. */
  readonly settings: unknown;
  readonly email: string;
  readonly ownerId: string;
  readonly apiKey: string;
  /**
   * `approve`: the owner approves this pending request. `direct`: the key sends directly. `watch`: the inbox
   * is checked at once.
   */
  readonly act:
    | { readonly mode: 'watch' }
    | {
        readonly mode: 'approve';
        readonly approvalId: string;
        readonly digest: string;
        /** The owner's changes to it. */
        readonly draft?: Draft;
      }
    | { readonly mode: 'direct'; readonly tool: string; readonly args: unknown };
}

export const IDEMPOTENCY_KEY = 'crash-proof';
/**
 * Short, so that a restart does not wait long. Long enough that nothing is taken over while its process
 * lives.
 */
export const LEASE_MS = 900;

export const SECRET_KEY = new Uint8Array(32).fill(7);

export function readScene(folder: string): Scene {
  return JSON.parse(readFileSync(join(folder, 'scene.json'), 'utf8'));
}

export function writeScene(folder: string, scene: Scene): void {
  writeFileSync(join(folder, 'scene.json'), JSON.stringify(scene));
}

export interface SceneParts {
  readonly storage: Storage;
  readonly mail: Mail;
  readonly calendar?: Calendar;
  readonly webhookSender?: WebhookSender;
}

const DATABASE = 'database-url';

/** Stores the scene of this folder in that Postgres database instead of a file. */
export function keepInPostgres(folder: string, connectionString: string): void {
  writeFileSync(join(folder, DATABASE), connectionString);
}

/** Opens the folder's database. */
export function openStorage(folder: string): Storage {
  const named = join(folder, DATABASE);
  return existsSync(named)
    ? postgresStorage({ connectionString: readFileSync(named, 'utf8') })
    : sqliteStorage({ file: join(folder, 'scene.db') });
}

/** Whether a follow-up of an approval is left, such as saving a copy of a sent message. */
export async function hasFollowUps(folder: string): Promise<boolean> {
  const named = join(folder, DATABASE);
  if (!existsSync(named)) {
    const db = new Database(join(folder, 'scene.db'), { readonly: true });
    try {
      return db.prepare('SELECT 1 FROM follow_ups').get() !== undefined;
    } finally {
      db.close();
    }
  }
  const client = new pg.Client({ connectionString: readFileSync(named, 'utf8') });
  await client.connect();
  try {
    return (await client.query('SELECT 1 FROM countersign.follow_ups')).rows.length > 0;
  } finally {
    await client.end();
  }
}

/** Opens the parts of a service on the folder's database, mailbox and, in the sandbox, calendar. */
export function sceneParts(folder: string, mail: Scene['mail']): SceneParts {
  const storage = openStorage(folder);
  if (mail === 'imap') return { storage, mail: imapMail({ allowPrivateServers: true }) };
  return {
    storage,
    mail: sandboxMail({ journalFile: join(folder, 'sandbox.journal') }),
    calendar: eventsOn(sandboxCalendar({ samples: [], journalFile: join(folder, 'calendar.journal') })),
  };
}

export function sceneService(ports: SceneParts) {
  const options: ServiceOptions = {
    ...ports,
    reader: inlineReader(),
    clock: testClock(),
    random: (bytes) => randomBytes(bytes),
    log: silentLog,
    secretKeys: [SECRET_KEY],
    baseUrl: 'http://127.0.0.1:8787',
    dashboardUrl: 'http://127.0.0.1:8788',
    leaseMs: LEASE_MS,
  };
  return createService(options);
}
