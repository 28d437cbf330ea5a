import { ACCESS_CHANGES, type AccessChange, type AccessChanges } from '../../core/gate/access-change.ts';
import type { Values } from '../../core/state/change.ts';
import { instantOrNull, type Row } from './row.ts';

/** The column of `owners` with the time of each change. */
const COLUMNS: Readonly<Record<AccessChange, string>> = {
  password: 'password_changed_at_ms',
  second_step: 'second_step_changed_at_ms',
  recovery_code: 'recovery_code_used_at_ms',
};

/** @param row  an owner's */
export function readAccessChanges(row: Row): AccessChanges {
  return {
    password: instantOrNull(row, COLUMNS.password),
    second_step: instantOrNull(row, COLUMNS.second_step),
    recovery_code: instantOrNull(row, COLUMNS.recovery_code),
  };
}

export function accessChangeColumns(what: AccessChange, at: Date): Values {
  return { [COLUMNS[what]]: at.getTime(), access_notice_due: true };
}

/** Clears the columns that are not later than `until_ms`. @param table  the name of `owners` */
export function confirmAccessChanges(table: string): string {
  const cleared = ACCESS_CHANGES.map((what) => COLUMNS[what]).map(
    (column) => `${column} = CASE WHEN ${column} > @until_ms THEN ${column} END`,
  );
  return `UPDATE ${table} SET ${cleared.join(', ')} WHERE owner_id = @owner_id`;
}
