import { createRequire } from 'node:module';
import type { AttachmentText, ExtractedText } from '../../core/ports/attachment-text.ts';
import { type ExtractionThread, extractionThread } from './extraction-thread.ts';

/** Documents that are read at the same time; others wait. */
const THREADS = 2;
const MAX_BYTES = 25 * 1024 * 1024;
const MAX_MS = 10_000;

/**
 * Text of documents, taken in worker threads.
 * @param options.workerFile the bundled `worker.ts`, for a program that is bundled with this package in it; else it is
 * found in the installed package
 */
export function workerText(options: { readonly workerFile?: string } = {}): AttachmentText {
  const file = () =>
    options.workerFile ?? createRequire(import.meta.url).resolve('countersign/extract/worker');
  const threads = Array.from({ length: THREADS }, () => extractionThread({ file, maxMs: MAX_MS }));
  const idle = [...threads];
  const waiting = new Set<(thread: ExtractionThread) => void>();
  let isClosed = false;

  function free(thread: ExtractionThread): void {
    const [next] = waiting;
    if (next === undefined) idle.push(thread);
    else next(thread);
  }

  /** The longest idle one would be the most likely to be cold. */
  function freeThread(signal: AbortSignal): Promise<ExtractionThread> {
    signal.throwIfAborted();
    const thread = idle.pop();
    if (thread !== undefined) return Promise.resolve(thread);
    return new Promise((resolve, reject) => {
      const end = () => {
        waiting.delete(take);
        signal.removeEventListener('abort', leave);
      };
      const take = (freed: ExtractionThread) => {
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
    async extract({ bytes, name, mime, signal }): Promise<ExtractedText> {
      if (bytes.byteLength > MAX_BYTES) return { kind: 'empty', reason: 'too_large' };
      const thread = await freeThread(signal);
      try {
        if (isClosed) throw new Error('The reader of documents is closed.');
        return await thread.extract({ bytes, name, mime }, signal);
      } finally {
        free(thread);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
