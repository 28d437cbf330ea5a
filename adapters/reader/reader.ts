/** Reading what strangers wrote: in processes with limits, or, for tests, in the process that asks. */
export { inlineReader } from './inline-reader.ts';
export { processReader } from './process-reader.ts';
