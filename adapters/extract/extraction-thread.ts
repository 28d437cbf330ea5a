import { Worker } from 'node:worker_threads';
import type { ExtractedText, NoTextReason } from '../../core/ports/attachment-text.ts';
import { Answer, type Job } from './job.ts';

/** A worker thread that reads one document at a time. It starts when it is needed, and anew after it was ended. */
export interface ExtractionThread {
  /**
   * Not to be called again before it has answered.
   * @throws the signal's reason once that is aborted; an Error where the thread cannot be started, or was closed.
   * Whatever else goes wrong is the document's doing, and an answer.
   */
  extract(job: Job, signal: AbortSignal): Promise<ExtractedText>;
  close(): Promise<void>;
}

/** ArrayBuffers do not count: they are bounded where they are made. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * @param file names the bundled `worker.ts` when the thread is started
 * @param maxMs for one document, from when the thread is ready for it
 */
export function extractionThread({ file, maxMs }: { file: () => string; maxMs: number }): ExtractionThread {
  let worker: Worker | undefined;

  async function start(): Promise<Worker> {
    const starting = newWorker(file());
    starting.once('exit', () => {
      if (worker === starting) worker = undefined;
    });
    worker = starting;
    await ready(starting);
    return starting;
  }

  return {
    async extract(job, signal) {
      const current = worker ?? (await start());
      current.ref();
      const end = await jobEnd(current, job, maxMs, signal);
      // An idle thread keeps no process alive.
      current.unref();
      if (end.kind === 'answered') return end.answer;
      await current.terminate();
      if (end.kind === 'failed') return { kind: 'empty', reason: end.reason };
      signal.throwIfAborted();
      throw new Error('The thread that reads documents was closed.');
    },
    async close() {
      await worker?.terminate();
    },
  };
}

function newWorker(file: string): Worker {
  const worker = new Worker(file, {
    resourceLimits: MEMORY,
    // The document of a stranger gets nothing of this process to see, and nothing to print on. What it prints is not
    // read: that would keep the process alive.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  // A thread can still fail over what a document left behind, when nobody waits for it any more: then it is gone.
  worker.on('error', () => undefined);
  return worker;
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', (cause) => {
      reject(new Error('The thread that reads documents cannot be started.', { cause }));
    });
    worker.once('exit', () => reject(new Error('The thread that reads documents ended at once.')));
  });
}

type JobEnd =
  | { readonly kind: 'answered'; readonly answer: ExtractedText }
  /** The thread is of no use any more. */
  | { readonly kind: 'failed'; readonly reason: NoTextReason }
  | { readonly kind: 'stopped' };

function jobEnd(worker: Worker, job: Job, maxMs: number, signal: AbortSignal): Promise<JobEnd> {
  return new Promise((resolve) => {
    const end = (result: JobEnd) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      resolve(result);
    };
    const onAbort = () => end({ kind: 'stopped' });
    const onExit = () => end({ kind: 'stopped' });
    const onError = (error: unknown) =>
      end({ kind: 'failed', reason: isOutOfMemory(error) ? 'too_large' : 'broken' });
    // Answers are our own, but made among the bytes of a stranger.
    const onMessage = (message: unknown) => {
      const answer = Answer.safeParse(message);
      end(answer.success ? { kind: 'answered', answer: answer.data } : { kind: 'failed', reason: 'broken' });
    };
    const timer = setTimeout(() => end({ kind: 'failed', reason: 'too_slow' }), maxMs);
    signal.addEventListener('abort', onAbort);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    if (signal.aborted) end({ kind: 'stopped' });
    else worker.postMessage(job);
  });
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
