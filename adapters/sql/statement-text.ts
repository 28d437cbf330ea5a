import type { Selection, Statement } from '../../core/state/query.ts';
import { type Columns, columnName } from '../../core/state/table.ts';
import { ACCOUNT_TEXTS } from './account-texts.ts';
import { ACTIVITY_TEXTS } from './activity-texts.ts';
import { APPROVAL_TEXTS } from './approval-texts.ts';
import type { Dialect } from './dialect.ts';
import { EVENT_NUMBER_TEXTS } from './event-number-texts.ts';
import { EVENT_TEXTS } from './event-texts.ts';
import { INBOX_TEXTS } from './inbox-texts.ts';
import { CALL_TEXTS, CLOCK_TEXTS, KEY_TEXTS } from './key-texts.ts';
import { KNOWN_TEXTS } from './known-texts.ts';
import { MESSAGE_HANDLE_TEXTS } from './message-handle-texts.ts';
import { NOTICE_TEXTS } from './notice-texts.ts';
import { OWNER_TEXTS, PASSWORD_TEXTS, SESSION_TEXTS } from './owner-texts.ts';
import { READ_TEXTS } from './read-texts.ts';
import { TRACKER_TEXTS } from './tracker-texts.ts';
import { WEBHOOK_TEXTS } from './webhook-texts.ts';

/** Every text that does not follow from a table. */
export const TEXTS: Readonly<Record<string, (dialect: Dialect) => string | readonly string[]>> = {
  ...ACCOUNT_TEXTS,
  ...ACTIVITY_TEXTS,
  ...APPROVAL_TEXTS,
  ...CALL_TEXTS,
  ...CLOCK_TEXTS,
  ...EVENT_NUMBER_TEXTS,
  ...MESSAGE_HANDLE_TEXTS,
  ...EVENT_TEXTS,
  ...KEY_TEXTS,
  ...KNOWN_TEXTS,
  ...INBOX_TEXTS,
  ...NOTICE_TEXTS,
  ...OWNER_TEXTS,
  ...PASSWORD_TEXTS,
  ...READ_TEXTS,
  ...SESSION_TEXTS,
  ...TRACKER_TEXTS,
  ...WEBHOOK_TEXTS,
};

const named = new WeakMap<Dialect, ReadonlyMap<string, readonly string[]>>();

/** The statements of a command, or the one statement that reads. @throws Error if nobody wrote one of this name */
export function namedTexts(name: string, dialect: Dialect): readonly string[] {
  const texts =
    named.get(dialect) ?? new Map(Object.entries(TEXTS).map(([one, text]) => [one, [text(dialect)].flat()]));
  named.set(dialect, texts);
  const found = texts.get(name);
  if (found === undefined) throw new Error(`The statement ${name} has no text.`);
  return found;
}

const selected = new WeakMap<Dialect, WeakMap<Statement, string>>();

export function queryText(statement: Statement, dialect: Dialect): string {
  const { selection } = statement;
  if (selection === undefined) return namedTexts(statement.name, dialect).join();
  const texts = selected.get(dialect) ?? new WeakMap<Statement, string>();
  selected.set(dialect, texts);
  const known = texts.get(statement);
  if (known !== undefined) return known;
  const made = selectText(statement.columns, selection, dialect);
  texts.set(statement, made);
  return made;
}

function selectText(
  columns: Columns,
  { table, by, among, order, index }: Selection,
  dialect: Dialect,
): string {
  const namesOf = (properties: readonly string[]) => properties.map((one) => columnName(table, one));
  const from = `${dialect.prefix}${table.name}${index === undefined ? '' : dialect.by(index)}`;
  const where = namesOf(by).map((column) => `${column} = @${column}`);
  if (among !== undefined) {
    const [column, type] = [columnName(table, among), table.columns[among]?.type ?? 'text'];
    where.push(dialect.among(column, `${column}_list`, type));
  }
  const sorted = order.length === 0 ? '' : ` ORDER BY ${namesOf(order).join(', ')}`;
  return `SELECT ${namesOf(Object.keys(columns)).join(', ')} FROM ${from} WHERE ${where.join(' AND ')}${sorted}`;
}
