import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

/** Packages whose binary must be loaded from their folder. */
const BINARIES = ['better-sqlite3', 'pg-native'];

/** The bundles of this test run, inside the project, so that they find the packages. */
export const BUNDLES = join(
  import.meta.dirname,
  '../node_modules/.cache/countersign-tests',
  process.env.COUNTERSIGN_TEST_RUN ?? String(process.pid),
);

/** Gives bundled CommonJS packages the `require` that they expect. */
const REQUIRE =
  "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);";

/**
 * Bundles a TypeScript file of the project so that a child process can run it with Node 20.
 * @param packages  `bundle` puts the packages into the file too. It then starts in half the time, but packages
 * that read their own folder fail.
 * @returns the bundle's path
 */
export async function bundleForChild(
  entry: string,
  packages: 'external' | 'bundle' = 'external',
): Promise<string> {
  const folder = join(BUNDLES, packages, basename(dirname(entry)));
  const outfile = join(folder, `${basename(entry, '.ts')}.mjs`);
  // Another file of this run may have made it.
  if (existsSync(outfile)) return outfile;
  mkdirSync(folder, { recursive: true });
  const written = join(folder, `${basename(entry, '.ts')}-${process.pid}.mjs`);
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages,
    ...(packages === 'bundle' && { external: BINARIES, banner: { js: REQUIRE } }),
    target: 'node20',
    outfile: written,
    logLevel: 'error',
  });
  renameSync(written, outfile);
  return outfile;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a bundle until it exits or is killed. */
export function runChild(
  bundle: string,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): Promise<ChildEnd> {
  const child: ChildProcess = spawn(process.execPath, [...nodeArgs, bundle, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
