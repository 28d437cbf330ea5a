import type { Dialect } from '../../../adapters/sql/dialect.ts';
import { queryText, TEXTS } from '../../../adapters/sql/statement-text.ts';
import { casesOf } from '../../only-long.ts';
import type { Scale } from './filled-tables.ts';
import type { Collected } from './row-writes.ts';
import { CASES, type Case, type Value, valueFor } from './statement-values.ts';

/** Finds the statements of a database that cost more the more is stored, although they return or change no more. */

/** A statement with values for one case. */
export interface Measurable {
  /** The statement and the case. */
  readonly name: string;
  readonly text: string;
  /** The names of its parameters, without the `@`. */
  readonly names: readonly string[];
  valueFor(name: string, scale: Scale): Value;
}

/** What a statement costs at one size. */
export interface Cost {
  /** Pages or buffers that were read. */
  readonly pages: number;
  /** Rows that were returned, changed or counted. */
  readonly rows: number;
}

/** Measures each statement on a new database that is filled to this scale. */
export type Measure = (
  scale: Scale,
  statements: readonly Measurable[],
) => Promise<ReadonlyMap<Measurable, Cost>>;

const SIZES = casesOf('growth: sizes', [1000, 10_000, 100_000], (rows) => rows <= 10_000);

/** @returns a line for each statement that grows, measured at sizes up to the first at which that shows */
export async function growing(
  statements: readonly Measurable[],
  owners: number,
  measure: Measure,
): Promise<string[]> {
  const found: string[] = [];
  let left = statements;
  let small: ReadonlyMap<Measurable, Cost> | undefined;
  for (const rows of SIZES) {
    const costs = await measure({ rows, owners }, left);
    small ??= costs;
    const fine: Measurable[] = [];
    for (const one of left) {
      const [before, now] = [small.get(one), costs.get(one)];
      if (before === undefined || now === undefined) throw new Error(`${one.name} was not measured`);
      if (!outgrows(before, now)) fine.push(one);
      else {
        found.push(
          `${one.name}: ${before.pages} pages for ${before.rows} rows with ${SIZES[0]} stored, ` +
            `${now.pages} for ${now.rows} with ${rows}`,
        );
      }
    }
    left = fine;
  }
  return found;
}

/** In deeper indexes each row costs more. */
const DEEPER = 2.5;
const MORE_PER_ROW = 4;
const MORE = 24;

function outgrows(before: Cost, now: Cost): boolean {
  const rows = Math.max(now.rows, 1);
  const perRow = before.pages / Math.max(before.rows, 1);
  return now.pages > (perRow * DEEPER + MORE_PER_ROW) * rows + MORE;
}

/** All statements that modules export, those that core declared, and those that write rows, each in every case. */
export function measurables(
  modules: readonly object[],
  { writes, statements }: Collected,
  dialect: Dialect,
): readonly Measurable[] {
  const { prefix } = dialect;
  const declared = {
    ...Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, text(dialect)])),
    ...Object.fromEntries(Array.from(statements, (one) => [one.name, queryText(one, dialect)])),
  };
  const texts = [...modules, declared].flatMap(textsIn).map(({ name, text }) => ({ name, text, valueFor }));
  const rows = writes.map((one) => ({ name: one.name, text: one.text(prefix), valueFor: one.valueFor }));
  return [...texts, ...rows].flatMap((one) =>
    CASES.map((which: Case) => ({
      name: `${one.name} (${which})`,
      text: one.text,
      names: [...new Set([...one.text.matchAll(/@(\w+)/g)].map(([, name = '']) => name))],
      valueFor: (name: string, scale: Scale) => one.valueFor(name, scale, which),
    })),
  );
}

/** The texts in a module or an object, each with its name there. */
function textsIn(value: object): { readonly name: string; readonly text: string }[] {
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) => {
    if (typeof one === 'string') return [{ name, text: one }];
    if (typeof one !== 'object' || one === null) return [];
    return textsIn(one).map((inner) => ({ ...inner, name: `${name}.${inner.name}` }));
  });
}

/** How many rows a result stands for: one that counts stands for what it counts. */
export function rowsIn(text: string, rows: readonly object[]): number {
  const [only] = rows;
  if (rows.length !== 1 || only === undefined || !text.includes('count(*)')) return rows.length;
  return Math.max(1, ...Object.values(only).map(Number).filter(Number.isFinite));
}
