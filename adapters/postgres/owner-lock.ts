import { integer, type Row, text } from '../rows/row.ts';
import type { Transaction } from './database.ts';

/** Milliseconds since the epoch on the store's clock: the server's, at that moment. Evaluated once a statement. */
export const STORE_NOW_MS = '(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/** The clock is read when the locks are had: outside of the part that waits for them. */
const ONE = {
  name: 'countersign-lock-owner-1',
  text: `
    WITH locked AS MATERIALIZED (SELECT owner_id FROM countersign.owners WHERE owner_id = $1 FOR NO KEY UPDATE)
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
    FROM (SELECT count(*) AS owners FROM locked) AS had WHERE owners >= 0`,
};

/**
 * Keeps an owner to this transaction until it ends: every verb that writes an owner's rows, or decides from them,
 * begins with it, and so they come one after the other.
 * @returns the store's clock, read once the owner was free
 */
export async function lockOwner(tx: Transaction, ownerId: string): Promise<number> {
  return integer((await tx.first(ONE, [ownerId])) ?? {}, 'now_ms');
}

const BY_SECRET = {
  name: 'countersign-lock-owner-by-secret-1',
  text: `
    WITH locked AS MATERIALIZED (
      SELECT owner_id FROM countersign.owners
      WHERE owner_id = (SELECT owner_id FROM countersign.secrets WHERE secret_hash = $1) FOR NO KEY UPDATE)
    SELECT owner_id, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms FROM locked`,
};

/** The same, of the owner whose credential has this secret; undefined: nobody's. */
export async function lockOwnerOfSecret(
  tx: Transaction,
  secretHash: string,
): Promise<{ readonly ownerId: string; readonly nowMs: number } | undefined> {
  const row = await tx.first(BY_SECRET, [secretHash]);
  return row && { ownerId: text(row, 'owner_id'), nowMs: integer(row, 'now_ms') };
}

/** In one order, so that no two transactions wait for each other. */
const SEVERAL =
  'SELECT owner_id FROM countersign.owners WHERE owner_id = ANY($1) ORDER BY owner_id FOR NO KEY UPDATE';

/**
 * Locks those of these owners who are free; only when none is, it waits for them. For work that is due for many: who
 * is busy now is not waited for, and has it done the next time.
 * @returns those who are locked, and the store's clock
 */
export async function lockOwners(
  tx: Transaction,
  ownerIds: readonly string[],
): Promise<{ readonly ownerIds: readonly string[]; readonly nowMs: number }> {
  const free = await tx.rows(`${SEVERAL} SKIP LOCKED`, [ownerIds]);
  const locked: readonly Row[] = free.length > 0 ? free : await tx.rows(SEVERAL, [ownerIds]);
  const clock = await tx.row(`SELECT ${STORE_NOW_MS} AS now_ms`, []);
  return { ownerIds: locked.map((row) => text(row, 'owner_id')), nowMs: integer(clock ?? {}, 'now_ms') };
}
