import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CORPUS_PACKAGES, isInstalled } from '../debian-packages.ts';

/** Debian's Python, which finds Debian's Python packages. */
const PYTHON = '/usr/bin/python3';

type Corpus = Exclude<keyof typeof CORPUS_PACKAGES, 'tools'>;

/**
 * Returns the Debian packages that a script in make/ needs and this machine lacks. The title of the skipped
 * suite names them.
 */
export function missingPackages(corpus: keyof typeof CORPUS_PACKAGES): string[] {
  return CORPUS_PACKAGES[corpus].filter((name) => !isInstalled(name));
}

/**
 * Runs CORPUS.py.
 * @param make the folder of the programs; a bundle is elsewhere
 * @param share makes every SHARE-th document; only that corpus has shares. Default: all
 * @returns a new folder with its output; the caller removes it
 */
export async function generate(
  corpus: Corpus,
  { make = join(import.meta.dirname, 'make'), share = 1 } = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `countersign-${corpus}-`));
  // Without a locale, Ruby and Perl read their source as ASCII.
  const env = { PATH: '/usr/bin:/bin', HOME: folder, LC_ALL: 'C.UTF-8', NODE: process.execPath };
  await promisify(execFile)(PYTHON, ['-B', join(make, `${corpus}.py`), folder, String(share)], {
    env,
    timeout: GENERATE_MS,
  });
  return folder;
}

/** For a busy machine. An idle one takes about 30 s. */
const GENERATE_MS = 400_000;

/** Returns the names of the files in a folder that have an expectation beside them. */
export async function expectedFiles(folder: string, ending: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
}
