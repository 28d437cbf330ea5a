import { ACCOUNT_COLUMNS } from '../../core/accounts/account-state.ts';
import { APPROVAL_COLUMNS } from '../../core/approvals/approval-state.ts';
import type { callCommands, callStatements } from '../../core/keys/call-state.ts';
import { credentials, type keyStatements } from '../../core/keys/key-state.ts';
import { OWNER_COLUMNS } from '../../core/owners/owner-state.ts';
import type { clockStatements } from '../../core/state/query.ts';
import { columnList, type Texts } from './dialect.ts';

const { ownerId: _owner, ...OF_OWNER } = OWNER_COLUMNS;

export const KEY_TEXTS: Texts<typeof keyStatements> = {
  credentials_of_owner: ({ prefix }) => `
    SELECT ${columnList(credentials.columns)} FROM ${prefix}credentials WHERE owner_id = @owner_id
    ORDER BY created_at_ms DESC, credential_id DESC`,
  credential_use: ({ prefix, by }) => `
    SELECT c.credential_id, u.last_call_ms,
      (SELECT count(*) FROM ${prefix}approvals r${by('approvals_open')}
        WHERE r.owner_id = c.owner_id AND r.ended_at_ms IS NULL AND r.credential_id = c.credential_id
          AND r.state = 'pending') AS waiting
    FROM ${prefix}credentials c
    LEFT JOIN ${prefix}usage u ON u.owner_id = c.owner_id AND u.credential_id = c.credential_id AND u.slot_id = ''
    WHERE c.owner_id = @owner_id AND c.revoked_at_ms IS NULL`,
};

export const CALL_TEXTS: Texts<typeof callStatements & typeof callCommands> = {
  caller: ({ prefix }) => `
    SELECT s.expires_at_ms AS secret_expires_at_ms, s.sealed_tokens, s.signature AS secret_signature,
      ${columnList(credentials.columns, 'c')}, ${columnList(OF_OWNER, 'o')}
    FROM ${prefix}secrets s
    JOIN ${prefix}credentials c ON c.owner_id = s.owner_id AND c.credential_id = s.credential_id
    JOIN ${prefix}owners o ON o.owner_id = s.owner_id
    WHERE s.secret_hash = @secret_hash`,
  usage_of_secret: ({ prefix }) => `
    SELECT u.credential_id, u.slot_id, u.time_ms, u.count FROM ${prefix}secrets s
    JOIN ${prefix}usage u ON u.owner_id = s.owner_id AND u.credential_id IN ('', s.credential_id)
    WHERE s.secret_hash = @secret_hash`,
  usage_of_credential: ({ prefix }) => `
    SELECT credential_id, slot_id, time_ms, count FROM ${prefix}usage
    WHERE owner_id = @owner_id AND credential_id IN ('', @credential_id)`,
  accounts_of_secret: ({ prefix }) => `
    SELECT ${columnList(ACCOUNT_COLUMNS)} FROM ${prefix}accounts
    WHERE owner_id = (SELECT owner_id FROM ${prefix}secrets WHERE secret_hash = @secret_hash) ORDER BY account_id`,
  slot: ({ prefix }) => `
    SELECT credential_id, time_ms FROM ${prefix}usage WHERE owner_id = @owner_id AND slot_id = @slot_id AND slot_id <> ''`,
  approval_of_claim: ({ prefix }) => `
    SELECT ${columnList(APPROVAL_COLUMNS, 'a')} FROM ${prefix}claims c
    JOIN ${prefix}approvals a ON a.owner_id = c.owner_id AND a.approval_id = c.approval_id
    WHERE c.owner_id = @owner_id AND c.credential_id = @credential_id AND c.key = @key`,
  count_call: ({ prefix }) => `
    INSERT INTO ${prefix}usage (owner_id, credential_id, slot_id, time_ms, count, last_call_ms)
    VALUES (@owner_id, '', '', @day_ms, @day_count, NULL),
      (@owner_id, @credential_id, '', @minute_ms, @minute_count, @at_ms),
      (@owner_id, @credential_id, @slot_id, @lease_until_ms, 1, NULL)
    ON CONFLICT (owner_id, credential_id, slot_id) DO UPDATE
    SET time_ms = excluded.time_ms, count = excluded.count, last_call_ms = excluded.last_call_ms`,
};

export const CLOCK_TEXTS: Texts<typeof clockStatements> = {
  clock: ({ storeNow }) => `SELECT ${storeNow} AS now_ms`,
};
