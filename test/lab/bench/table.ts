/** A line of the result. */
export interface Row {
  readonly name: string;
  readonly unit: 'calls/s' | 'ms' | 'µs' | 'MB' | 'KB' | 'MB/s' | 'tokens' | '';
  readonly ours?: number;
  readonly reference?: number;
  readonly ratio?: number;
  /** For the ratio if there is one, otherwise for `ours`. Undefined: shown for information only. */
  readonly bound?: { readonly least: number } | { readonly most: number };
}

/** Column widths; longer text overflows. */
const WIDTHS = [74, 7, 9, 9, 6, 7, 6];

export function printHead(): void {
  printCells(['', 'unit', 'ours', 'reference', 'ratio', 'bound', '']);
}

export function printRows(rows: readonly Row[]): void {
  for (const row of rows) printCells(cells(row));
}

/**
 * Says at the end which bounds were missed, because the table is long.
 * @returns whether every bound is kept
 */
export function printMissed(rows: readonly Row[]): boolean {
  const missed = rows.filter(
    (row) => row.bound !== undefined && !isWithin(row.ratio ?? row.ours ?? Number.NaN, row.bound),
  );
  console.log(missed.length === 0 ? '\nEvery bound is kept.' : '\nMissed:');
  // The name of an indented row belongs to the row above it.
  const nameOf = (row: Row) => {
    const head = rows.slice(0, rows.indexOf(row) + 1).findLast(({ name }) => !name.startsWith(' '));
    return head === row || head === undefined ? row.name : `${head.name}: ${row.name.trim()}`;
  };
  printRows(missed.map((row) => ({ ...row, name: nameOf(row) })));
  return missed.length === 0;
}

function printCells(texts: readonly string[]): void {
  const padded = texts.map((text, column) => {
    const width = WIDTHS[column] ?? 0;
    return column < 2 ? text.padEnd(width) : text.padStart(width);
  });
  console.log(padded.join('  ').trimEnd());
}

function cells({ name, unit, ours, reference, ratio, bound }: Row): string[] {
  return [
    name,
    unit,
    ours === undefined ? '' : figure(ours),
    reference === undefined ? '' : figure(reference),
    ratio === undefined ? '' : ratio.toFixed(2),
    bound === undefined ? '' : 'least' in bound ? `>= ${bound.least}` : `<= ${bound.most}`,
    bound === undefined ? '' : isWithin(ratio ?? ours ?? Number.NaN, bound) ? 'ok' : 'MISSED',
  ];
}

function isWithin(value: number, bound: NonNullable<Row['bound']>): boolean {
  return 'least' in bound ? value >= bound.least : value <= bound.most;
}

function figure(value: number): string {
  if (Number.isInteger(value) || value >= 1000) return String(Math.round(value));
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
