/** Reads untrusted input: in processes with limits or, for tests, in the calling process. */
export { inlineReader } from './inline-reader.ts';
export { processReader } from './process-reader.ts';
