import type { Storage } from '../../core/ports/storage.ts';
import { folded, readOwner } from '../rows/owner.ts';
import { textOrNull } from '../rows/row.ts';
import { type Database, durable, reading } from './database.ts';
import { lockOwner } from './owner-lock.ts';

const INSERT = `
  INSERT INTO countersign.owners
    (owner_id, email, email_folded, timezone, plan, limits, password_hash, created_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT DO NOTHING`;
const BY_ID = 'SELECT * FROM countersign.owners WHERE owner_id = $1';
const EVERYONE = 'SELECT * FROM countersign.owners ORDER BY created_at_ms, owner_id';
const BY_EMAIL = 'SELECT * FROM countersign.owners WHERE email_folded = $1';
const SET_PASSWORD = 'UPDATE countersign.owners SET password_hash = $2 WHERE owner_id = $1';
const END_SESSIONS = 'DELETE FROM countersign.sessions WHERE owner_id = $1';
const DELETE_DEVICES = 'DELETE FROM countersign.devices WHERE owner_id = $1';

export function postgresOwners(
  db: Database,
): Pick<Storage, 'addOwner' | 'owner' | 'owners' | 'ownerByEmail' | 'setPassword'> {
  return {
    addOwner: durable(db, async (tx, { ownerId, email, timezone, plan, limits, passwordHash, now }) => {
      const values = [timezone, plan, JSON.stringify(limits), passwordHash, now.getTime()];
      return (await tx.run(INSERT, [ownerId, email, folded(email), ...values])) === 1;
    }),
    owner: reading(db, async ({ row }, ownerId) => {
      const found = await row(BY_ID, [ownerId]);
      return found && readOwner(found);
    }),
    owners: reading(db, async ({ rows }) => (await rows(EVERYONE, [])).map(readOwner)),
    ownerByEmail: reading(db, async ({ row }, email) => {
      const found = await row(BY_EMAIL, [folded(email)]);
      return found && { owner: readOwner(found), passwordHash: textOrNull(found, 'password_hash') };
    }),
    setPassword: durable(db, async (tx, ownerId, passwordHash) => {
      await lockOwner(tx, ownerId);
      await tx.run(END_SESSIONS, [ownerId]);
      await tx.run(DELETE_DEVICES, [ownerId]);
      return (await tx.run(SET_PASSWORD, [ownerId, passwordHash])) === 1;
    }),
  };
}
