import { TABLES } from '../../core/service/all-tables.ts';
import { stored, type Values } from '../../core/state/change.ts';
import { ERASE_LIMITS, type EraseBefore } from '../../core/state/erase-before.ts';
import { columnName } from '../../core/state/table.ts';
import type { Dialect } from './dialect.ts';

/**
 * Rows that one statement erases, so that calls wait a few milliseconds at most. The planner of Postgres looks up so few by
 * index, whatever it expects of the tables.
 */
export const ERASED_AT_ONCE = 200;

const LIMITS = { name: 'erase', columns: ERASE_LIMITS };

/** The parameters of the statements that erase. */
export function eraseValues(before: EraseBefore): Values {
  return stored(LIMITS, before);
}

/** For each table that says how long its rows are kept: the statement that erases at most `ERASED_AT_ONCE` old ones. */
export function eraseOldRows({ name, prefix }: Dialect): readonly string[] {
  return TABLES.flatMap((table) => {
    if (table.erased === undefined) return [];
    const key = table.key.map((property) => columnName(table, property)).join(', ');
    const isOld = `${columnName(table, table.erased.by)} < @${columnName(LIMITS, table.erased.before)}`;
    const skip = name === 'sqlite' ? '' : ' FOR UPDATE SKIP LOCKED';
    return [
      `DELETE FROM ${prefix}${table.name} WHERE (${key}) IN (
        SELECT ${key} FROM ${prefix}${table.name} WHERE ${isOld} LIMIT ${ERASED_AT_ONCE}${skip})`,
    ];
  });
}
