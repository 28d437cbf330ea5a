import { createRequire } from 'node:module';
import { checkOptions } from '../../core/contract/options.ts';
import type { Reader } from '../../core/ports/reader.ts';
import { JOBS } from '../../core/reading/jobs.ts';
import { type ProcessPool, processPool, USUAL_BOUNDS } from '../process/process-pool.ts';

/** The largest attachment that is fetched: its encoded size, with the header. */
const MAX_BYTES = 40 * 1024 * 1024;

/** Every read needs a process, and starting one takes as long as reading a hundred messages. */
const IDLE_MS = 10 * 60_000;

/**
 * Reads in child processes, which are killed if they use too much CPU time or memory.
 * @param options.workerFile the bundled `worker.ts`. Set it if you bundle this package into your program; by default it is
 * found in the installed package
 */
export function processReader(options: { readonly workerFile?: string } = {}): Reader {
  checkOptions('processReader', options, { workerFile: ['optional', 'string'] });
  const file = () =>
    options.workerFile ?? createRequire(import.meta.url).resolve('countersign/reader/worker');
  return readerOn(processPool(file, { ...USUAL_BOUNDS, idleMs: IDLE_MS }));
}

/** Reads in the processes of this pool, which run `worker.ts`. */
export function readerOn(pool: ProcessPool): Reader {
  return {
    async read(name, input, { ownerId, signal }) {
      signal.throwIfAborted();
      const bytes = heldBytes(input);
      if (bytes > MAX_BYTES) return { kind: 'unreadable', reason: 'too_large' };
      const { output, maxCpuMs, work } = JOBS[name];
      const what = [name, work === undefined ? input : work(input)];
      const ended = await pool.run(
        { name, input },
        { ownerId, bytes, work: what, answer: output, signal, maxCpuMs },
      );
      if (ended.kind === 'answered') return { kind: 'read', value: ended.answer };
      return { kind: 'unreadable', reason: ended.reason };
    },
    close: () => pool.close(),
  };
}

/** Recurses: inputs are shallow. */
function heldBytes(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + heldBytes(one), 0);
}
