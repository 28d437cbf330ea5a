import type { FactKind, Need, NeedOf } from '../../core/ports/store.ts';
import type { Values } from '../../core/state/change.ts';
import { integer, type Row, text } from '../sql/row.ts';
import { inOrder, type Transaction } from './database.ts';

/**
 * The current time of the store's clock, which is the server's, in milliseconds since the epoch. Evaluated
 * once per statement.
 */
export const STORE_NOW_MS = '(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/** The clock is read once the locks are held: outside the part that waits for them. */
const LOCKING = (owners: string) => `
  WITH locked AS MATERIALIZED (SELECT owner_id FROM countersign.owners WHERE ${owners} FOR NO KEY UPDATE)
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
  FROM (SELECT count(*) AS owners FROM locked) AS held WHERE owners >= 0`;

/** The statements that take locks, or find out what to lock. */
export const LOCKS = {
  owner: LOCKING('owner_id = @ownerId'),
  owner_of_secret: LOCKING(
    'owner_id = (SELECT owner_id FROM countersign.secrets WHERE secret_hash = @secretHash)',
  ),
  /**
   * Locks two counters for this transaction, including those that do not exist yet. The first number is arbitrary but
   * fixed.
   */
  counters: `
  SELECT pg_advisory_xact_lock(730581648, @first), pg_advisory_xact_lock(730581648, @second),
    ${STORE_NOW_MS} AS now_ms`,
  /** Always in the same order, so that no two transactions wait for each other. */
  several:
    'SELECT owner_id FROM countersign.owners WHERE owner_id = ANY(@ownerIds::text[]) ORDER BY owner_id FOR NO KEY UPDATE',
  owners_of_lapsed: `
  (SELECT owner_id FROM countersign.approvals
    WHERE state = 'approved' AND lease_until_ms <= ${STORE_NOW_MS} AND approval_id <> ALL(@running::text[])
    GROUP BY owner_id ORDER BY min(lease_until_ms) LIMIT @limit)
  UNION
  (SELECT owner_id FROM countersign.follow_ups
    WHERE due_at_ms <= ${STORE_NOW_MS} AND approval_id <> ALL(@running::text[])
    GROUP BY owner_id ORDER BY min(due_at_ms) LIMIT @limit)`,
  owners_of_overdue: `
  SELECT DISTINCT owner_id FROM countersign.approvals WHERE state = 'pending' AND expires_at_ms <= @nowMs`,
} as const;
const CLOCK = `SELECT ${STORE_NOW_MS} AS now_ms`;

/** The result of locking. `values` are for the unit's statements. */
export interface Locked {
  /** The store's clock, once the locks are held. */
  readonly nowMs: Promise<number>;
  readonly values: Values;
}

/** Locks an owner for this transaction. Everything that writes an owner's rows starts with it. */
export function lockOwner(tx: Transaction, ownerId: string): Promise<number> {
  return clockOf(tx.rows('lock_owner', LOCKS.owner, { ownerId }));
}

/** Locks the counters with these numbers, then the owner. All transactions lock in this order, so no two wait for each other. */
export function lockCounters(
  tx: Transaction,
  {
    numbers: [first, second],
    ownerId,
  }: { readonly numbers: readonly [number, number]; readonly ownerId: string | null },
): Promise<number> {
  const counters = clockOf(tx.rows('lock_counters', LOCKS.counters, { first, second }));
  return ownerId === null ? counters : both(counters, lockOwner(tx, ownerId));
}

/**
 * Locks what a unit needs. Statements sent after it run once it holds the lock, and see everything committed
 * until then.
 * @returns undefined if no owner has due work
 */
export async function lockFor<Kind extends FactKind>(
  tx: Transaction,
  need: NeedOf<Kind>,
): Promise<Locked | undefined>;
export async function lockFor(tx: Transaction, need: Need): Promise<Locked | undefined> {
  switch (need.kind) {
    case 'caller':
      return 'secretHash' in need
        ? {
            nowMs: clockOf(
              tx.rows('lock_owner_of_secret', LOCKS.owner_of_secret, { secretHash: need.secretHash }),
            ),
            values: {},
          }
        : { nowMs: lockOwner(tx, need.ownerId), values: {} };
    case 'due':
      return lockOwners(tx, LOCKS.owners_of_lapsed, { running: [...need.running], limit: need.limit });
    case 'overdue':
      return lockOwners(tx, LOCKS.owners_of_overdue, { nowMs: need.now.getTime() });
    default:
      return { nowMs: lockOwner(tx, need.ownerId), values: {} };
  }
}

/**
 * Locks those owners that are free, and waits only if none is. Work of a busy owner is done the next time.
 */
async function lockOwners(tx: Transaction, owners: string, values: Values): Promise<Locked | undefined> {
  const ownerIds = idsOf(await tx.rows('owners_to_lock', owners, values));
  if (ownerIds.length === 0) return undefined;
  const free = await tx.rows('lock_free_owners', `${LOCKS.several} SKIP LOCKED`, { ownerIds });
  const locked = free.length > 0 ? free : await tx.rows('lock_owners', LOCKS.several, { ownerIds });
  const nowMs = await clockOf(tx.rows('clock', CLOCK, {}));
  return { nowMs: Promise.resolve(nowMs), values: { ownerIds: idsOf(locked), storeNowMs: nowMs } };
}

function idsOf(rows: readonly Row[]): string[] {
  return rows.map((row) => text(row, 'owner_id'));
}

async function clockOf(rows: Promise<readonly Row[]>): Promise<number> {
  return integer((await rows)[0] ?? {}, 'now_ms');
}

async function both(first: Promise<unknown>, last: Promise<number>): Promise<number> {
  const [, nowMs] = await inOrder([first, last]);
  return nowMs;
}
