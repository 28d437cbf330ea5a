import {
  DEVICES_KEPT,
  giveTryBack,
  judgePasswordTry,
  type TriesChange,
  type TriesCounter,
} from '../../core/password-tries.ts';
import type { Storage, TriesRows } from '../../core/ports/storage.ts';
import { folded, readOwner } from '../rows/owner.ts';
import { integer, type Row, text, textOrNull } from '../rows/row.ts';
import { readTries } from '../rows/tries.ts';
import { atomic, type Database, type Transaction } from './database.ts';
import { lockOwner } from './owner-lock.ts';

/** Any number, as long as it is always the same. The row number is the second half of the lock's key. */
const LOCK = 730_581_648;

/**
 * Keeps the rows to this transaction, those that are not there yet included. The address comes first everywhere, so
 * no two transactions wait for each other. The lock of the newcomers' row stands for all rows of an email.
 */
const LOCK_ROWS = 'SELECT pg_advisory_xact_lock($1, $2), pg_advisory_xact_lock($1, $3)';

const BY_EMAIL = 'SELECT * FROM countersign.owners WHERE email_folded = $1';
const BY_HASH = 'SELECT 1 FROM countersign.owners WHERE owner_id = $1 AND password_hash = $2';
const TRIES = 'SELECT * FROM countersign.password_tries WHERE row_number = ANY($1::integer[])';
const SAVE_TRIES = `
  INSERT INTO countersign.password_tries (row_number, failures, last_ms, forgotten_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT (row_number) DO UPDATE
  SET failures = excluded.failures, last_ms = excluded.last_ms, forgotten_ms = excluded.forgotten_ms`;
const DELETE_TRIES = 'DELETE FROM countersign.password_tries WHERE row_number = $1';
const DEVICE = `
  SELECT d.* FROM countersign.devices d JOIN countersign.owners o ON o.owner_id = d.owner_id
  WHERE o.email_folded = $1 AND d.device_hash = $2`;
const DEVICE_OF_OWNER = 'SELECT * FROM countersign.devices WHERE owner_id = $1 AND device_hash = $2';
const SAVE_DEVICE_TRIES =
  'UPDATE countersign.devices SET failures = $3, last_ms = $4 WHERE owner_id = $1 AND device_hash = $2';
const SAVE_DEVICE = `
  INSERT INTO countersign.devices (owner_id, device_hash, last_sign_in_ms, failures, last_ms)
  VALUES ($1, $2, $3, 0, 0)
  ON CONFLICT (owner_id, device_hash) DO UPDATE SET last_sign_in_ms = excluded.last_sign_in_ms`;
const DELETE_OLD_DEVICES = `
  DELETE FROM countersign.devices WHERE owner_id = $1 AND device_hash IN (
    SELECT device_hash FROM countersign.devices WHERE owner_id = $1 AND device_hash <> $2
    ORDER BY last_sign_in_ms DESC, device_hash OFFSET $3)`;

export function postgresPasswords(db: Database): Pick<Storage, 'takePasswordTry' | 'passwordMatched'> {
  return {
    takePasswordTry: atomic(db, async (tx, { email, rows, deviceHash, now }) => {
      await tx.first(LOCK_ROWS, [LOCK, rows.address, rows.newcomers]);
      const [row, tries, device] = await Promise.all([
        tx.row(BY_EMAIL, [folded(email)]),
        readAll(tx, rows),
        tx.row(DEVICE, [folded(email), deviceHash ?? '']),
      ]);
      const facts = { ...tries, device: readTries(device) };
      const { waitMs, counted, changes } = judgePasswordTry(facts, now);
      const ownerId = row === undefined ? '' : text(row, 'owner_id');
      await Promise.all(changes.map((change) => save(tx, change, rows, ownerId, deviceHash ?? '')));
      if (waitMs > 0) return { kind: 'wait', waitMs };
      const found = row && { owner: readOwner(row), passwordHash: textOrNull(row, 'password_hash') };
      return { kind: 'check', counted, isKnownDevice: facts.device !== undefined, found };
    }),

    passwordMatched: atomic(db, async (tx, { ownerId, passwordHash, rows, counted, deviceHash, now }) => {
      await tx.first(LOCK_ROWS, [LOCK, rows.address, rows.newcomers]);
      await lockOwner(tx, ownerId);
      const [same, tries, device] = await Promise.all([
        tx.row(BY_HASH, [ownerId, passwordHash]),
        readAll(tx, rows),
        tx.row(DEVICE_OF_OWNER, [ownerId, deviceHash]),
      ]);
      if (same === undefined) return false;
      const facts = { ...tries, device: readTries(device) };
      for (const counter of counted) {
        const before = facts[counter];
        if (before !== undefined) await save(tx, giveTryBack(counter, before), rows, ownerId, deviceHash);
      }
      await tx.run(SAVE_DEVICE, [ownerId, deviceHash, now.getTime()]);
      await tx.run(DELETE_OLD_DEVICES, [ownerId, deviceHash, DEVICES_KEPT - 1]);
      return true;
    }),
  };
}

async function readAll(tx: Transaction, rows: TriesRows) {
  const found = await tx.rows(TRIES, [Object.values(rows).map(String)]);
  const read = (counter: Exclude<TriesCounter, 'device'>) =>
    readTries(found.find((row: Row) => integer(row, 'row_number') === rows[counter]));
  return { address: read('address'), newcomers: read('newcomers'), repeaters: read('repeaters') };
}

async function save(
  tx: Transaction,
  { counter, failures, lastMs, forgottenMs }: TriesChange,
  rows: TriesRows,
  ownerId: string,
  deviceHash: string,
): Promise<void> {
  if (counter === 'device') await tx.run(SAVE_DEVICE_TRIES, [ownerId, deviceHash, failures, lastMs]);
  else if (failures === 0) await tx.run(DELETE_TRIES, [rows[counter]]);
  else await tx.run(SAVE_TRIES, [rows[counter], failures, lastMs, forgottenMs]);
}
