import {
  MENDED_BY_OWNER,
  needsOwner,
  SERVER_ROLES,
  SERVER_STATES,
  type ServerHealth,
} from '../../core/ports/account-health.ts';
import type { Change } from '../../core/ports/store.ts';
import type { Values } from '../../core/state/change.ts';
import { instant, instantOrNull, integer, oneOf, type Row, textOrNull } from './row.ts';

/** A condition on `account_health`. */
export const IS_TO_MEND = `state IN (${MENDED_BY_OWNER.map((state) => `'${state}'`).join(', ')})`;

export function readServerHealth(row: Row): ServerHealth {
  return {
    accountId: integer(row, 'account_id'),
    server: oneOf(row, 'leg', SERVER_ROLES),
    state: oneOf(row, 'state', SERVER_STATES),
    reason: textOrNull(row, 'reason'),
    since: instant(row, 'since_ms'),
    workedAt: instantOrNull(row, 'worked_ms'),
  };
}

export function serverKey({ ownerId, server }: Extract<Change, { type: 'save_server' }>): Values {
  return { owner_id: ownerId, account_id: server.accountId, leg: server.server };
}

export function serverColumns({ server, isNew }: Extract<Change, { type: 'save_server' }>): Values {
  return {
    state: server.state,
    reason: server.reason,
    since_ms: server.since.getTime(),
    worked_ms: server.workedAt?.getTime() ?? null,
    // Kept unless the state is new.
    ...(isNew ? { is_covered: !needsOwner(server.state) } : {}),
  };
}
