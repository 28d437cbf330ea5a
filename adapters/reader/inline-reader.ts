import type { Reader } from '../../core/ports/reader.ts';
import { doJob } from '../../core/readers/do-job.ts';

/**
 * Reads in the calling process, without limits. Use it in tests, or for mail that only you write: one message from
 * somebody else can block the process for as long as its sender likes.
 */
export function inlineReader(): Reader {
  return {
    async read(name, input, { signal }) {
      signal.throwIfAborted();
      try {
        return { kind: 'read', value: await doJob(name, input) };
      } catch {
        // Only the content can make a job fail.
        return { kind: 'unreadable', reason: 'broken' };
      }
    },
    async close() {},
  };
}
