import { type ChildProcess, fork } from 'node:child_process';
import type { z } from 'zod';
import { CPU_SIGNAL, READY } from './protocol.ts';

/** A child process that does one job at a time. It starts on demand, and restarts after it was killed. */
export interface BoundedProcess {
  /**
   * Must not be called again before the previous call has settled.
   * @param answer the expected shape of the answer; anything else is `broken`
   * @param maxCpuMs the limit for this job, if it is lower than that of the bounds
   * @throws the signal's reason if that aborts; an Error if the process cannot start or was closed. Any other failure is
   * caused by the job and returned as a value.
   */
  run<T>(job: unknown, answer: z.ZodType<T>, signal: AbortSignal, maxCpuMs?: number): Promise<JobEnd<T>>;
  close(): Promise<void>;
}

export type JobEnd<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: 'failed'; readonly reason: FailureReason };

type FailureReason =
  /** It used up its CPU time. */
  | 'too_slow'
  /** It took too long on the clock. */
  | 'too_late'
  /** It used too much memory. */
  | 'too_large'
  /** The process crashed, or gave an unexpected answer. */
  | 'broken';

export interface ProcessBounds {
  /** CPU time for one job, of all threads of the process. On the clock it may take `WAIT_PER_CPU` times as long. */
  readonly maxCpuMs: number;
  /** A process that is idle for this long is ended, because it holds tens of megabytes. */
  readonly idleMs: number;
}

/**
 * A job that waits for its turn on a busy machine uses no CPU time. One that waits for ever would otherwise keep its
 * process.
 */
export const WAIT_PER_CPU = 4;

/** How long a process may take to start. It takes a tenth of a second on an idle machine. */
const START_MS = 30_000;

/** Array buffers are outside the heap; `doJobs` limits those. */
const HEAP = ['--max-old-space-size=256', '--max-semi-space-size=16'];

/**
 * Uses a process, not a thread: V8 aborts the whole process if one array outgrows the heap of a thread.
 * @param file returns the path of the bundled program that calls `doJobs`; called when the process starts
 */
export function boundedProcess(file: () => string, bounds: ProcessBounds): BoundedProcess {
  let idleTimer: NodeJS.Timeout | undefined;
  let current: ChildProcess | undefined;
  let isClosed = false;

  async function start(): Promise<ChildProcess> {
    const child = await startProcess(file());
    child.once('exit', () => {
      if (current === child) current = undefined;
    });
    current = child;
    return child;
  }

  function end(child: ChildProcess): void {
    if (current === child) current = undefined;
    child.kill('SIGKILL');
  }

  async function run<T>(
    job: unknown,
    answer: z.ZodType<T>,
    signal: AbortSignal,
    maxCpuMs = bounds.maxCpuMs,
  ): Promise<JobEnd<T>> {
    if (isClosed) throw closed();
    clearTimeout(idleTimer);
    const used = current;
    const child = used ?? (await start());
    // Closed while the process was starting.
    if (isClosed) {
      end(child);
      throw closed();
    }
    keepAlive(child, true);
    const ended = await jobEnd(child, job, answer, Math.min(maxCpuMs, bounds.maxCpuMs), signal);
    if (ended.kind === 'answered') {
      // An idle child must not keep this process alive.
      keepAlive(child, false);
      idleTimer = setTimeout(() => end(child), bounds.idleMs).unref();
      return ended;
    }
    end(child);
    if (ended.kind === 'stopped') throw signal.reason;
    if (isClosed) throw closed();
    // A reused process may have failed because of something the previous job left behind: try again in a fresh one.
    const isOwnFault = used === undefined || ended.reason === 'too_slow' || ended.reason === 'too_late';
    return isOwnFault ? ended : run(job, answer, signal, maxCpuMs);
  }

  return {
    run,
    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      if (current !== undefined) end(current);
    },
  };
}

function closed(): Error {
  return new Error('The process was closed.');
}

function keepAlive(child: ChildProcess, keeps: boolean): void {
  for (const handle of [child, child.channel]) {
    if (keeps) handle?.ref();
    else handle?.unref();
  }
}

function startProcess(file: string): Promise<ChildProcess> {
  const child = fork(file, {
    execArgv: HEAP,
    serialization: 'advanced',
    // Untrusted input must not see this process's environment or write to its output.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // The process can still crash later, when nobody waits for it. Then it is simply gone.
  child.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error('The process cannot be started.', { cause }));
    };
    const timer = setTimeout(fail, START_MS, 'It was not ready in time.');
    child.once('error', fail);
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('error', fail).off('exit', fail);
      if (message !== READY) return fail();
      clearTimeout(timer);
      resolve(child);
    });
  });
}

function jobEnd<T>(
  child: ChildProcess,
  job: unknown,
  shape: z.ZodType<T>,
  maxCpuMs: number,
  signal: AbortSignal,
): Promise<JobEnd<T> | { readonly kind: 'stopped' }> {
  return new Promise((resolve) => {
    const end = (result: JobEnd<T> | { readonly kind: 'stopped' }) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      child.off('message', onMessage).off('exit', onExit);
      resolve(result);
    };
    const onAbort = () => end({ kind: 'stopped' });
    const onExit = (_code: number | null, killedBy: NodeJS.Signals | null) =>
      end({ kind: 'failed', reason: REASONS[killedBy ?? ''] ?? 'broken' });
    // The program is Countersign's own, but it handles untrusted bytes, so its answer is validated.
    const onMessage = (message: unknown) => {
      const answer = shape.safeParse(message);
      end(answer.success ? { kind: 'answered', answer: answer.data } : { kind: 'failed', reason: 'broken' });
    };
    // If this process was busy, the answer may be there already: it is received before an immediate runs.
    const onTime = () => setImmediate(() => end({ kind: 'failed', reason: 'too_late' }));
    const timer = setTimeout(onTime, maxCpuMs * WAIT_PER_CPU);
    signal.addEventListener('abort', onAbort);
    child.on('message', onMessage).on('exit', onExit);
    if (signal.aborted) end({ kind: 'stopped' });
    // The callback reports a process that has already exited.
    else child.send({ job, maxCpuMs }, (error) => error && end({ kind: 'failed', reason: 'broken' }));
  });
}

/** By the signal that killed the process. V8 aborts if its heap is full; `doJobs` and the operating system kill it. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  SIGABRT: 'too_large',
  SIGKILL: 'too_large',
  [CPU_SIGNAL]: 'too_slow',
};
