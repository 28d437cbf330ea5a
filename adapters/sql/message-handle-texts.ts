import { type messageHandleStatements, messageHandles } from '../../core/accounts/message-handle-storage.ts';
import { columnList, type Texts } from './dialect.ts';

export const MESSAGE_HANDLE_TEXTS: Texts<typeof messageHandleStatements> = {
  kept_handles: ({ prefix, among }) => `
    SELECT ${columnList(messageHandles.columns)} FROM ${prefix}message_handles
    WHERE owner_id = @owner_id
      AND account_id IN (SELECT account_id FROM ${prefix}accounts WHERE owner_id = @owner_id)
      AND ${among('handle', 'handle_list', 'integer')}`,
};
