import { createInterface } from 'node:readline';
import type { Storage } from '../../core/ports/storage.ts';
import { JOBS, type RacerJob } from './storage/race-jobs.ts';

/**
 * Runs one racer: the main function of the script that `storageContract` starts. Each line on its stdin is a job. The racer
 * opens the store that the job names, reports that it is ready, and waits. When it is told to go, it does the job and writes
 * its answer as one line of JSON. It ends with its stdin.
 */
export async function race(open: (location: string) => Storage): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const { location, ...job } = JSON.parse(line.value) as RacerJob;
    const storage = open(location);
    await storage.healthy();
    process.stdout.write('ready\n');
    await lines.next();
    const result = await JOBS[job.name](storage, job, (told) => process.stdout.write(`${told}\n`));
    await storage.close();
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}
