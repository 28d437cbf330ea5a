import { join } from 'node:path';
import { BUNDLES } from './run-typescript.ts';

/** Stands in for `adapters/process/installed-worker.ts` in tests: the worker that `buildCli` bundled. */
export function installedWorker(worker: 'reader' | 'extract'): string {
  return join(BUNDLES, 'cli', `${worker}-worker.js`);
}
