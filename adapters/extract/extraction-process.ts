import { type ChildProcess, fork } from 'node:child_process';
import type { ExtractedText, NoTextReason } from '../../core/ports/attachment-text.ts';
import { Answer, type Job, READY } from './job.ts';

/** A process that reads one document at a time. It starts when it is needed, and anew after it was ended. */
export interface ExtractionProcess {
  /**
   * Not to be called again before it has answered.
   * @throws the signal's reason once that is aborted; an Error where the process cannot be started, or was closed.
   * Whatever else goes wrong is the document's doing, and an answer.
   */
  extract(job: Job, signal: AbortSignal): Promise<ExtractedText>;
  close(): Promise<void>;
}

/** ArrayBuffers do not count: they are bounded where they are made. */
const MEMORY = ['--max-old-space-size=256', '--max-semi-space-size=16'];

/**
 * A process and no thread: V8 ends the whole process when one array grows beyond the heap of a thread.
 * @param file names the bundled `worker.ts` when the process is started
 * @param maxMs for one document, from when the process is ready for it
 * @param idleMs after which a process that nobody needs is ended: it holds some tens of megabytes
 */
export function extractionProcess(options: {
  readonly file: () => string;
  readonly maxMs: number;
  readonly idleMs: number;
}): ExtractionProcess {
  const { file, maxMs, idleMs } = options;
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

  async function extract(job: Job, signal: AbortSignal): Promise<ExtractedText> {
    clearTimeout(resting);
    const used = current;
    const child = used ?? (await start());
    keepAlive(child, true);
    const jobEnded = await jobEnd(child, job, maxMs, signal);
    if (jobEnded.kind === 'answered') {
      // An idle one keeps no process alive.
      keepAlive(child, false);
      resting = setTimeout(() => end(child), idleMs).unref();
      return jobEnded.answer;
    }
    end(child);
    if (jobEnded.kind === 'stopped') throw signal.reason;
    if (isClosed) throw new Error('The process that reads documents was closed.');
    // It may have failed over what the document before left behind.
    const isItsOwn = used === undefined || jobEnded.reason === 'too_slow';
    return isItsOwn ? { kind: 'empty', reason: jobEnded.reason } : extract(job, signal);
  }

  return {
    extract,
    async close() {
      isClosed = true;
      if (current !== undefined) end(current);
    },
  };
}

function keepAlive(child: ChildProcess, keeps: boolean): void {
  for (const one of [child, child.channel]) {
    if (keeps) one?.ref();
    else one?.unref();
  }
}

function started(file: string): Promise<ChildProcess> {
  const child = fork(file, {
    execArgv: MEMORY,
    serialization: 'advanced',
    // The document of a stranger gets nothing of this process to see, and nothing to print on.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // It can still fail over what a document left behind, when nobody waits for it any more: then it is gone.
  child.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) =>
      reject(new Error('The process that reads documents cannot be started.', { cause }));
    child.once('error', fail);
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('error', fail).off('exit', fail);
      if (message === READY) resolve(child);
      else fail();
    });
  });
}

type JobEnd =
  | { readonly kind: 'answered'; readonly answer: ExtractedText }
  /** The process is of no use any more. */
  | { readonly kind: 'failed'; readonly reason: NoTextReason }
  | { readonly kind: 'stopped' };

function jobEnd(child: ChildProcess, job: Job, maxMs: number, signal: AbortSignal): Promise<JobEnd> {
  return new Promise((resolve) => {
    const end = (result: JobEnd) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      child.off('message', onMessage).off('exit', onExit);
      resolve(result);
    };
    const onAbort = () => end({ kind: 'stopped' });
    const onExit = (_code: number | null, killedBy: NodeJS.Signals | null) =>
      end({ kind: 'failed', reason: ranOutOfMemory(killedBy) ? 'too_large' : 'broken' });
    // Answers are our own, but made among the bytes of a stranger.
    const onMessage = (message: unknown) => {
      const answer = Answer.safeParse(message);
      end(answer.success ? { kind: 'answered', answer: answer.data } : { kind: 'failed', reason: 'broken' });
    };
    const timer = setTimeout(() => end({ kind: 'failed', reason: 'too_slow' }), maxMs);
    signal.addEventListener('abort', onAbort);
    child.on('message', onMessage).on('exit', onExit);
    if (signal.aborted) end({ kind: 'stopped' });
    // When it has ended already that is told by the callback.
    else child.send(job, (error) => error && end({ kind: 'failed', reason: 'broken' }));
  });
}

/** V8 aborts when its heap is full; the system kills when its memory is. */
function ranOutOfMemory(killedBy: NodeJS.Signals | null): boolean {
  return killedBy === 'SIGABRT' || killedBy === 'SIGKILL';
}
