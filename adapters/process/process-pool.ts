import type { z } from 'zod';
import { ServiceError } from '../../core/contract/errors.ts';
import { type BoundedProcess, boundedProcess, type JobEnd, type ProcessBounds } from './bounded-process.ts';

/** A pool of processes that serves all callers, oldest job first. */
export interface ProcessPool {
  /**
   * @param bytes the memory that the job holds while it waits
   * @param maxCpuMs the limit for this job, if it is lower than that of the bounds
   * @throws the signal's reason if that aborts; ServiceError `temporarily_unavailable` if too many jobs wait or no
   * process can start; an Error after the pool was closed
   */
  run<T>(
    job: unknown,
    bytes: number,
    answer: z.ZodType<T>,
    signal: AbortSignal,
    maxCpuMs?: number,
  ): Promise<JobEnd<T>>;
  close(): Promise<void>;
}

interface PoolBounds extends ProcessBounds {
  /** Jobs that run at the same time; others wait. */
  readonly processes: number;
  /** Limits for all waiting jobs together. */
  readonly waitingJobs: number;
  readonly waitingBytes: number;
}

/** For untrusted input, messages and documents alike. */
export const USUAL_BOUNDS: PoolBounds = {
  processes: 2,
  maxCpuMs: 10_000,
  idleMs: 60_000,
  waitingJobs: 1000,
  waitingBytes: 250 * 1024 * 1024,
};

const RETRY_AFTER_S = 5;

/** @param file returns the path of the program that the processes run */
export function processPool(file: () => string, bounds: PoolBounds): ProcessPool {
  const all = Array.from({ length: bounds.processes }, () => boundedProcess(file, bounds));
  const idle = [...all];
  const waiting = new Set<(freed: BoundedProcess) => void>();
  let waitingBytes = 0;
  let isClosed = false;

  function free(one: BoundedProcess): void {
    const [next] = waiting;
    if (next === undefined) idle.push(one);
    else next(one);
  }

  function freeProcess(bytes: number, signal: AbortSignal): Promise<BoundedProcess> {
    signal.throwIfAborted();
    // Take the process used last: it is the most likely to be running.
    const one = idle.pop();
    if (one !== undefined) return Promise.resolve(one);
    if (waiting.size >= bounds.waitingJobs || waitingBytes + bytes > bounds.waitingBytes) {
      throw unavailable(new Error('Too many jobs wait.'));
    }
    waitingBytes += bytes;
    return new Promise((resolve, reject) => {
      const end = () => {
        waiting.delete(take);
        waitingBytes -= bytes;
        signal.removeEventListener('abort', leave);
      };
      const take = (freed: BoundedProcess) => {
        end();
        resolve(freed);
      };
      const leave = () => {
        end();
        reject(signal.reason);
      };
      waiting.add(take);
      signal.addEventListener('abort', leave);
    });
  }

  return {
    async run(job, bytes, answer, signal, maxCpuMs) {
      const one = await freeProcess(bytes, signal);
      try {
        return await one.run(job, answer, signal, maxCpuMs);
      } catch (error) {
        if (signal.aborted || isClosed) throw error;
        throw unavailable(error);
      } finally {
        free(one);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('temporarily_unavailable', { details: { retry_after_s: RETRY_AFTER_S }, cause });
}
