import type { accountStatements } from '../../core/accounts/account-state.ts';
import type { Texts } from './dialect.ts';

export const ACCOUNT_TEXTS: Texts<typeof accountStatements> = {
  accounts_to_check: ({ prefix }) => `
    SELECT owner_id, account_id FROM ${prefix}accounts WHERE next_check_ms <= @now_ms
    ORDER BY next_check_ms, owner_id, account_id LIMIT @limit`,
};
