import { pathInRun } from './once-in-run.ts';

/** Stands in for `adapters/process/installed-worker.ts` in tests: the worker that `buildCli` bundled. */
export function installedWorker(worker: 'reader' | 'extract' | 'mail-index'): string {
  return pathInRun(`cli/${worker}-worker.js`);
}
