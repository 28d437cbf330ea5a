import type { Database } from 'better-sqlite3';
import type { Credential, Storage } from '../../core/ports/storage.ts';
import { isOn, readCredential } from '../rows/credential.ts';
import { type Row, text } from '../rows/row.ts';
import type { ApprovalTable } from './approval-table.ts';
import { durable, reading, storeNowMs } from './database.ts';

export function sqliteCredentials(
  db: Database,
  approvals: ApprovalTable,
): Pick<Storage, 'addCredential' | 'rotate' | 'revoke' | 'revokeBySecret' | 'setModes' | 'credentials'> {
  const insert = db.prepare(`
    INSERT INTO credentials (owner_id, credential_id, kind, name, modes, revision, created_at_ms, expires_at_ms)
    VALUES (?, ?, ?, ?, ?, 1, ?, ?)`);
  const insertSecret = db.prepare(
    'INSERT INTO secrets (secret_hash, owner_id, credential_id, expires_at_ms) VALUES (?, ?, ?, ?)',
  );
  const find = db.prepare<[string, string], Row>(
    'SELECT * FROM credentials WHERE owner_id = ? AND credential_id = ?',
  );
  const ofOwner = db.prepare<[string], Row>(
    'SELECT * FROM credentials WHERE owner_id = ? ORDER BY created_at_ms DESC, credential_id DESC',
  );
  const shortenSecrets = db.prepare(
    'UPDATE secrets SET expires_at_ms = min(expires_at_ms, ?) WHERE owner_id = ? AND credential_id = ?',
  );
  const renewExpiry = db.prepare(`
    UPDATE credentials SET expires_at_ms = @expiresAtMs, overlap_until_ms =
      (SELECT max(expires_at_ms) FROM secrets WHERE owner_id = @ownerId AND credential_id = @credentialId)
    WHERE owner_id = @ownerId AND credential_id = @credentialId`);
  const findBySecret = db.prepare<[string, number], Row>(
    'SELECT owner_id, credential_id FROM secrets WHERE secret_hash = ? AND expires_at_ms > ?',
  );
  const revoke = db.prepare(
    'UPDATE credentials SET revoked_at_ms = ? WHERE owner_id = ? AND credential_id = ?',
  );
  const setModes = db.prepare(
    'UPDATE credentials SET modes = ?, revision = revision + 1 WHERE owner_id = ? AND credential_id = ?',
  );

  const read = (ownerId: string, credentialId: string, now: Date): Credential | undefined => {
    const row = find.get(ownerId, credentialId);
    return row === undefined ? undefined : readCredential(row, now);
  };
  const switchOff = (credential: Credential, now: Date): void => {
    revoke.run(now.getTime(), credential.ownerId, credential.credentialId);
    approvals.cancelWaiting(
      credential.ownerId,
      (approval) => approval.credentialId === credential.credentialId,
      'credential_off',
      now,
    );
  };

  return {
    addCredential: durable(db, ({ ownerId, credentialId, kind, name, modes, secretHash, expiresAt, now }) => {
      const modesText = JSON.stringify(modes);
      insert.run(ownerId, credentialId, kind, name, modesText, now.getTime(), expiresAt.getTime());
      insertSecret.run(secretHash, ownerId, credentialId, expiresAt.getTime());
      const added = read(ownerId, credentialId, now);
      if (added === undefined) throw new Error('A credential that was inserted is not there.');
      return added;
    }),
    rotate: durable(db, ({ ownerId, credentialId, secretHash, expiresAt, overlapMs, now }) => {
      const before = read(ownerId, credentialId, now);
      if (before === undefined || !isOn(before, now)) return undefined;
      shortenSecrets.run(now.getTime() + overlapMs, ownerId, credentialId);
      renewExpiry.run({ ownerId, credentialId, expiresAtMs: expiresAt.getTime() });
      insertSecret.run(secretHash, ownerId, credentialId, expiresAt.getTime());
      return read(ownerId, credentialId, now);
    }),
    revoke: durable(db, ({ ownerId, credentialId, now }) => {
      const before = read(ownerId, credentialId, now);
      if (before === undefined || before.revokedAt !== null) return before;
      switchOff(before, now);
      return read(ownerId, credentialId, now);
    }),
    revokeBySecret: durable(db, (secretHash, now) => {
      const row = findBySecret.get(secretHash, now.getTime());
      if (row === undefined) return false;
      const credential = read(text(row, 'owner_id'), text(row, 'credential_id'), now);
      if (credential === undefined || credential.revokedAt !== null) return false;
      switchOff(credential, now);
      return true;
    }),
    setModes: durable(db, ({ ownerId, credentialId, modes, now }) => {
      const before = read(ownerId, credentialId, now);
      if (before === undefined || before.revokedAt !== null) return undefined;
      setModes.run(JSON.stringify(modes), ownerId, credentialId);
      approvals.cancelWaiting(
        ownerId,
        (approval) => approval.credentialId === credentialId && modes[approval.group] === 'off',
        'permission_off',
        now,
      );
      return read(ownerId, credentialId, now);
    }),
    // The port names no `now` here: the only thing it would date is whether an overlap is still on.
    credentials: reading((ownerId) => {
      const now = new Date(storeNowMs());
      return ofOwner.all(ownerId).map((row) => readCredential(row, now));
    }),
  };
}
