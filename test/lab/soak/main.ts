import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { sampleOf } from './fuzzed.ts';
import { KINDS, type Kind, sampleName } from './protocol.ts';
import { readSeeds } from './seeds.ts';
import { type Fault, faultsOf, reduced, soak, soakLines } from './soak.ts';

/*
 * npm run soak -- [COUNT [SEED]] [--kinds mime,html,ics,caldav,document]
 * npm run soak -- --minutes N [SEED] [--kinds …]
 * npm run soak -- --replay KIND SEED
 * run.mjs bundles it with its player. Each fault is written to a file, shrunk as far as possible.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    documents: { type: 'string', default: '' },
    minutes: { type: 'string' },
    kinds: { type: 'string', default: KINDS.join(',') },
    replay: { type: 'boolean', default: false },
  },
});
const files = {
  playerFile: join(import.meta.dirname, 'player.mjs'),
  workerFile: join(import.meta.dirname, 'worker.mjs'),
  documents: values.documents,
};

const REDUCING_TRIES = 200;
const REDUCING_MS = 120_000;
const FAULTS_REDUCED = 5;

/** Writes the smallest bytes that still fail in the same way. @returns the file */
async function reproduction(fault: Fault): Promise<string> {
  const raw = sampleOf(await readSeeds(files.documents), fault);
  // Two faults that differ only in numbers count as the same.
  const kindOf = (what: string) => what.replace(/\d+/g, '').slice(0, 60);
  const fails = async (bytes: Buffer) =>
    (await faultsOf(files, fault, { bytes: { raw: bytes } })).some(
      (what) => kindOf(what) === kindOf(fault.what),
    );
  const until = Date.now() + REDUCING_MS;
  const smallest = (await fails(raw)) ? await reduced(raw, fails, { tries: REDUCING_TRIES, until }) : raw;
  const file = join(await mkdtemp(join(tmpdir(), 'countersign-soak-')), `${fault.kind}-${fault.seed}`);
  await writeFile(file, smallest);
  return `${file} (${smallest.length} of ${raw.length} bytes)`;
}

function faultLine({ kind, seed, what }: Fault): string {
  return `--replay ${kind} ${seed}: ${what}`;
}

async function replay([kind, seed]: readonly string[]): Promise<readonly Fault[]> {
  const sample = sampleName.parse({ kind, seed: Number(seed) });
  return (await faultsOf(files, sample)).map((what) => ({ ...sample, what }));
}

async function run(): Promise<readonly Fault[]> {
  const kinds: Kind[] = z.array(z.enum(KINDS)).min(1).parse(values.kinds.split(','));
  const minutes =
    values.minutes === undefined ? undefined : z.coerce.number().positive().parse(values.minutes);
  const [count, seed] =
    minutes === undefined ? [positionals[0] ?? '100000', positionals[1]] : [undefined, positionals[0]];
  const options = {
    ...files,
    kinds,
    seed: z.coerce
      .number()
      .int()
      .parse(seed ?? '1'),
    ...(count === undefined ? {} : { count: z.coerce.number().int().positive().parse(count) }),
    ...(minutes === undefined ? {} : { until: Date.now() + minutes * 60_000 }),
    onFault: (fault: Fault) => console.log(faultLine(fault)),
    progress: (played: number, faults: number) => console.error(`${played} played, ${faults} faults`),
  };
  const report = await soak(options);
  console.log(soakLines(options, report));
  return report.faults;
}

const faults = values.replay ? await replay(positionals) : await run();
for (const [at, fault] of faults.entries()) {
  console.log(faultLine(fault));
  if (at < FAULTS_REDUCED) console.log(`  smallest: ${await reproduction(fault)}`);
}
if (values.replay && faults.length === 0) console.log('nothing is wrong with it');
process.exitCode = faults.length === 0 ? 0 : 1;
