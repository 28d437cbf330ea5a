import { join } from 'node:path';
import { processReader } from '../../adapters/reader/reader.ts';
import type { Reader } from '../../core/ports/reader.ts';

/** The reader of the bundled server, on the bundle that run.mjs makes of its processes. */
export function benchReader(): Reader {
  return processReader({ workerFile: join(import.meta.dirname, 'reader-worker.mjs') });
}
