import type { Credential, Storage } from '../../core/ports/storage.ts';
import { isOn, readCredential } from '../rows/credential.ts';
import { instant, text } from '../rows/row.ts';
import { cancelWaiting, waitingApprovals } from './approval-table.ts';
import { type Database, durable, reading, type Transaction } from './database.ts';
import { lockOwner, lockOwnerOfSecret, STORE_NOW_MS } from './owner-lock.ts';

const INSERT = `
  INSERT INTO countersign.credentials
    (owner_id, credential_id, kind, name, modes, revision, created_at_ms, expires_at_ms)
  VALUES ($1, $2, $3, $4, $5, 1, $6, $7)`;
const INSERT_SECRET = `
  INSERT INTO countersign.secrets (secret_hash, owner_id, credential_id, expires_at_ms) VALUES ($1, $2, $3, $4)`;
const FIND = 'SELECT * FROM countersign.credentials WHERE owner_id = $1 AND credential_id = $2';
// The port names no `now` here: the only thing it would date is whether an overlap is still on.
const OF_OWNER = `
  SELECT *, ${STORE_NOW_MS} AS now_ms FROM countersign.credentials WHERE owner_id = $1
  ORDER BY created_at_ms DESC, credential_id DESC`;
const SHORTEN_SECRETS = `
  UPDATE countersign.secrets SET expires_at_ms = least(expires_at_ms, $3)
  WHERE owner_id = $1 AND credential_id = $2`;
const RENEW_EXPIRY = `
  UPDATE countersign.credentials SET expires_at_ms = $3, overlap_until_ms =
    (SELECT max(expires_at_ms) FROM countersign.secrets WHERE owner_id = $1 AND credential_id = $2)
  WHERE owner_id = $1 AND credential_id = $2`;
const OF_SECRET = `
  SELECT credential_id FROM countersign.secrets WHERE secret_hash = $1 AND expires_at_ms > $2`;
const REVOKE =
  'UPDATE countersign.credentials SET revoked_at_ms = $3 WHERE owner_id = $1 AND credential_id = $2';
const SET_MODES = `
  UPDATE countersign.credentials SET modes = $3, revision = revision + 1 WHERE owner_id = $1 AND credential_id = $2`;

export function postgresCredentials(
  db: Database,
): Pick<Storage, 'addCredential' | 'rotate' | 'revoke' | 'revokeBySecret' | 'setModes' | 'credentials'> {
  return {
    addCredential: durable(db, async (tx, request) => {
      const { ownerId, credentialId, kind, name, modes, secretHash, expiresAt, now } = request;
      await lockOwner(tx, ownerId);
      const modesText = JSON.stringify(modes);
      const times = [now.getTime(), expiresAt.getTime()];
      await tx.run(INSERT, [ownerId, credentialId, kind, name, modesText, ...times]);
      await tx.run(INSERT_SECRET, [secretHash, ownerId, credentialId, expiresAt.getTime()]);
      const added = await find(tx, ownerId, credentialId, now);
      if (added === undefined) throw new Error('A credential that was inserted is not there.');
      return added;
    }),
    rotate: durable(db, async (tx, { ownerId, credentialId, secretHash, expiresAt, overlapMs, now }) => {
      await lockOwner(tx, ownerId);
      const before = await find(tx, ownerId, credentialId, now);
      if (before === undefined || !isOn(before, now)) return undefined;
      await tx.run(SHORTEN_SECRETS, [ownerId, credentialId, now.getTime() + overlapMs]);
      await tx.run(RENEW_EXPIRY, [ownerId, credentialId, expiresAt.getTime()]);
      await tx.run(INSERT_SECRET, [secretHash, ownerId, credentialId, expiresAt.getTime()]);
      return find(tx, ownerId, credentialId, now);
    }),
    revoke: durable(db, async (tx, { ownerId, credentialId, now }) => {
      await lockOwner(tx, ownerId);
      const before = await find(tx, ownerId, credentialId, now);
      if (before === undefined || before.revokedAt !== null) return before;
      await switchOff(tx, before, now);
      return find(tx, ownerId, credentialId, now);
    }),
    revokeBySecret: durable(db, async (tx, secretHash, now) => {
      const locked = await lockOwnerOfSecret(tx, secretHash);
      if (locked === undefined) return false;
      const row = await tx.row(OF_SECRET, [secretHash, now.getTime()]);
      if (row === undefined) return false;
      const credential = await find(tx, locked.ownerId, text(row, 'credential_id'), now);
      if (credential === undefined || credential.revokedAt !== null) return false;
      await switchOff(tx, credential, now);
      return true;
    }),
    setModes: durable(db, async (tx, { ownerId, credentialId, modes, now }) => {
      await lockOwner(tx, ownerId);
      const before = await find(tx, ownerId, credentialId, now);
      if (before === undefined || before.revokedAt !== null) return undefined;
      await tx.run(SET_MODES, [ownerId, credentialId, JSON.stringify(modes)]);
      const concerned = (await waitingApprovals(tx, ownerId)).filter(
        (approval) => approval.credentialId === credentialId && modes[approval.group] === 'off',
      );
      await cancelWaiting(tx, concerned, 'permission_off', now);
      return find(tx, ownerId, credentialId, now);
    }),
    credentials: reading(db, async ({ rows }, ownerId) =>
      (await rows(OF_OWNER, [ownerId])).map((row) => readCredential(row, instant(row, 'now_ms'))),
    ),
  };
}

async function find(
  tx: Transaction,
  ownerId: string,
  credentialId: string,
  now: Date,
): Promise<Credential | undefined> {
  const row = await tx.row(FIND, [ownerId, credentialId]);
  return row && readCredential(row, now);
}

async function switchOff(tx: Transaction, { ownerId, credentialId }: Credential, now: Date): Promise<void> {
  await tx.run(REVOKE, [ownerId, credentialId, now.getTime()]);
  const concerned = (await waitingApprovals(tx, ownerId)).filter(
    (approval) => approval.credentialId === credentialId,
  );
  await cancelWaiting(tx, concerned, 'credential_off', now);
}
