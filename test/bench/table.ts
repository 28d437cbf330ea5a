/** A line of the result. */
export interface Row {
  readonly name: string;
  readonly unit: 'calls/s' | 'ms' | 'µs' | 'MB' | 'KB' | '';
  readonly ours: number;
  readonly reference?: number;
  readonly ratio?: number;
  /** Of the ratio, where there is one, else of `ours`. None: shown for information. */
  readonly bound?: { readonly least: number } | { readonly most: number };
}

const HEAD = ['', 'unit', 'ours', 'reference', 'ratio', 'bound', ''];

export function printTable(rows: readonly Row[]): void {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    const padded = line.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(padded.join('  ').trimEnd());
  }
}

function cells({ name, unit, ours, reference, ratio, bound }: Row): string[] {
  return [
    name,
    unit,
    figure(ours),
    reference === undefined ? '' : figure(reference),
    ratio === undefined ? '' : ratio.toFixed(2),
    bound === undefined ? '' : 'least' in bound ? `>= ${bound.least}` : `<= ${bound.most}`,
    bound === undefined ? '' : isWithin(ratio ?? ours, bound) ? 'ok' : 'MISSED',
  ];
}

function isWithin(value: number, bound: NonNullable<Row['bound']>): boolean {
  return 'least' in bound ? value >= bound.least : value <= bound.most;
}

function figure(value: number): string {
  if (Number.isInteger(value) || value >= 1000) return String(Math.round(value));
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
