import { checkOptions } from '../../core/contract/options.ts';
import type { AttachmentText } from '../../core/ports/attachment-text.ts';
import { installedWorker } from '../process/installed-worker.ts';
import { processPool, USUAL_BOUNDS } from '../process/process-pool.ts';
import { Answer } from './job.ts';

const MAX_BYTES = 25 * 1024 * 1024;

/**
 * Extracts the text of documents in separate processes.
 * @param options.workerFile  the bundled `worker.ts`, for a program that bundles this package. Default: the
 * one in the installed package.
 */
export function workerText(options: { readonly workerFile?: string } = {}): AttachmentText {
  checkOptions('workerText', options, { workerFile: ['optional', 'string'] });
  const file = () => options.workerFile ?? installedWorker('extract');
  const pool = processPool(file, USUAL_BOUNDS);
  return {
    async extract({ bytes, name, mime, signal, ownerId }) {
      if (bytes.byteLength > MAX_BYTES) return { kind: 'empty', reason: 'too_large' };
      const job = { bytes, name, mime };
      const facts = { ownerId, bytes: bytes.byteLength, work: job, answer: Answer, signal };
      const ended = await pool.run(job, facts);
      return ended.kind === 'answered' ? ended.answer : { kind: 'empty', reason: ended.reason };
    },
    close: () => pool.close(),
  };
}
