import type { Reader } from '../../core/ports/reader.ts';
import { JOBS } from '../../core/reading/jobs.ts';
import type { ProcessPool } from '../process/process-pool.ts';

/** The largest attachment that is fetched: its encoded size, with the header. */
const MAX_BYTES = 40 * 1024 * 1024;

/** Reads in the processes of this pool, which run `worker.ts`. */
export function poolReader(pool: ProcessPool): Reader {
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
