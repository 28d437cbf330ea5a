import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes a program that reports it is ready and then runs this code for each `job`. @returns its path, as a pool wants it */
export async function processThat(does: string): Promise<() => string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-process-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'worker.mjs');
  await writeFile(
    file,
    `let jobs = 0;
     process.on('message', ({ job }) => { jobs++; ${does} });
     process.on('disconnect', () => process.exit());
     process.send('ready');`,
  );
  return () => file;
}
