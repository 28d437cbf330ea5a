import { integer, text } from '../../core/state/column.ts';
import type { DriverRow } from '../../core/state/query.ts';
import type { Lock } from '../../core/state/store.ts';
import { POSTGRES } from '../sql/dialect.ts';
import { inOrder, type Transaction } from './database.ts';

/** The clock is read once the locks are held: outside the part that waits for them. */
const LOCKING = (owners: string) => `
  WITH locked AS MATERIALIZED (SELECT owner_id FROM countersign.owners WHERE ${owners} FOR NO KEY UPDATE)
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
  FROM (SELECT count(*) AS owners FROM locked) AS held WHERE owners >= 0`;

/** The statements that take locks. */
export const LOCKS = {
  owner: LOCKING('owner_id = @owner_id'),
  owner_of_secret: LOCKING(
    'owner_id = (SELECT owner_id FROM countersign.secrets WHERE secret_hash = @secret_hash)',
  ),
  /**
   * Locks two counters for this transaction, including those that do not exist yet. The first number is arbitrary but
   * fixed.
   */
  counters: `
  SELECT pg_advisory_xact_lock(730581648, @first), pg_advisory_xact_lock(730581648, @second),
    ${POSTGRES.storeNow} AS now_ms`,
  /** Always in the same order, so that no two transactions wait for each other. */
  several:
    'SELECT owner_id FROM countersign.owners WHERE owner_id = ANY(@owner_id_list::text[]) ORDER BY owner_id FOR NO KEY UPDATE',
} as const;
const CLOCK = `SELECT ${POSTGRES.storeNow} AS now_ms`;

/** Takes a lock for this transaction. Everything that writes an owner's rows starts with it. @returns the store's clock */
export async function lockFor(tx: Transaction, lock: Lock): Promise<number> {
  if ('secretHash' in lock)
    return clockOf(tx.rows('lock_owner_of_secret', LOCKS.owner_of_secret, { secret_hash: lock.secretHash }));
  if (!('numbers' in lock)) return clockOf(tx.rows('lock_owner', LOCKS.owner, { owner_id: lock.ownerId }));
  // The counters come before the owner in all transactions, so no two wait for each other.
  const { numbers, ownerId } = lock;
  const [first, second] = numbers;
  const counters = clockOf(tx.rows('lock_counters', LOCKS.counters, { first, second }));
  if (ownerId === null) return counters;
  const [, nowMs] = await inOrder([counters, lockFor(tx, { ownerId })]);
  return nowMs;
}

/** Locks those of the owners that are free, and waits only if none is. Work of a busy owner is done the next time. */
export async function lockDue(
  tx: Transaction,
  due: readonly string[],
): Promise<{ readonly ownerIds: readonly string[]; readonly nowMs: number }> {
  if (due.length === 0) return { ownerIds: [], nowMs: 0 };
  const wanted = { owner_id_list: due };
  const free = await tx.rows('lock_free_owners', `${LOCKS.several} SKIP LOCKED`, wanted);
  const locked = free.length > 0 ? free : await tx.rows('lock_owners', LOCKS.several, wanted);
  const nowMs = await clockOf(tx.rows('clock', CLOCK, {}));
  return { ownerIds: locked.map((row) => text().read(row.owner_id)), nowMs };
}

async function clockOf(rows: Promise<readonly DriverRow[]>): Promise<number> {
  return integer().read((await rows)[0]?.now_ms);
}
