import type { Storage } from '../../core/ports/storage.ts';
import { text } from '../rows/row.ts';
import { atomic, type Database, reading, type Transaction } from './database.ts';
import { lockOwner } from './owner-lock.ts';

const KNOWN = `
  SELECT address FROM countersign.known_recipients
  WHERE owner_id = $1 AND account_id = $2 AND address = ANY($3::text[])
    AND md5(address) = ANY(ARRAY(SELECT md5(one) FROM unnest($3::text[]) AS asked (one)))`;
const DOMAINS = `
  SELECT DISTINCT substring(address FROM '[^@]*$') AS domain
  FROM countersign.known_recipients WHERE owner_id = $1 AND account_id = $2`;
const RELOCATED =
  'SELECT mark FROM countersign.relocated_messages WHERE owner_id = $1 AND mark = ANY($2::text[])';

export function postgresRecipients(
  db: Database,
): Pick<Storage, 'knownRecipients' | 'rememberRecipients' | 'knownDomains' | 'relocatedAmong'> {
  return {
    relocatedAmong: reading(db, async ({ rows }, ownerId, marks) => {
      const relocated = await rows(RELOCATED, [ownerId, marks]);
      return new Set(relocated.map((row) => text(row, 'mark')));
    }),
    knownRecipients: reading(db, async ({ rows }, ownerId, accountId, addresses) => {
      const known = await rows(KNOWN, [ownerId, accountId, addresses]);
      return new Set(known.map((row) => text(row, 'address')));
    }),
    rememberRecipients: atomic(db, async (tx, ownerId, accountId, addresses, now) => {
      await lockOwner(tx, ownerId);
      await rememberRecipients(tx, ownerId, accountId, addresses, now);
    }),
    knownDomains: reading(db, async ({ rows }, ownerId, accountId) => {
      const domains = await rows(DOMAINS, [ownerId, accountId]);
      return new Set(domains.map((row) => text(row, 'domain')));
    }),
  };
}

const INSERT = `
  INSERT INTO countersign.known_recipients (owner_id, account_id, address, since_ms)
  SELECT $1::text, $2::bigint, address, $4::bigint FROM unnest($3::text[]) AS found (address)
  ON CONFLICT DO NOTHING`;

/** For use inside a transaction that has locked the owner. */
export async function rememberRecipients(
  tx: Transaction,
  ownerId: string,
  accountId: number,
  addresses: readonly string[],
  now: Date,
): Promise<void> {
  await tx.run(INSERT, [ownerId, accountId, addresses, now.getTime()]);
}
