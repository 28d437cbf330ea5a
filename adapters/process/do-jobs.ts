import { constants } from 'node:os';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { CPU_SIGNAL, READY } from './protocol.ts';

const Message = z.object({ job: z.unknown(), maxCpuMs: z.int().min(1) });

/**
 * The largest job is 36 MB, and reading it holds several copies of its text; the heap has its own limit. Only malicious
 * input needs more than this.
 */
export const MAX_RESIDENT_BYTES = 768 * 1024 * 1024;
const CHECK_EVERY_MS = 20;

/** A place in the shared memory: the CPU time of this process, in milliseconds, at which the job ends. */
const LIMIT = 0;
/** A place in the shared memory: whether the watching thread sleeps until the next job. */
const IS_ASLEEP = 1;
/** Values at `LIMIT` instead of a time: no job runs, or the process is about to be killed. */
const NO_LIMIT = 0;
const EXCEEDED = -1;
/**
 * After a second without a job, the watching thread sleeps, because its checks take a hundredth of the machine's time.
 */
const IDLE_CHECKS = 50;

/**
 * The main loop of a process that `boundedProcess` runs: does the jobs it receives, one at a time. An error ends the
 * process, and the parent reports the job as broken.
 */
export function doJobs(work: (job: unknown) => Promise<unknown>): void {
  const shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  watch(shared);
  const answer = async (message: unknown) => {
    const { job, maxCpuMs } = Message.parse(message);
    Atomics.store(shared, LIMIT, usedCpuMs() + maxCpuMs);
    if (Atomics.exchange(shared, IS_ASLEEP, 0) === 1) Atomics.notify(shared, LIMIT);
    const answered = await work(job);
    // The signal must not arrive during the next job.
    if (Atomics.exchange(shared, LIMIT, NO_LIMIT) !== EXCEEDED) sendToParent(answered);
  };
  // A rejection stays uncaught on purpose: it ends the process.
  process.on('message', (message) => void answer(message));
  process.once('disconnect', () => process.exit());
  sendToParent(READY);
}

function sendToParent(message: unknown): void {
  if (process.send === undefined) throw new Error('This file runs as a child process.');
  process.send(message);
}

function usedCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.ceil((user + system) / 1000);
}

/**
 * Kills the process if it uses too much memory or CPU time. The heap limit does not count array buffers, and the clock
 * counts the time of everything else that this machine runs. A thread can check even while a job blocks the main thread.
 */
function watch(shared: Int32Array): void {
  const program = `
    const { maxBytes, everyMs, idleChecks, shared, LIMIT, IS_ASLEEP, NO_LIMIT, EXCEEDED, signal } =
      require('node:worker_threads').workerData;
    const never = new Int32Array(new SharedArrayBuffer(4));
    for (let idle = 0; ; ) {
      Atomics.wait(never, 0, 0, everyMs);
      if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL');
      const { user, system } = process.cpuUsage();
      const atMs = Atomics.load(shared, LIMIT);
      idle = atMs === NO_LIMIT ? idle + 1 : 0;
      if (atMs > NO_LIMIT && (user + system) / 1000 > atMs) {
        if (Atomics.compareExchange(shared, LIMIT, atMs, EXCEEDED) === atMs) process.kill(process.pid, signal);
      }
      if (idle < idleChecks) continue;
      Atomics.store(shared, IS_ASLEEP, 1);
      Atomics.wait(shared, LIMIT, NO_LIMIT);
      Atomics.store(shared, IS_ASLEEP, 0);
      idle = 0;
    }`;
  // Windows has few signals, and its parent cannot tell them apart.
  const signal = constants.signals[CPU_SIGNAL] === undefined ? 'SIGKILL' : CPU_SIGNAL;
  const workerData = {
    maxBytes: MAX_RESIDENT_BYTES,
    everyMs: CHECK_EVERY_MS,
    idleChecks: IDLE_CHECKS,
    shared,
    ...{ LIMIT, IS_ASLEEP, NO_LIMIT, EXCEEDED },
    signal,
  };
  new Worker(program, { eval: true, workerData }).unref();
}
