import {
  LEG_STATES,
  LEGS,
  type LegHealth,
  MENDED_BY_OWNER,
  needsOwner,
} from '../../core/ports/account-health.ts';
import type { Change } from '../../core/ports/store.ts';
import type { Values } from './query.ts';
import { instant, instantOrNull, integer, oneOf, type Row, textOrNull } from './row.ts';

/** A condition on `account_health`. */
export const IS_TO_MEND = `state IN (${MENDED_BY_OWNER.map((state) => `'${state}'`).join(', ')})`;

export function readLegHealth(row: Row): LegHealth {
  return {
    accountId: integer(row, 'account_id'),
    leg: oneOf(row, 'leg', LEGS),
    state: oneOf(row, 'state', LEG_STATES),
    reason: textOrNull(row, 'reason'),
    since: instant(row, 'since_ms'),
    workedAt: instantOrNull(row, 'worked_ms'),
  };
}

export function legKey({ ownerId, leg }: Extract<Change, { type: 'save_leg' }>): Values {
  return { owner_id: ownerId, account_id: leg.accountId, leg: leg.leg };
}

export function legColumns({ leg, isNew }: Extract<Change, { type: 'save_leg' }>): Values {
  return {
    state: leg.state,
    reason: leg.reason,
    since_ms: leg.since.getTime(),
    worked_ms: leg.workedAt?.getTime() ?? null,
    // Kept unless the state is new.
    ...(isNew ? { is_covered: !needsOwner(leg.state) } : {}),
  };
}
