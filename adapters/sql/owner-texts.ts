import { OWNER_COLUMNS, type ownerCommands, type ownerStatements } from '../../core/owners/owner-state.ts';
import type { passwordStatements } from '../../core/owners/password-state.ts';
import { devicesOfOwner } from '../../core/owners/password-state.ts';
import { type sessionStatements, sessions } from '../../core/owners/session-state.ts';
import { columnList, type Dialect, type Texts } from './dialect.ts';

/** Whether the link of the first run with this hash is open. */
const isOpen = ({ prefix }: Dialect, hash: string, nowMs: string) => `
  NOT EXISTS (SELECT 1 FROM ${prefix}owners) AND EXISTS (
    SELECT 1 FROM ${prefix}setup_link WHERE secret_hash = ${hash} AND expires_at_ms > ${nowMs})`;

const lastOfRemoved = ({ prefix }: Dialect, column: string) =>
  `coalesce((SELECT ${column} FROM ${prefix}removed_owners WHERE owner_hash = @owner_hash), 0)`;

/** The column, without an instant that is not later than `until_ms`. */
const cleared = (column: string) => `${column} = CASE WHEN ${column} > @until_ms THEN ${column} END`;

export const OWNER_TEXTS: Texts<typeof ownerStatements & typeof ownerCommands> = {
  owners_after: ({ prefix }) =>
    `SELECT ${columnList(OWNER_COLUMNS)} FROM ${prefix}owners WHERE owner_id > @after ORDER BY owner_id LIMIT @limit`,
  any_owner: ({ prefix }) => `SELECT owner_id FROM ${prefix}owners LIMIT 1`,
  open_setup_link: (dialect) =>
    `SELECT 1 AS is_open WHERE ${isOpen(dialect, '@secret_hash', 'CAST(@now_ms AS bigint)')}`,
  running_of_owner: ({ prefix, by }) => `
    SELECT approval_id FROM ${prefix}approvals${by('approvals_open')}
    WHERE owner_id = @owner_id AND ended_at_ms IS NULL AND state = 'approved' AND started_at_ms IS NOT NULL LIMIT 1`,
  add_owner: (dialect) => {
    const { prefix, name } = dialect;
    const added = `
      INSERT INTO ${prefix}owners
        (owner_id, email, email_folded, timezone, language, plans_kept_days, proof_for, plan, limits, password_hash,
        password_signature, second_step_signature, created_at_ms, last_account_id, last_endpoint_id)
      SELECT @owner_id, @email, @email_folded, @timezone, @language, @plans_kept_days, @proof_for, @plan, @limits,
        @password_hash, @password_signature, @second_step_signature, @created_at_ms, ${lastOfRemoved(dialect, 'last_account_id')},
        ${lastOfRemoved(dialect, 'last_endpoint_id')}
      WHERE CAST(@setup_hash AS text) IS NULL OR (${isOpen(dialect, '@setup_hash', '@created_at_ms')})
      ON CONFLICT DO NOTHING`;
    return name === 'sqlite' ? added : [`SELECT 1 FROM ${prefix}setup_link FOR UPDATE`, added];
  },
  end_setup: ({ prefix }) => `DELETE FROM ${prefix}setup_link WHERE EXISTS (SELECT 1 FROM ${prefix}owners)`,
  open_setup: ({ prefix }) => `
    INSERT INTO ${prefix}setup_link (only_row, secret_hash, expires_at_ms)
    SELECT 1, @secret_hash, @expires_at_ms WHERE NOT EXISTS (SELECT 1 FROM ${prefix}owners)
    ON CONFLICT (only_row) DO UPDATE SET secret_hash = excluded.secret_hash, expires_at_ms = excluded.expires_at_ms`,
  confirm_access_changes: ({ prefix }) => `
    UPDATE ${prefix}owners SET ${['password_changed_at_ms', 'second_step_changed_at_ms', 'recovery_code_used_at_ms'].map(cleared).join(', ')}
    WHERE owner_id = @owner_id`,
};

const { ownerId: _owner, ...OF_SESSION } = sessions.columns;

export const SESSION_TEXTS: Texts<typeof sessionStatements> = {
  session_by_token: ({ prefix }) => `
    SELECT ${columnList(OWNER_COLUMNS, 'o')}, ${columnList(OF_SESSION, 's')}
    FROM ${prefix}sessions s JOIN ${prefix}owners o ON o.owner_id = s.owner_id
    WHERE s.token_hash = @token_hash AND s.expires_at_ms > @now_ms`,
  live_sessions: ({ prefix }) => `
    SELECT ${columnList(sessions.columns)} FROM ${prefix}sessions WHERE owner_id = @owner_id AND expires_at_ms > @now_ms
    ORDER BY last_used_at_ms DESC, session_id LIMIT 100`,
  proof: ({ prefix }) => `
    SELECT
      EXISTS (SELECT 1 FROM ${prefix}sessions WHERE owner_id = @owner_id AND session_id = @session_id) AS has_session,
      EXISTS (SELECT 1 FROM ${prefix}session_proofs
        WHERE owner_id = @owner_id AND session_id = @session_id AND nonce = @nonce) AS is_used`,
};

export const PASSWORD_TEXTS: Texts<typeof passwordStatements> = {
  devices_by_email: ({ prefix }) => `
    SELECT ${columnList(devicesOfOwner.columns, 'd')} FROM ${prefix}owners o
    JOIN ${prefix}devices d ON d.owner_id = o.owner_id WHERE o.email_folded = @email_folded`,
};
