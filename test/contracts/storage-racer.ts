import { createInterface } from 'node:readline';
import type { Storage } from '../../core/ports/storage.ts';
import { JOBS, type Job } from './storage/race-jobs.ts';

/**
 * Runs one racer: the main function of the script that `storageContract` starts. Opens the store at the
 * location given by its first argument, reports that it is ready, and waits. When it is told to go, it does
 * the job given by its second argument and writes its answer as one line of JSON.
 */
export async function race(open: (location: string) => Storage): Promise<void> {
  const [, , location, work] = process.argv;
  if (location === undefined || work === undefined) throw new Error('a racer needs a location and a job');
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
