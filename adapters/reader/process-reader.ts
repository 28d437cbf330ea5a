import { checkOptions } from '../../core/contract/options.ts';
import type { Reader } from '../../core/ports/reader.ts';
import { installedWorker } from '../process/installed-worker.ts';
import { processPool, USUAL_BOUNDS } from '../process/process-pool.ts';
import { poolReader } from './pool-reader.ts';

/** Every read needs a process, and starting one takes as long as reading a hundred messages. */
const IDLE_MS = 10 * 60_000;

/**
 * Reads in child processes, which are killed if they use too much CPU time or memory.
 * @param options.workerFile the bundled `worker.ts`. Set it if you bundle this package into your program; by default it is
 * found in the installed package
 */
export function processReader(options: { readonly workerFile?: string } = {}): Reader {
  checkOptions('processReader', options, { workerFile: ['optional', 'string'] });
  const file = () => options.workerFile ?? installedWorker('reader');
  return poolReader(processPool(file, { ...USUAL_BOUNDS, idleMs: IDLE_MS }));
}
