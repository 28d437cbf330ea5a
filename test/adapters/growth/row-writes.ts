import { randomBytes } from 'node:crypto';
import { TEXTS } from '../../../adapters/sql/statement-text.ts';
import { writeText } from '../../../adapters/sql/write-text.ts';
import { openDatabase, storeNowMs } from '../../../adapters/sqlite/database.ts';
import { sqliteStore } from '../../../adapters/sqlite/store.ts';
import { rememberedRelocated } from '../../../core/accounts/known-storage.ts';
import { approvalStatements, plans } from '../../../core/approvals/approval-state.ts';
import { callStatements } from '../../../core/keys/call-state.ts';
import { secrets } from '../../../core/keys/key-state.ts';
import { devices } from '../../../core/owners/password-state.ts';
import { createStorage } from '../../../core/service/create-storage.ts';
import { type RowChange, remove, update } from '../../../core/state/change.ts';
import type { Queries, Query, Statement } from '../../../core/state/query.ts';
import type { StateStore, Verdict } from '../../../core/state/store.ts';
import { movedIntoInbox } from '../../../core/watching/inbox-state.ts';
import { rememberedMovedIn } from '../../../core/watching/inbox-storage.ts';
import { everyVerbScene, VERBS } from '../../contracts/storage/every-verb.ts';
import type { Scale } from './filled-tables.ts';
import { type Case, hasValue, type Value, valueFor } from './statement-values.ts';

/** A statement that writes a row by its key. */
export interface RowWrite {
  readonly name: string;
  /** @param prefix  before the name of a table */
  text(prefix: string): string;
  /** The values of a change that a verb made, for rows of `filled-tables.ts`; an insert has a key of its own. */
  valueFor(name: string, scale: Scale, which: Case): Value;
}

const OF_OWNER = { ownerId: 'owner0' };
const NOON = new Date('2026-03-10T12:00:00.000Z');
/** Changes that no verb makes in its scene. */
const OTHERS: readonly RowChange[] = [
  update(
    plans,
    { ...OF_OWNER, approvalId: 'apr_1' },
    { sealedPlan: 'plan', sealedGist: 'gist', sealedAsked: 'asked' },
  ),
  rememberedRelocated('owner0', ['mark1']),
  update(devices, { ...OF_OWNER, deviceHash: 'device1' }, { failures: 0, lastMs: 0 }),
  remove(devices, { ...OF_OWNER, deviceHash: 'device1' }),
  rememberedMovedIn('owner0', { accountId: 1, identity: 'identity1' }, NOON),
  remove(movedIntoInbox, { ...OF_OWNER, accountId: 1, identity: 'identity1' }),
  remove(secrets, { secretHash: 'secret0/1' }),
];

const { approvals_of_owner, open_of_owner, ended_of_owner } = approvalStatements;
const { approvals_of_credential, open_of_credential, ended_of_credential } = approvalStatements;
/** Statements that no verb uses in its scene. */
const UNASKED: readonly Statement[] = [
  approvals_of_owner,
  open_of_owner,
  ended_of_owner,
  approvals_of_credential,
  open_of_credential,
  ended_of_credential,
  callStatements.usage_of_credential,
];

/** What the verbs of storage ask and write. */
export interface Collected {
  readonly writes: readonly RowWrite[];
  /** The statements that a verb used. */
  readonly statements: ReadonlySet<Statement>;
}

/** Calls every verb of storage. @throws Error if a statement with a text of its own was not used */
export async function collected(): Promise<Collected> {
  const changes: RowChange[] = [...OTHERS];
  const statements = new Set<Statement>(UNASKED);
  for (const [name, verb] of Object.entries(VERBS)) {
    const store = sqliteStore(openDatabase(':memory:'), storeNowMs);
    // Removing all rows of an owner costs what the owner has.
    const noted = name === 'removeOwner' ? [] : changes;
    const storage = createStorage(noting(store, noted, statements), randomBytes);
    await verb(storage, await everyVerbScene(storage));
    await storage.close();
  }
  const names = new Set(Array.from(statements, ({ name }) => name));
  for (const change of changes) if (change.op === 'run') names.add(change.statement);
  const missing = Object.keys(TEXTS).filter((name) => !names.has(name));
  if (missing.length > 0) throw new Error(`no verb uses these here: ${missing.join(', ')}`);
  const found = new Map<string, RowWrite>();
  for (const write of changes) {
    if (write.op === 'run' || write.op === 'put_rows') continue;
    const name = `${write.op} ${write.table}`;
    found.set(`${name} ${writeText(write, '')}`, {
      name,
      text: (prefix) => writeText(write, prefix),
      valueFor: (column, scale, which) => {
        const made = write.key[column];
        if (column === 'owner_id') return valueFor(column, scale, which);
        if (made === undefined) return (write.op === 'delete' ? undefined : write.values[column]) ?? null;
        if (write.op === 'insert') return typeof made === 'number' ? made + 1_000_000 : made;
        return hasValue(column) ? valueFor(column, scale, which) : made;
      },
    });
  }
  return { writes: [...found.values()], statements };
}

function noting(store: StateStore, changes: RowChange[], statements: Set<Statement>): StateStore {
  const note = <Asked extends Queries>(queries: Asked): Asked => {
    for (const { statement } of Object.values(queries)) statements.add(statement);
    return queries;
  };
  const noteOne = <Result>(query: Query<Result>): Query<Result> => {
    statements.add(query.statement);
    return query;
  };
  const written = <Each extends Verdict<unknown>>(verdict: Each): Each => {
    for (const change of verdict.changes) changes.push(change);
    return verdict;
  };
  return {
    ...store,
    unit: (commit, lock, queries, judge) =>
      store.unit(commit, lock, note(queries), (found, nowMs) => written(judge(found, nowMs))),
    dueUnit: (commit, owners, queries, judge) =>
      store.dueUnit(
        commit,
        noteOne(owners),
        (ownerIds, storeNow) => note(queries(ownerIds, storeNow)),
        (found, nowMs) => written(judge(found, nowMs)),
      ),
    look: (queries) => store.look(note(queries)),
    execute(executed) {
      changes.push(...executed);
      return store.execute(executed);
    },
    apply(ownerId, applied) {
      changes.push(...applied);
      return store.apply(ownerId, applied);
    },
  };
}
