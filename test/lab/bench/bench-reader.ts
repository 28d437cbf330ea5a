import { join } from 'node:path';
import { processReader } from '../../../adapters/reader/process-reader.ts';
import type { Reader } from '../../../core/ports/reader.ts';

/** The bundled server's reader, with the process bundles that run.mjs builds. */
export function benchReader(): Reader {
  return processReader({ workerFile: join(import.meta.dirname, 'reader-worker.mjs') });
}
