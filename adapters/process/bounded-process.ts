import { type ChildProcess, fork } from 'node:child_process';
import type { z } from 'zod';
import { READY } from './ready.ts';

/** A child process that does one job at a time. It starts when it is needed, and again after it was ended. */
export interface BoundedProcess {
  /**
   * Not to be called again before it has answered.
   * @param answer the shape of the answer; any other is `broken`
   * @throws the signal's reason once that is aborted; an Error if the process cannot be started or was closed.
   * Everything else that goes wrong is the job's doing, and an answer.
   */
  run<T>(job: unknown, answer: z.ZodType<T>, signal: AbortSignal): Promise<JobEnd<T>>;
  close(): Promise<void>;
}

export type JobEnd<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: 'failed'; readonly reason: FailureReason };

type FailureReason =
  /** It took longer than it may. */
  | 'too_slow'
  /** It took more memory than it may. */
  | 'too_large'
  /** The process failed, or answered something else. */
  | 'broken';

export interface ProcessBounds {
  /** For one job, from when the process is ready for it. */
  readonly maxMs: number;
  /** A process that nobody has needed for this long is ended: it holds some tens of megabytes. */
  readonly idleMs: number;
}

/** Array buffers lie outside the heap: `doJobs` bounds those. */
const HEAP = ['--max-old-space-size=256', '--max-semi-space-size=16'];

/**
 * A process, not a thread: V8 ends the whole process when one array outgrows the heap of a thread.
 * @param file names the bundled program that calls `doJobs`, when the process is started
 */
export function boundedProcess(file: () => string, { maxMs, idleMs }: ProcessBounds): BoundedProcess {
  let resting: NodeJS.Timeout | undefined;
  let current: ChildProcess | undefined;
  let isClosed = false;

  async function start(): Promise<ChildProcess> {
    const child = await started(file());
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

  async function run<T>(job: unknown, answer: z.ZodType<T>, signal: AbortSignal): Promise<JobEnd<T>> {
    if (isClosed) throw closed();
    clearTimeout(resting);
    const used = current;
    const child = used ?? (await start());
    // It was closed while the process started.
    if (isClosed) {
      end(child);
      throw closed();
    }
    keepAlive(child, true);
    const ended = await jobEnd(child, job, answer, maxMs, signal);
    if (ended.kind === 'answered') {
      // An idle one keeps no process alive.
      keepAlive(child, false);
      resting = setTimeout(() => end(child), idleMs).unref();
      return ended;
    }
    end(child);
    if (ended.kind === 'stopped') throw signal.reason;
    if (isClosed) throw closed();
    // It may have failed over what the job before left behind.
    const isItsOwn = used === undefined || ended.reason === 'too_slow';
    return isItsOwn ? ended : run(job, answer, signal);
  }

  return {
    run,
    async close() {
      isClosed = true;
      clearTimeout(resting);
      if (current !== undefined) end(current);
    },
  };
}

function closed(): Error {
  return new Error('The process was closed.');
}

function keepAlive(child: ChildProcess, keeps: boolean): void {
  for (const one of [child, child.channel]) {
    if (keeps) one?.ref();
    else one?.unref();
  }
}

function started(file: string): Promise<ChildProcess> {
  const child = fork(file, {
    execArgv: HEAP,
    serialization: 'advanced',
    // What a stranger wrote gets nothing of this process to see, and nothing to print on.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // It can still fail over what a job left behind when nobody waits for it any more: then it is gone.
  child.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) => reject(new Error('The process cannot be started.', { cause }));
    child.once('error', fail);
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('error', fail).off('exit', fail);
      if (message === READY) resolve(child);
      else fail();
    });
  });
}

function jobEnd<T>(
  child: ChildProcess,
  job: unknown,
  shape: z.ZodType<T>,
  maxMs: number,
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
      end({ kind: 'failed', reason: ranOutOfMemory(killedBy) ? 'too_large' : 'broken' });
    // Our own program answers, but among the bytes of a stranger.
    const onMessage = (message: unknown) => {
      const answer = shape.safeParse(message);
      end(answer.success ? { kind: 'answered', answer: answer.data } : { kind: 'failed', reason: 'broken' });
    };
    const timer = setTimeout(() => end({ kind: 'failed', reason: 'too_slow' }), maxMs);
    signal.addEventListener('abort', onAbort);
    child.on('message', onMessage).on('exit', onExit);
    if (signal.aborted) end({ kind: 'stopped' });
    // If it has ended already, the callback says so.
    else child.send({ job }, (error) => error && end({ kind: 'failed', reason: 'broken' }));
  });
}

/** V8 aborts when its heap is full; `doJobs` and the system kill when their limits are reached. */
function ranOutOfMemory(killedBy: NodeJS.Signals | null): boolean {
  return killedBy === 'SIGABRT' || killedBy === 'SIGKILL';
}
