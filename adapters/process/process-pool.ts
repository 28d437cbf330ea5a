import type { z } from 'zod';
import { unavailable } from '../../core/contract/unavailable.ts';
import { type BoundedProcess, boundedProcess, type JobEnd, type ProcessBounds } from './bounded-process.ts';
import { slowWork } from './slow-work.ts';
import { turns } from './turns.ts';

/**
 * A pool of processes that serves all owners in turn. While others wait, an owner has at most one process: the youngest
 * of the owner's other jobs gives its process up, and starts again later.
 */
export interface ProcessPool {
  /**
   * @throws the signal's reason if that aborts; ServiceError `temporarily_unavailable` if too many jobs wait or no
   * process can start; an Error after the pool was closed
   */
  run<T>(job: unknown, about: JobFacts<T>): Promise<PoolEnd<T>>;
  close(): Promise<void>;
}

export interface JobFacts<T> {
  /** Whose job it is. */
  readonly ownerId: string;
  /** The memory that the job holds while it waits. */
  readonly bytes: number;
  /** The part of the job that decides how long it takes. If it used up its time, it is too slow for the next hour too. */
  readonly work: unknown;
  readonly answer: z.ZodType<T>;
  readonly signal: AbortSignal;
  /** The limit for this job, if it is lower than that of the bounds. */
  readonly maxCpuMs?: number | undefined;
}

export type PoolEnd<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: 'failed'; readonly reason: 'too_slow' | 'too_large' | 'broken' };

interface PoolBounds extends ProcessBounds {
  /** Jobs that run at the same time; others wait. */
  readonly processes: number;
  /** Limits for all waiting jobs together. One owner's may use half of each. */
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

interface Waiting {
  readonly ownerId: string;
  readonly bytes: number;
  start(process: BoundedProcess): void;
}

interface Running {
  readonly ownerId: string;
  /** Ends the job, so that its process is free. */
  giveUp(): void;
}

/** @param file returns the path of the program that the processes run */
export function processPool(file: () => string, bounds: PoolBounds): ProcessPool {
  const all = Array.from({ length: bounds.processes }, () => boundedProcess(file, bounds));
  const idle = [...all];
  const waiting = turns<Waiting>();
  const held = new Map<string, { jobs: number; bytes: number }>();
  /** Oldest first. Without those that give up. */
  const running = new Set<Running>();
  const slow = slowWork();
  let isClosed = false;

  const runningOf = (ownerId: string) => [...running].filter((one) => one.ownerId === ownerId);

  function hold({ ownerId, bytes }: Waiting, sign: 1 | -1): void {
    const own = held.get(ownerId) ?? { jobs: 0, bytes: 0 };
    const after = { jobs: own.jobs + sign, bytes: own.bytes + sign * bytes };
    if (after.jobs === 0) held.delete(ownerId);
    else held.set(ownerId, after);
  }

  function isRoomFor(ownerId: string, bytes: number): boolean {
    const own = held.get(ownerId) ?? { jobs: 0, bytes: 0 };
    const sums = { jobs: 0, bytes: 0 };
    for (const one of held.values()) {
      sums.jobs += one.jobs;
      sums.bytes += one.bytes;
    }
    return (
      sums.jobs < bounds.waitingJobs &&
      sums.bytes + bytes <= bounds.waitingBytes &&
      own.jobs < bounds.waitingJobs / 2 &&
      own.bytes + bytes <= bounds.waitingBytes / 2
    );
  }

  function free(process: BoundedProcess): void {
    const next = waiting.take((ownerId) => runningOf(ownerId).length);
    if (next === undefined) idle.push(process);
    else next.start(process);
  }

  /** Ends the youngest job of an owner who has several processes, for an owner who has none. */
  function makeRoom(ownerId: string): void {
    if (runningOf(ownerId).length > 0) return;
    const youngest = [...running].reverse().find((one) => runningOf(one.ownerId).length > 1);
    if (youngest === undefined) return;
    running.delete(youngest);
    youngest.giveUp();
  }

  /** Marks the job as running once it has a process. @param isAgain  it gave up its process before */
  async function freeProcess(
    { bytes, signal }: Pick<JobFacts<unknown>, 'bytes' | 'signal'>,
    own: Running,
    isAgain: boolean,
  ): Promise<BoundedProcess> {
    const { ownerId } = own;
    signal.throwIfAborted();
    // Take the process used last: it is the most likely to be running.
    const one = idle.pop();
    if (one !== undefined) {
      running.add(own);
      return one;
    }
    if (!isAgain && !isRoomFor(ownerId, bytes)) throw unavailable(new Error('Too many jobs wait.'));
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.remove(ownerId, job);
        hold(job, -1);
        reject(signal.reason);
      };
      const job: Waiting = {
        ownerId,
        bytes,
        start(process) {
          hold(job, -1);
          signal.removeEventListener('abort', leave);
          running.add(own);
          resolve(process);
        },
      };
      hold(job, 1);
      waiting.add(ownerId, job, isAgain);
      signal.addEventListener('abort', leave);
      makeRoom(ownerId);
    });
  }

  /** @returns undefined if the job gave up its process */
  async function runOnce<T>(
    job: unknown,
    about: JobFacts<T>,
    isAgain: boolean,
  ): Promise<JobEnd<T> | undefined> {
    const { ownerId, answer, signal, maxCpuMs } = about;
    const stop = new AbortController();
    const abort = () => stop.abort(signal.reason);
    let gaveUp = false;
    const own: Running = {
      ownerId,
      giveUp() {
        gaveUp = true;
        stop.abort();
      },
    };
    const process = await freeProcess(about, own, isAgain);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      return await process.run(job, answer, stop.signal, maxCpuMs);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isClosed) throw error;
      if (gaveUp) return undefined;
      throw unavailable(error);
    } finally {
      running.delete(own);
      signal.removeEventListener('abort', abort);
      free(process);
    }
  }

  return {
    async run(job, about) {
      const { work, bytes } = about;
      if (slow.has(work, bytes)) return { kind: 'failed', reason: 'too_slow' };
      let ended = await runOnce(job, about, false);
      while (ended === undefined) ended = await runOnce(job, about, true);
      if (ended.kind === 'answered') return ended;
      if (ended.reason === 'too_slow') slow.add(work, bytes);
      // The machine may have been busy.
      return { kind: 'failed', reason: ended.reason === 'too_late' ? 'too_slow' : ended.reason };
    },
    async close() {
      isClosed = true;
      await Promise.all(all.map((one) => one.close()));
    },
  };
}
