import type { Queries, ResultsOf } from '../../core/state/query.ts';
import type { Dialect } from './dialect.ts';
import type { Load } from './query.ts';
import { queryText } from './statement-text.ts';

/** The queries that core declared, as a load. */
export function loadOf<Asked extends Queries>(asked: Asked, dialect: Dialect): Load<ResultsOf<Asked>>;
export function loadOf(asked: Queries, dialect: Dialect): Load<Readonly<Record<string, unknown>>> {
  const entries = Object.entries(asked);
  return {
    queries: entries.map(([, query]) => ({
      statement: { name: query.statement.name, text: queryText(query.statement, dialect) },
      values: query.values,
    })),
    read: (...results) =>
      Object.fromEntries(entries.map(([name, { read }], at) => [name, read(results[at] ?? [])])),
  };
}
