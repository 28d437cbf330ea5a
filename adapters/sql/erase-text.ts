import { TABLES } from '../../core/service/all-tables.ts';
import type { Values } from '../../core/state/change.ts';
import type { EraseBefore } from '../../core/state/erase-before.ts';
import { columnName } from '../../core/state/table.ts';
import type { Dialect } from './dialect.ts';

/** Rows that one statement erases, so that calls wait a few milliseconds at most. */
export const ERASED_AT_ONCE = 200;

const PARAMETERS = {
  plansKeptUntil: 'plans_kept_until_ms',
  eventsBefore: 'events_before_ms',
  activityBefore: 'activity_before_ms',
  claimsBefore: 'claims_before_ms',
  readsBefore: 'reads_before_ms',
  passwordTriesBefore: 'password_tries_before_ms',
} as const satisfies Readonly<Record<keyof EraseBefore, string>>;

/** The parameters of the statements that erase. */
export function eraseValues(before: EraseBefore): Values {
  return {
    [PARAMETERS.plansKeptUntil]: before.plansKeptUntil.getTime(),
    [PARAMETERS.eventsBefore]: before.eventsBefore.getTime(),
    [PARAMETERS.activityBefore]: before.activityBefore.getTime(),
    [PARAMETERS.claimsBefore]: before.claimsBefore.getTime(),
    [PARAMETERS.readsBefore]: before.readsBefore.getTime(),
    [PARAMETERS.passwordTriesBefore]: before.passwordTriesBefore.getTime(),
  };
}

/** For each table that says how long its rows are kept: the statement that erases at most `ERASED_AT_ONCE` old ones. */
export function eraseOldRows({ name, prefix }: Dialect): readonly string[] {
  return TABLES.flatMap((table) => {
    if (table.erased === undefined) return [];
    const key = table.key.map((property) => columnName(table, property)).join(', ');
    const isOld = `${columnName(table, table.erased.by)} < @${PARAMETERS[table.erased.before]}`;
    const skip = name === 'sqlite' ? '' : ' FOR UPDATE SKIP LOCKED';
    return [
      `DELETE FROM ${prefix}${table.name} WHERE (${key}) IN (
        SELECT ${key} FROM ${prefix}${table.name} WHERE ${isOld} LIMIT ${ERASED_AT_ONCE}${skip})`,
    ];
  });
}
