import { createRequire } from 'node:module';
import type { AttachmentText, ExtractedText } from '../../core/ports/attachment-text.ts';
import { type ExtractionProcess, extractionProcess } from './extraction-process.ts';

/** Documents that are read at the same time; others wait. */
const PROCESSES = 2;
const MAX_BYTES = 25 * 1024 * 1024;
const MAX_MS = 10_000;
const IDLE_MS = 60_000;

/**
 * Text of documents, taken in processes of their own.
 * @param options.workerFile the bundled `worker.ts`, for a program that is bundled with this package in it; else it is
 * found in the installed package
 */
export function workerText(options: { readonly workerFile?: string } = {}): AttachmentText {
  const file = () =>
    options.workerFile ?? createRequire(import.meta.url).resolve('countersign/extract/worker');
  const readers = Array.from({ length: PROCESSES }, () =>
    extractionProcess({ file, maxMs: MAX_MS, idleMs: IDLE_MS }),
  );
  const idle = [...readers];
  const waiting = new Set<(reader: ExtractionProcess) => void>();
  let isClosed = false;

  function free(reader: ExtractionProcess): void {
    const [next] = waiting;
    if (next === undefined) idle.push(reader);
    else next(reader);
  }

  /** The longest idle one would be the most likely to be cold. */
  function freeReader(signal: AbortSignal): Promise<ExtractionProcess> {
    signal.throwIfAborted();
    const reader = idle.pop();
    if (reader !== undefined) return Promise.resolve(reader);
    return new Promise((resolve, reject) => {
      const end = () => {
        waiting.delete(take);
        signal.removeEventListener('abort', leave);
      };
      const take = (freed: ExtractionProcess) => {
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
      const reader = await freeReader(signal);
      try {
        if (isClosed) throw new Error('The reader of documents is closed.');
        return await reader.extract({ bytes, name, mime }, signal);
      } finally {
        free(reader);
      }
    },
    async close() {
      isClosed = true;
      await Promise.all(readers.map((one) => one.close()));
    },
  };
}
