import type { Database } from 'better-sqlite3';
import type { Storage } from '../../core/ports/storage.ts';
import { folded, readOwner } from '../rows/owner.ts';
import { type Row, textOrNull } from '../rows/row.ts';
import { durable, reading } from './database.ts';

export function sqliteOwners(
  db: Database,
): Pick<Storage, 'addOwner' | 'owner' | 'owners' | 'ownerByEmail' | 'setPassword'> {
  const insert = db.prepare(`
    INSERT INTO owners (owner_id, email, email_folded, timezone, plan, limits, password_hash, created_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  const byId = db.prepare<[string], Row>('SELECT * FROM owners WHERE owner_id = ?');
  const everyone = db.prepare<[], Row>('SELECT * FROM owners ORDER BY created_at_ms, owner_id');
  const byEmail = db.prepare<[string], Row>('SELECT * FROM owners WHERE email_folded = ?');
  const setPassword = db.prepare('UPDATE owners SET password_hash = ? WHERE owner_id = ?');
  const endSessions = db.prepare('DELETE FROM sessions WHERE owner_id = ?');
  const deleteDevices = db.prepare('DELETE FROM devices WHERE owner_id = ?');

  return {
    addOwner: durable(db, ({ ownerId, email, timezone, plan, limits, passwordHash, now }) => {
      const limitsText = JSON.stringify(limits);
      const added = insert.run(
        ownerId,
        email,
        folded(email),
        timezone,
        plan,
        limitsText,
        passwordHash,
        now.getTime(),
      );
      return added.changes === 1;
    }),
    owner: reading((ownerId) => {
      const row = byId.get(ownerId);
      return row === undefined ? undefined : readOwner(row);
    }),
    owners: reading(() => everyone.all().map(readOwner)),
    ownerByEmail: reading((email) => {
      const row = byEmail.get(folded(email));
      return row === undefined
        ? undefined
        : { owner: readOwner(row), passwordHash: textOrNull(row, 'password_hash') };
    }),
    setPassword: durable(db, (ownerId, passwordHash) => {
      endSessions.run(ownerId);
      deleteDevices.run(ownerId);
      return setPassword.run(passwordHash, ownerId).changes === 1;
    }),
  };
}
