import { execFileSync } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { generate, missingPackages } from '../../corpus/generators.ts';
import { startChild } from './child.ts';
import type { Row } from './table.ts';

export const cpuQuestion = z.object({ files: z.array(z.string()), rounds: z.int().min(1) });
/** Seconds of CPU time for one round. */
export type CpuAnswer = z.infer<typeof cpuAnswer>;
const cpuAnswer = z.number();

const ROUNDS = 5;

/** From the folder of the bundle. */
const MAKE = join(import.meta.dirname, '../../../../test/corpus/make');

/** Debian's programs that read a type. `unzip` only unpacks it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  doc: 'catdoc',
  docx: 'unzip -p',
  epub: 'unzip -p',
  ods: 'unzip -p',
  odt: 'unzip -p',
  pdf: 'pdftotext - -',
  ppt: 'catppt',
  pptx: 'unzip -p',
  rtf: 'catdoc',
  xls: 'xls2csv',
  xlsx: 'unzip -p',
};
const OWN_TYPES = ['csv', 'html', 'txt'];

/** Megabytes of documents read in a second of CPU time, by type, against the programs that are made for them. */
export async function readingThroughput(): Promise<Row[]> {
  const missing = [...missingPackages('documents'), ...missingPackages('tools')];
  if (missing.length > 0) return [{ name: `documents by type: needs ${missing.join(', ')}`, unit: '' }];
  const folder = await generate('documents', { make: MAKE });
  const reader = startChild('reading-cpu');
  try {
    const names = (await readdir(folder)).sort();
    const rows: Row[] = [];
    for (const type of [...Object.keys(PROGRAMS), ...OWN_TYPES].sort()) {
      const files = names.filter((name) => name.endsWith(`.${type}`)).map((name) => join(folder, name));
      const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
      const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
      const program = PROGRAMS[type];
      const ours = megabytes / (await reader.ask({ files, rounds: ROUNDS }, cpuAnswer));
      const reference = program === undefined ? undefined : megabytes / cpuSecondsOf(program, files);
      rows.push({
        name: `${type}: MB per CPU second${program === undefined ? '' : `, against ${program.split(' ')[0]}`}`,
        unit: 'MB/s',
        ours,
        ...(reference === undefined ? {} : { reference, ratio: ours / reference }),
      });
    }
    return rows;
  } finally {
    await reader.stop();
    await rm(folder, { recursive: true });
  }
}

/** Starts the program once for each file, as its users do. */
function cpuSecondsOf(program: string, files: readonly string[]): number {
  const command = program.includes(' - -') ? `${program.replace(' - -', '')} "$f" -` : `${program} "$f"`;
  // The second line of `times` is the time of the children.
  const script = `for f in "$@"; do ${command}; done >/dev/null 2>&1; times`;
  const shown = execFileSync('/bin/bash', ['-c', script, 'bash', ...files], { encoding: 'utf8' });
  const [, user, system] = /\n(\S+) (\S+)\s*$/.exec(shown) ?? [];
  return secondsIn(user) + secondsIn(system);
}

/** `0m1.250s` */
function secondsIn(time = ''): number {
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(time) ?? [];
  return 60 * z.coerce.number().parse(minutes) + z.coerce.number().parse(seconds);
}
