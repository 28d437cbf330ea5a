import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEXTS } from '../../../adapters/sql/statement-text.ts';
import { writesOf, writeText } from '../../../adapters/sql/writes.ts';
import { openDatabase, storeNowMs } from '../../../adapters/sqlite/database.ts';
import { sqliteStore } from '../../../adapters/sqlite/store.ts';
import { devices } from '../../../core/owners/password-state.ts';
import type { Change, Store } from '../../../core/ports/store.ts';
import { type RowChange, remove, update } from '../../../core/state/change.ts';
import type { Queries, Statement } from '../../../core/state/query.ts';
import { createStorage } from '../../../core/storage/create-storage.ts';
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
const OTHERS: readonly (Change | RowChange)[] = [
  {
    ...{ ...OF_OWNER, type: 'replace_plan', approvalId: 'apr_1' },
    plan: { sealedPlan: 'plan', sealedGist: 'gist', sealedAsked: 'asked' },
  },
  { ...OF_OWNER, type: 'remember_relocated', marks: ['mark1'] },
  update(devices, { ...OF_OWNER, deviceHash: 'device1' }, { failures: 0, lastMs: 0 }),
  remove(devices, { ...OF_OWNER, deviceHash: 'device1' }),
  { ...OF_OWNER, type: 'remember_moved_in', accountId: 1, identity: 'identity1', now: NOON },
  { ...OF_OWNER, type: 'forget_moved_in', accountId: 1, identity: 'identity1' },
  { ...OF_OWNER, type: 'remove_secret', credentialId: 'key1', secretHash: 'secret0/1' },
];

/** What the verbs of storage ask and write. */
export interface Collected {
  readonly writes: readonly RowWrite[];
  /** The statements that core declared, and that a verb used. */
  readonly statements: ReadonlySet<Statement>;
}

/** Calls every verb of storage. @throws Error if a kind of change was never made, or a statement with a text of its own not used */
export async function collected(): Promise<Collected> {
  const changes: (Change | RowChange)[] = [...OTHERS];
  const statements = new Set<Statement>();
  for (const [name, verb] of Object.entries(VERBS)) {
    const store = sqliteStore(openDatabase(':memory:'), storeNowMs);
    // Removing all rows of an owner costs what the owner has.
    const noted = name === 'removeOwner' ? [] : changes;
    const storage = createStorage(noting(store, noted, statements), randomBytes);
    await verb(storage, await everyVerbScene(storage));
    await storage.close();
  }
  const missing = kindsOfChange().filter(
    (kind) => !changes.some((one) => 'type' in one && one.type === kind),
  );
  const names = new Set(Array.from(statements, ({ name }) => name));
  for (const change of changes) if ('op' in change && change.op === 'run') names.add(change.statement);
  missing.push(...Object.keys(TEXTS).filter((name) => !names.has(name)));
  if (missing.length > 0) throw new Error(`no verb makes these changes here: ${missing.join(', ')}`);
  const found = new Map<string, RowWrite>();
  for (const change of changes) {
    for (const write of writesOf(change)) {
      if (write.op === 'run' || write.op === 'put_rows') continue;
      const name = `${'type' in change ? change.type : 'change'}: ${write.op} ${write.table}`;
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
  }
  return { writes: [...found.values()], statements };
}

function noting(store: Store, changes: (Change | RowChange)[], statements: Set<Statement>): Store {
  const note = (queries: Queries) => {
    for (const { statement } of Object.values(queries)) statements.add(statement);
  };
  return {
    ...store,
    ownerUnit(commit, ownerId, queries, judge) {
      note(queries);
      return store.ownerUnit(commit, ownerId, queries, (found, nowMs) => {
        const judged = judge(found, nowMs);
        changes.push(...judged.changes);
        return judged;
      });
    },
    countersUnit(commit, lock, queries, judge) {
      note(queries);
      return store.countersUnit(commit, lock, queries, (found, nowMs) => {
        const judged = judge(found, nowMs);
        changes.push(...judged.changes);
        return judged;
      });
    },
    look(queries) {
      note(queries);
      return store.look(queries);
    },
    unit: (commit, need, judge) =>
      store.unit(commit, need, (facts, nowMs) => {
        const judged = judge(facts, nowMs);
        changes.push(...judged.changes);
        return judged;
      }),
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

/** From the source of the type: it has no values at run time. */
function kindsOfChange(): string[] {
  const source = readFileSync(join(import.meta.dirname, '../../../core/ports/store.ts'), 'utf8');
  const union = /^export type Change =[\s\S]*?;\n\n/m.exec(source)?.[0] ?? '';
  return [...union.matchAll(/readonly type: '(\w+)'/g)].map(([, kind = '']) => kind);
}
