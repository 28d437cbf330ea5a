import { type messageHandleStatements, messageHandles } from '../../core/accounts/message-handle-storage.ts';
import { columnList, type Texts } from './dialect.ts';

const COLUMNS = columnList(messageHandles.columns);

export const MESSAGE_HANDLE_TEXTS: Texts<typeof messageHandleStatements> = {
  // In Postgres, LIMIT keeps each handle a look-up of its own. The planner may prefer to read all handles of the owner.
  kept_handles: ({ name, prefix }) =>
    name === 'sqlite'
      ? `
    SELECT ${COLUMNS} FROM message_handles
    WHERE owner_id = @owner_id
      AND account_id IN (SELECT account_id FROM accounts WHERE owner_id = @owner_id)
      AND handle IN (SELECT value FROM json_each(@handle_list))`
      : `
    SELECT kept.* FROM unnest(@handle_list::bigint[]) AS wanted (one)
    CROSS JOIN (SELECT account_id FROM ${prefix}accounts WHERE owner_id = @owner_id) AS of
    CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM ${prefix}message_handles
      WHERE owner_id = @owner_id AND account_id = of.account_id AND handle = wanted.one LIMIT 1) AS kept`,
};
