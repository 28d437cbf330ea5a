import { spawnSync } from 'node:child_process';
import packages from './debian-packages.json' with { type: 'json' };

/** The programs that `examples/ocr.mjs` runs, and those that draw its picture. */
export const OCR_PACKAGES = packages.ocr;

/** The programs and libraries that write the reading corpus; `tools`: those that the benchmark compares with. */
export const CORPUS_PACKAGES = packages.corpus;

/** Where the packages that conflict with Dovecot's are unpacked, not installed. One folder each, named after it. */
export const UNPACKED = packages.conflicting.folder;

export function isInstalled(name: string): boolean {
  const query = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' });
  return query.status === 0 && /^Status: .* installed$/m.test(query.stdout);
}
