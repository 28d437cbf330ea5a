import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import type { Reader } from '../../core/ports/reader.ts';
import { JOBS, type JobInput, type JobName, type JobOutput } from '../../core/reading/jobs.ts';
import { processPool, USUAL_BOUNDS } from '../process/process-pool.ts';

/** The largest attachment that is fetched, as it is encoded, with its header. */
const MAX_BYTES = 40 * 1024 * 1024;

/**
 * Reads in processes of its own, which are ended when they take too long or too much memory. What is short enough is
 * read where it is, without a process.
 * @param options.workerFile the bundled `worker.ts`, for a program that is bundled with this package in it; else it is
 * found in the installed package
 */
export function processReader(options: { readonly workerFile?: string } = {}): Reader {
  const file = () =>
    options.workerFile ?? createRequire(import.meta.url).resolve('countersign/reader/worker');
  const pool = processPool(file, USUAL_BOUNDS);
  return {
    async read(name, input, { signal }) {
      signal.throwIfAborted();
      const short = readShort(name, input);
      if (short !== undefined) {
        // Somebody may read many of them one after the other.
        await setImmediate();
        return { kind: 'read', value: short };
      }
      const bytes = heldBytes(input);
      if (bytes > MAX_BYTES) return { kind: 'unreadable', reason: 'too_large' };
      const ended = await pool.run({ name, input }, bytes, JOBS[name].output, signal);
      if (ended.kind === 'answered') return { kind: 'read', value: ended.answer };
      return { kind: 'unreadable', reason: ended.reason };
    },
    close: () => pool.close(),
  };
}

function readShort<K extends JobName>(name: K, input: JobInput<K>): JobOutput<K> | undefined {
  try {
    return JOBS[name].readShort?.(input);
  } catch {
    // A process says what becomes of it.
    return undefined;
  }
}

/** Inputs are shallow. */
function heldBytes(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + heldBytes(one), 0);
}
