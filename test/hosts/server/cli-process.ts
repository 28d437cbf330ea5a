import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { z } from 'zod';

/** What commands print with `--json`, of each what tests reach into. */
const printed = z.strictObject({
  owner_id: z.string().optional(),
  key_id: z.string().optional(),
  api_key: z.string().optional(),
  account_id: z.number().optional(),
  keys: z.array(z.looseObject({ key_id: z.string() })).optional(),
  accounts: z.array(z.looseObject({ account_id: z.number() })).optional(),
});

/** One object on one line, and nothing else. */
export function printedBy({ code, stdout, stderr }: Ended): z.infer<typeof printed> {
  const lines = stdout.split('\n');
  if (code !== 0 || stderr !== '' || lines.length !== 2) {
    throw new Error(`the command ended with ${code} and printed ${JSON.stringify({ stdout, stderr })}`);
  }
  return printed.parse(JSON.parse(stdout));
}

const ROOT = resolve(import.meta.dirname, '../../..');

export interface Cli {
  /** Runs a command to its end. */
  run(args: readonly string[], input?: string, env?: Record<string, string>): Promise<Ended>;
  /**
   * Runs a command on a terminal of its own; each answer is typed when its prompt has come. `stdout` holds what the
   * terminal showed.
   */
  typed(
    args: readonly string[],
    answers: readonly (readonly [prompt: string, answer: string])[],
  ): Promise<Ended>;
  /** Starts a server and waits for the line that says it is ready. */
  serve(args: readonly string[], env?: Record<string, string>): Promise<Serving>;
  /** Where the commands run and keep their database. */
  readonly folder: string;
  remove(): void;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Serving {
  readonly base_url: string;
  readonly dashboard_url: string;
  readonly owner?: { readonly email: string; readonly password: string } | undefined;
  readonly api_key?: string | undefined;
  stop(signal: NodeJS.Signals): Promise<Ended>;
}

const ready = z.strictObject({
  base_url: z.url(),
  dashboard_url: z.url(),
  owner: z.strictObject({ email: z.string(), password: z.string() }).optional(),
  api_key: z.string().optional(),
});

/** The command line as a process of its own, bundled from the sources into a folder that finds the packages. */
export async function buildCli(): Promise<Cli> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  const outfile = join(ROOT, 'node_modules', '.cache', `countersign-cli-${process.pid}`, 'cli.js');
  await build({
    entryPoints: [join(ROOT, 'hosts/server/cli.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    loader: { '.css': 'text' },
    logLevel: 'error',
  });

  const start = (args: readonly string[], env: Record<string, string> = {}) =>
    launch(process.execPath, [outfile, ...args], env);
  const launch = (program: string, args: readonly string[], env: Record<string, string> = {}) =>
    spawn(program, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, COUNTERSIGN_PORT: '0', ...env },
    });

  return {
    folder,
    run(args, input = '', env = {}) {
      const child = start(args, env);
      child.stdin.end(input);
      return ended(child);
    },
    typed(args, answers) {
      const command = [process.execPath, outfile, ...args].map((word) => `'${word}'`).join(' ');
      // From util-linux: it gives the command a terminal, and passes its exit code on.
      const child = launch('/usr/bin/script', ['--quiet', '--return', '--command', command, '/dev/null']);
      const left = [...answers];
      let shown = '';
      child.stdout.on('data', (chunk) => {
        shown += String(chunk);
        const [prompt, answer] = left[0] ?? [];
        if (prompt === undefined || !shown.includes(prompt)) return;
        left.shift();
        shown = '';
        child.stdin.write(`${answer}\n`);
      });
      return ended(child);
    },
    async serve(args, env) {
      const child = start(args, env);
      const end = ended(child);
      const line = await Promise.race([
        firstLine(child),
        end.then(({ stderr }) => Promise.reject(new Error(stderr))),
      ]);
      return {
        ...ready.parse(JSON.parse(line)),
        stop(signal) {
          child.kill(signal);
          return end;
        },
      };
    },
    remove() {
      rmSync(folder, { recursive: true });
      rmSync(join(outfile, '..'), { recursive: true });
    },
  };
}

function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const [out, err]: string[][] = [[], []];
  child.stdout.on('data', (chunk) => out?.push(String(chunk)));
  child.stderr.on('data', (chunk) => err?.push(String(chunk)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code, stdout: (out ?? []).join(''), stderr: (err ?? []).join('') }),
    );
  });
}

function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
}
