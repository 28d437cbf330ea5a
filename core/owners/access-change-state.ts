import { type RowChange, update } from '../state/change.ts';
import type { AccessChange } from './access-change.ts';
import { owners } from './owner-state.ts';

const TIMES = {
  password: 'passwordChangedAt',
  second_step: 'secondStepChangedAt',
  recovery_code: 'recoveryCodeUsedAt',
} as const satisfies Readonly<Record<AccessChange, keyof typeof owners.columns>>;

/** Notes what happened to the owner's own access, for a notice and a line on the dashboard. */
export function notedAccessChange(ownerId: string, what: AccessChange, storeNowMs: number): RowChange {
  return update(owners, { ownerId }, { [TIMES[what]]: new Date(storeNowMs), accessNoticeDue: true });
}
