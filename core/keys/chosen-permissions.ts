import { notFound } from '../contract/not-found.ts';
import { invalidArgument } from '../contract/schema.ts';
import type { Storage } from '../ports/storage.ts';
import { DAY_MS } from '../time/durations.ts';
import { KEY_DAYS_MAX } from './credential.ts';
import { FENCE_ENTRIES_MAX, type Fences } from './fences.ts';
import { invalidModes, type Modes, PRESETS, type Preset } from './permissions.ts';

/** @throws ServiceError invalid_arguments if a group is unknown, or a mode does not apply to its group */
export function changedModes(base: Modes, changes: Partial<Modes>): Modes {
  const unknown = Object.keys(changes).find((group) => !Object.hasOwn(base, group));
  if (unknown !== undefined) throw invalidArgument(unknown, 'group', 'is not a permission group');
  const modes = { ...base, ...changes };
  const [wrong] = invalidModes(modes);
  if (wrong !== undefined) throw invalidArgument(wrong, 'mode', `cannot be ${modes[wrong]}`);
  return modes;
}

/** @throws ServiceError invalid_arguments if there is no such preset */
export function modesOfPreset(preset: Preset): Modes {
  if (!Object.hasOwn(PRESETS, preset)) {
    throw invalidArgument('preset', 'enum', `must be one of ${Object.keys(PRESETS).join(', ')}`);
  }
  return PRESETS[preset].modes;
}

/** @throws ServiceError invalid_arguments unless it is 1 to 180 days */
export function lifetimeMs(days: number): number {
  if (!Number.isInteger(days) || days < 1 || days > KEY_DAYS_MAX) {
    throw invalidArgument('days', 'range', `must be 1 to ${KEY_DAYS_MAX}`);
  }
  return days * DAY_MS;
}

/**
 * Returns the ids as fences store them. Null: all accounts.
 * @throws ServiceError not_found if the owner has no such account; invalid_arguments unless there are 1 to 100
 */
export async function fencedAccounts(
  storage: Pick<Storage, 'accounts'>,
  ownerId: string,
  accounts: readonly number[] | null,
): Promise<Fences['accounts']> {
  if (accounts === null) return null;
  const known = new Set((await storage.accounts(ownerId)).map(({ accountId }) => accountId));
  if (!accounts.every((accountId) => known.has(accountId))) throw notFound('account');
  checkFenceSize('accounts', accounts);
  return [...new Set(accounts)].sort((a, b) => a - b);
}

/** @throws ServiceError invalid_arguments */
export function checkFenceSize(field: 'accounts' | 'recipients', entries: readonly unknown[]): void {
  if (entries.length > 0 && entries.length <= FENCE_ENTRIES_MAX) return;
  throw invalidArgument(field, 'length', `must have 1 to ${FENCE_ENTRIES_MAX} entries`);
}
