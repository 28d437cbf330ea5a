import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { browserScripts } from '../hosts/dashboard/browser/build.mjs';
import { onceInRun } from './once-in-run.ts';

/** Packages whose binary must be loaded from their folder. */
const BINARIES = ['better-sqlite3', 'pg-native'];

/** Gives bundled CommonJS packages the `require` that they expect. */
const REQUIRE =
  "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);";

/** Puts the packages into the bundle, too. A program then starts in two thirds of the time. */
export const WITH_PACKAGES = {
  packages: 'bundle',
  external: BINARIES,
  banner: { js: REQUIRE },
} satisfies BuildOptions;

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
  const folder = await bundled(join(packages, basename(dirname(entry)), basename(entry, '.ts')), {
    entryPoints: [entry],
    ...(packages === 'bundle' && WITH_PACKAGES),
    outExtension: { '.js': '.mjs' },
  });
  return join(folder, `${basename(entry, '.ts')}.mjs`);
}

/** Gives programs the cost of passwords that the tests have: see vitest.config.ts. */
const quickPasswords: Plugin = {
  name: 'quick passwords',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/password-cost\.ts$/ }, () => ({
      path: join(import.meta.dirname, 'quick-password-cost.ts'),
    }));
  },
};

/**
 * Bundles for Node 20, once in a test run: the files of a run share the result.
 * @param beside  the texts of further files in the folder, by their names
 * @returns the folder with what was written
 */
export async function bundled(
  name: string,
  options: BuildOptions,
  beside: Readonly<Record<string, string>> = {},
): Promise<string> {
  return onceInRun(name, async (folder) => {
    await build({
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      target: 'node20',
      logLevel: 'error',
      plugins: [quickPasswords, browserScripts],
      ...options,
      outdir: folder,
    });
    for (const [file, text] of Object.entries(beside)) writeFileSync(join(folder, file), text);
  });
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
