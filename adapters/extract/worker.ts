import { doJobs } from '../process/do-jobs.ts';
import { limitByteArrays } from './byte-array-limit.ts';
import { documentText } from './document-text.ts';
import { Job } from './job.ts';

/** The process that reads documents of strangers. */

/** More than the largest document, and a power of two: the last doubling that is allowed. */
const MAX_ARRAY_BYTES = 32 * 1024 * 1024;
limitByteArrays(MAX_ARRAY_BYTES);

doJobs((job) => {
  const { bytes, name, mime } = Job.parse(job);
  return documentText(bytes, { name, mime });
});
