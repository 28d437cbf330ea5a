import type { Database } from 'better-sqlite3';
import type { Storage } from '../../core/ports/storage.ts';
import { type Row, text } from '../rows/row.ts';
import { atomic, reading } from './database.ts';

export function sqliteRecipients(
  db: Database,
): Pick<Storage, 'knownRecipients' | 'rememberRecipients' | 'knownDomains' | 'relocatedAmong'> {
  const known = db.prepare<[string, number, string], Row>(`
    SELECT address FROM known_recipients
    WHERE owner_id = ? AND account_id = ? AND address IN (SELECT value FROM json_each(?))`);
  // Trimmed from the right by every character but the @ it leaves all up to the last one.
  const domains = db.prepare<[string, number], Row>(`
    SELECT DISTINCT substr(address, length(rtrim(address, replace(address, '@', ''))) + 1) AS domain
    FROM known_recipients WHERE owner_id = ? AND account_id = ?`);
  const relocated = db.prepare<[string, string], Row>(`
    SELECT mark FROM relocated_messages
    WHERE owner_id = ? AND mark IN (SELECT value FROM json_each(?))`);
  return {
    relocatedAmong: reading((ownerId, marks) => {
      const rows = relocated.all(ownerId, JSON.stringify(marks));
      return new Set(rows.map((row) => text(row, 'mark')));
    }),
    knownRecipients: reading((ownerId, accountId, addresses) => {
      const rows = known.all(ownerId, accountId, JSON.stringify(addresses));
      return new Set(rows.map((row) => text(row, 'address')));
    }),
    rememberRecipients: atomic(db, recipientWriter(db)),
    knownDomains: reading(
      (ownerId, accountId) => new Set(domains.all(ownerId, accountId).map((row) => text(row, 'domain'))),
    ),
  };
}

/** For use inside a transaction. */
export function recipientWriter(
  db: Database,
): (ownerId: string, accountId: number, addresses: readonly string[], now: Date) => void {
  const insert = db.prepare(`
    INSERT INTO known_recipients (owner_id, account_id, address, since_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  return (ownerId, accountId, addresses, now) => {
    for (const address of addresses) insert.run(ownerId, accountId, address, now.getTime());
  };
}
