import { createInterface } from 'node:readline';
import type { Storage } from '../../core/ports/storage.ts';
import { JOBS, type Job } from './storage/race-jobs.ts';

/**
 * The process of one racer, for the script that `storageContract` is given: opens the store that its first argument locates, says that it is ready, and at the word
 * does the job of its second argument. The answer is one line of JSON.
 */
export async function race(open: (location: string) => Storage): Promise<void> {
  const [, , location, work] = process.argv;
  if (location === undefined || work === undefined) throw new Error('a racer is told a location and a job');
  const job = JSON.parse(work) as Job;
  const storage = open(location);
  await storage.healthy();
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  process.stdout.write('ready\n');
  await lines.next();
  const result = await JOBS[job.name](storage, job, (line) => process.stdout.write(`${line}\n`));
  await storage.close();
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.stdin.destroy();
}
