import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { bundled } from '../run-typescript.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The package as its users have it, built from the current sources, with the examples beside it. */
export interface InstalledPackage {
  /** The folder of the examples, in which they run. */
  readonly examples: string;
  /** Runs an example in a separate process. @param name  without its ending */
  run(name: string, env?: Readonly<Record<string, string>>, args?: readonly string[]): RunningExample;
  /** Also ends examples that still run. */
  remove(): void;
}

export interface RunningExample {
  /** Its output, line by line. */
  readonly lines: AsyncIterableIterator<string>;
  /** Its error output, line by line. */
  readonly errors: AsyncIterableIterator<string>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it ends. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Examples import the package by its name, which resolves by the `exports` of the package.json beside them. */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = join(ROOT, 'node_modules', '.cache', `countersign-package-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
  const built = await bundled('package', { entryPoints: entries(), outbase: ROOT, splitting: true });
  cpSync(built, join(folder, 'dist'), { recursive: true });
  const started: ChildProcess[] = [];
  const examples = join(folder, 'examples');
  return {
    examples,
    run(name, env = {}, args = []) {
      const child = spawn(process.execPath, [join(examples, `${name}.mjs`), ...args], {
        cwd: examples,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env.PATH, ...env },
      });
      started.push(child);
      return running(child);
    },
    remove() {
      for (const child of started) child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
}

/** The sources of the package's exports, except the contract suites, which need vitest. */
function entries(): string[] {
  const exported = z.object({ default: z.string() });
  return Object.entries(packageJson.exports).flatMap(([name, target]) => {
    if (name === './testing' || name === './package.json') return [];
    const built = exported.parse(target).default;
    return [join(ROOT, built.replace('./dist/', '').replace(/\.js$/, '.ts'))];
  });
}

export function running(child: ChildProcessByStdio<null, Readable, Readable>): RunningExample {
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    errors: createInterface({ input: child.stderr })[Symbol.asyncIterator](),
    kill: (signal) => child.kill(signal),
    ended: ended(child),
  };
}

function ended(child: ChildProcessByStdio<null, Readable, Readable>): RunningExample['ended'] {
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** The next line of its kind. */
export async function lineOf(
  { lines, ended }: Pick<RunningExample, 'lines' | 'ended'>,
  is: (line: string) => boolean,
): Promise<string> {
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    if (is(next.value)) return next.value;
  }
  throw new Error(`the example ended early: ${JSON.stringify(await ended)}`);
}
