import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { bundleForChild } from '../../run-typescript.ts';

/** Writes a program that reports it is ready and then runs this code for each `job`. @returns its path, as a pool wants it */
export function processThat(does: string): Promise<() => string> {
  return programOf(`
    let jobs = 0;
    process.on('message', ({ job }) => { jobs++; ${does} });
    process.on('disconnect', () => process.exit());
    process.send('ready');`);
}

/** The same with Countersign's own loop and its limits. The code returns the answer to a `job`. */
export async function processThatWorks(does: string): Promise<() => string> {
  const loop = await bundleForChild(resolve(import.meta.dirname, '../../../adapters/process/do-jobs.ts'));
  return programOf(`
    import { doJobs } from ${JSON.stringify(loop)};
    const kept = [];
    doJobs(async (job) => { ${does} });`);
}

async function programOf(source: string): Promise<() => string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-process-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'worker.mjs');
  await writeFile(file, source);
  return () => file;
}
