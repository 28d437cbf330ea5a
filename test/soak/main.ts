import { join } from 'node:path';
import { soak, soakLine } from './soak.ts';

// npm run soak [-- COUNT [SEED]]: see soak.ts. It is bundled with its player by run.mjs.
const [count = '100000', seed = '1', documents = ''] = process.argv.slice(2);
const options = {
  count: Number(count),
  seed: Number(seed),
  playerFile: join(import.meta.dirname, 'player.mjs'),
  workerFile: join(import.meta.dirname, 'worker.mjs'),
  documents,
  progress: (played: number, faults: number) => console.error(`${played} played, ${faults} faults`),
};
if (!Number.isInteger(options.count) || !Number.isInteger(options.seed)) {
  throw new TypeError('COUNT and SEED are whole numbers.');
}
const report = await soak(options);
for (const { number, what } of report.faults) console.log(`message ${number}: ${what}`);
console.log(soakLine(options, report));
process.exitCode = report.faults.length === 0 ? 0 : 1;
