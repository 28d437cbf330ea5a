import type { Database } from 'better-sqlite3';
import { DEVICES_KEPT, giveTryBack, judgePasswordTry, type TriesChange } from '../../core/password-tries.ts';
import type { Storage, TriesRows } from '../../core/ports/storage.ts';
import { folded, readOwner } from '../rows/owner.ts';
import { type Row, text, textOrNull } from '../rows/row.ts';
import { readTries } from '../rows/tries.ts';
import { atomic } from './database.ts';

export function sqlitePasswords(db: Database): Pick<Storage, 'takePasswordTry' | 'passwordMatched'> {
  const byEmail = db.prepare<[string], Row>('SELECT * FROM owners WHERE email_folded = ?');
  const byHash = db.prepare<[string, string], Row>(
    'SELECT 1 FROM owners WHERE owner_id = ? AND password_hash = ?',
  );
  const tries = db.prepare<[number], Row>('SELECT * FROM password_tries WHERE row_number = ?');
  const saveTries = db.prepare(`
    INSERT INTO password_tries (row_number, failures, last_ms, forgotten_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE
    SET failures = excluded.failures, last_ms = excluded.last_ms, forgotten_ms = excluded.forgotten_ms`);
  const deleteTries = db.prepare('DELETE FROM password_tries WHERE row_number = ?');
  const device = db.prepare<[string, string], Row>(
    'SELECT * FROM devices WHERE owner_id = ? AND device_hash = ?',
  );
  const saveDeviceTries = db.prepare(
    'UPDATE devices SET failures = ?, last_ms = ? WHERE owner_id = ? AND device_hash = ?',
  );
  const saveDevice = db.prepare(`
    INSERT INTO devices (owner_id, device_hash, last_sign_in_ms, failures, last_ms) VALUES (?, ?, ?, 0, 0)
    ON CONFLICT DO UPDATE SET last_sign_in_ms = excluded.last_sign_in_ms`);
  const deleteOldDevices = db.prepare(`
    DELETE FROM devices WHERE owner_id = ? AND device_hash IN (
      SELECT device_hash FROM devices WHERE owner_id = ? AND device_hash <> ?
      ORDER BY last_sign_in_ms DESC, device_hash LIMIT -1 OFFSET ?)`);

  const save = (
    { counter, failures, lastMs, forgottenMs }: TriesChange,
    rows: TriesRows,
    ownerId: string,
    deviceHash: string,
  ): void => {
    if (counter === 'device') saveDeviceTries.run(failures, lastMs, ownerId, deviceHash);
    else if (failures === 0) deleteTries.run(rows[counter]);
    else saveTries.run(rows[counter], failures, lastMs, forgottenMs);
  };

  return {
    takePasswordTry: atomic(db, ({ email, rows, deviceHash, now }) => {
      const row = byEmail.get(folded(email));
      const ownerId = row === undefined ? '' : text(row, 'owner_id');
      const facts = {
        address: readTries(tries.get(rows.address)),
        newcomers: readTries(tries.get(rows.newcomers)),
        repeaters: readTries(tries.get(rows.repeaters)),
        device: readTries(device.get(ownerId, deviceHash ?? '')),
      };
      const { waitMs, counted, changes } = judgePasswordTry(facts, now);
      for (const change of changes) save(change, rows, ownerId, deviceHash ?? '');
      if (waitMs > 0) return { kind: 'wait', waitMs };
      const found = row && { owner: readOwner(row), passwordHash: textOrNull(row, 'password_hash') };
      return { kind: 'check', counted, isKnownDevice: facts.device !== undefined, found };
    }),

    passwordMatched: atomic(db, ({ ownerId, passwordHash, rows, counted, deviceHash, now }) => {
      if (byHash.get(ownerId, passwordHash) === undefined) return false;
      for (const counter of counted) {
        const before = readTries(
          counter === 'device' ? device.get(ownerId, deviceHash) : tries.get(rows[counter]),
        );
        if (before !== undefined) save(giveTryBack(counter, before), rows, ownerId, deviceHash);
      }
      saveDevice.run(ownerId, deviceHash, now.getTime());
      deleteOldDevices.run(ownerId, ownerId, deviceHash, DEVICES_KEPT - 1);
      return true;
    }),
  };
}
