import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../../adapters/postgres/migrations.ts';
import { POSTGRES, SQLITE } from '../../../adapters/sql/dialect.ts';
import { namedTexts, TEXTS } from '../../../adapters/sql/statement-text.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { accountStatements } from '../../../core/accounts/account-state.ts';
import { knownCommands, knownStatements } from '../../../core/accounts/known-state.ts';
import { messageHandleStatements } from '../../../core/accounts/message-handle-storage.ts';
import { activityCommands, activityStatements } from '../../../core/activity/activity-state.ts';
import { approvalCommands, approvalStatements } from '../../../core/approvals/approval-state.ts';
import { eventNumberStatements } from '../../../core/calendar/event-number-storage.ts';
import { eventCommands, eventStatements } from '../../../core/events/event-state.ts';
import { webhookStatements } from '../../../core/events/webhook-state.ts';
import { callCommands, callStatements } from '../../../core/keys/call-state.ts';
import { keyStatements } from '../../../core/keys/key-state.ts';
import { noticeCommands, noticeStatements } from '../../../core/notices/notice-state.ts';
import { ownerCommands, ownerStatements } from '../../../core/owners/owner-state.ts';
import { passwordStatements } from '../../../core/owners/password-state.ts';
import { sessionStatements } from '../../../core/owners/session-state.ts';
import { readCommands, readStatements } from '../../../core/provenance/read-state.ts';
import { clockStatements } from '../../../core/state/query.ts';
import type { Columns } from '../../../core/state/table.ts';
import { columnName } from '../../../core/state/table.ts';
import { trackerStatements } from '../../../core/trackers/tracker-state.ts';
import { inboxStatements } from '../../../core/watching/inbox-state.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { missingPostgres, onPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';

/**
 * Core declares what a statement takes and returns; the SQL adapter has its text. The compiler sees that each has a text. These
 * tests compare the text with its declaration, in both databases: its tables and columns, its parameters, and what it returns.
 */

interface Declared {
  readonly name: string;
  readonly params: Columns;
  /** Undefined: it writes. */
  readonly columns?: Columns;
}

const DECLARED: readonly Declared[] = [
  accountStatements,
  approvalStatements,
  approvalCommands,
  callStatements,
  callCommands,
  clockStatements,
  keyStatements,
  knownStatements,
  messageHandleStatements,
  knownCommands,
  webhookStatements,
  activityStatements,
  activityCommands,
  eventNumberStatements,
  eventStatements,
  eventCommands,
  inboxStatements,
  noticeStatements,
  noticeCommands,
  ownerStatements,
  ownerCommands,
  passwordStatements,
  readStatements,
  readCommands,
  sessionStatements,
  trackerStatements,
].flatMap((each): readonly Declared[] => Object.values(each));

const names = (name: string, columns: Columns) =>
  Object.keys(columns)
    .map((property) => columnName({ name, columns }, property))
    .toSorted();
/** Without the clock, which the store of SQLite has in every statement. */
const parametersIn = (text: string) =>
  [...new Set([...text.matchAll(/@(\w+)/g)].map(([, name = '']) => name))]
    .filter((name) => name !== 'store_now_ms')
    .toSorted();

it('every text belongs to a declaration, and the other way round', () => {
  expect(Object.keys(TEXTS).toSorted()).toEqual(DECLARED.map(({ name }) => name).toSorted());
});

describe('in SQLite', () => {
  const db = openDatabase(':memory:');
  afterAll(() => void db.close());

  it.each(DECLARED)('$name takes and returns what it declares', ({ name, params, columns }) => {
    const texts = namedTexts(name, SQLITE);
    expect(parametersIn(texts.join(';'))).toEqual(names(name, params));
    const all = texts.map((text) => db.prepare(text));
    const prepared = all.at(-1);
    expect(prepared?.reader).toBe(columns !== undefined);
    if (columns !== undefined)
      expect(
        prepared
          ?.columns()
          .map((one) => one.name)
          .toSorted(),
      ).toEqual(names(name, columns));
  });
});

const missing = missingPostgres();
describe.skipIf(missing.length > 0)(titledWithout(missing, 'in Postgres'), () => {
  const OIDS: Readonly<Record<string, readonly string[]>> = {
    text: ['text'],
    integer: ['int8', 'int4', 'numeric'],
    flag: ['bool'],
  };
  let postgres: Postgres;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
    await migrate(url);
  });
  afterAll(() => postgres?.stop());

  it.each(DECLARED)('$name takes and returns what it declares, with its types', async (declared) => {
    const { name, params, columns = {} } = declared;
    const texts = namedTexts(name, POSTGRES);
    expect(parametersIn(texts.join(';'))).toEqual(names(name, params));
    const typesOf = (of: Columns) =>
      Object.fromEntries(
        Object.entries(of).map(([property, { type }]) => [
          columnName({ name, columns: of }, property),
          OIDS[type] ?? [],
        ]),
      );
    await onPostgres(url, async (client) => {
      for (const [at, text] of texts.entries()) {
        const taken = parametersIn(text);
        const numbered = text.replaceAll(/@(\w+)/g, (_, one: string) => `$${taken.indexOf(one) + 1}`);
        await client.query(`PREPARE asked_${at} AS ${numbered}`);
        const { rows } = await client.query<{ takes: readonly string[] }>(
          'SELECT parameter_types::text[] AS takes FROM pg_prepared_statements WHERE name = $1',
          [`asked_${at}`],
        );
        const allowed = typesOf(params);
        for (const [place, one] of taken.entries()) {
          const [type = '', list] = rows[0]?.takes[place]?.split(/(?=\[])/) ?? [];
          expect([one, allowed[one], list]).toEqual([
            one,
            expect.arrayContaining([shortName(type)]),
            one.endsWith('_list') ? '[]' : undefined,
          ]);
        }
        if (declared.columns === undefined) continue;
        const found = await fieldsOf(client, numbered, taken.length);
        expect(Object.keys(found).toSorted()).toEqual(names(name, columns));
        for (const [one, types] of Object.entries(typesOf(columns)))
          expect([one, types]).toEqual([one, expect.arrayContaining([found[one]])]);
      }
    });
  });

  /** The names of the columns that a statement returns, each with the name of its type. */
  async function fieldsOf(
    client: pg.Client,
    text: string,
    parameters: number,
  ): Promise<Readonly<Record<string, string>>> {
    const { fields } = await client.query(
      `EXECUTE asked_0${parameters === 0 ? '' : `(${Array(parameters).fill('NULL').join(', ')})`}`,
    );
    const { rows } = await client.query<{ oid: number; typname: string }>(
      'SELECT oid::int, typname FROM pg_type',
    );
    const types = new Map(rows.map(({ oid, typname }) => [oid, typname]));
    return Object.fromEntries(fields.map(({ name, dataTypeID }) => [name, types.get(dataTypeID) ?? text]));
  }
});

/** The short name of a type that has two. */
function shortName(type: string): string {
  return { bigint: 'int8', integer: 'int4', boolean: 'bool' }[type] ?? type;
}
