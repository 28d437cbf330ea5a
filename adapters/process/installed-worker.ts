import { createRequire } from 'node:module';

/** The bundled program of a worker process in the installed package. */
export function installedWorker(worker: 'reader' | 'extract' | 'mail-index'): string {
  return createRequire(import.meta.url).resolve(`countersign/${worker}/worker`);
}
