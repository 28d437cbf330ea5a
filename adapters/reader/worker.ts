import * as z from 'zod';
import { doOrderedJob } from '../../core/readers/do-job.ts';
import { JOBS, type JobName } from '../../core/reading/jobs.ts';
import { doJobs } from '../process/do-jobs.ts';

/** The child process that reads untrusted input. */

const Order = z.object({
  name: z.custom<JobName>((name) => typeof name === 'string' && Object.hasOwn(JOBS, name)),
  input: z.unknown(),
});

doJobs((job) => {
  const { name, input } = Order.parse(job);
  return doOrderedJob(name, input);
});
