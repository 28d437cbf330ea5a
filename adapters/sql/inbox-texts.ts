import type { inboxStatements } from '../../core/watching/inbox-state.ts';
import type { Texts } from './dialect.ts';

export const INBOX_TEXTS: Texts<typeof inboxStatements> = {
  inboxes_to_watch: ({ prefix, storeNow }) => `
    SELECT a.owner_id, a.account_id, coalesce(l.lease_until_ms, 0) > ${storeNow} AS is_leased
    FROM ${prefix}accounts a
    LEFT JOIN ${prefix}inbox_leases l ON l.owner_id = a.owner_id AND l.account_id = a.account_id
    WHERE CAST(@all AS boolean) OR a.owner_id IN (
      SELECT owner_id FROM ${prefix}trackers WHERE takes_mail
      UNION SELECT owner_id FROM ${prefix}endpoints WHERE takes_mail)
    ORDER BY a.owner_id, a.account_id`,
};
