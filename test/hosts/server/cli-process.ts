import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { runCommand } from '../../../hosts/server/run-command.ts';
import { bundled, WITH_PACKAGES } from '../../run-typescript.ts';
import { giveInput } from '../../servers/process-group.ts';

/** What each command prints with `--json`, as far as tests use it. */
const printed = z.strictObject({
  owner_id: z.string().optional(),
  key_id: z.string().optional(),
  api_key: z.string().optional(),
  account_id: z.number().optional(),
  keys: z.array(z.looseObject({ key_id: z.string() })).optional(),
  accounts: z.array(z.looseObject({ account_id: z.number() })).optional(),
  endpoint_id: z.string().optional(),
  secret: z.string().optional(),
  endpoints: z.array(z.looseObject({ endpoint_id: z.string() })).optional(),
});

/** What `doctor --json` prints, as far as tests use it. */
export const doctorReport = z.object({
  ok: z.boolean(),
  machine: z.array(z.object({ check: z.string(), state: z.string(), text: z.string() })),
});

/** Exactly one object on one line. */
export function printedBy({ code, stdout, stderr }: Ended): z.infer<typeof printed> {
  const lines = stdout.split('\n');
  if (code !== 0 || stderr !== '' || lines.length !== 2) {
    throw new Error(`the command ended with ${code} and printed ${JSON.stringify({ stdout, stderr })}`);
  }
  return printed.parse(JSON.parse(stdout));
}

const ROOT = resolve(import.meta.dirname, '../../..');

export interface Cli {
  /** The path of the bundled program. */
  readonly program: string;
  /** Runs a command in the process of the test, on streams of its own: to start a process takes half a second. */
  run(args: readonly string[], input?: string, env?: Record<string, string>): Promise<Ended>;
  /** Runs a command in a process of its own until it exits. */
  runApart(args: readonly string[], input?: string, env?: Record<string, string>): Promise<Ended>;
  /** Starts a command that waits for something. `told` resolves once its stderr matches. */
  start(
    args: readonly string[],
    env?: Record<string, string>,
  ): {
    readonly child: ChildProcessWithoutNullStreams;
    readonly ended: Promise<Ended>;
    told(pattern: RegExp): Promise<RegExpExecArray>;
  };
  /**
   * Runs a command in a terminal of its own. Types each answer after its prompt appears. `stdout` is what the terminal
   * showed.
   */
  typed(
    args: readonly string[],
    answers: readonly (readonly [prompt: string, answer: string])[],
  ): Promise<Ended>;
  /** Starts a server and waits for its ready line. */
  serve(args: readonly string[], env?: Record<string, string>): Promise<Serving>;
  /** Starts a server, and stops it once it has greeted its user. Returns what it printed. */
  greeting(): Promise<string>;
  /** The working folder of the commands, which is also their user's home. */
  readonly folder: string;
  /** The folder of their database and key. */
  readonly data: string;
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
  readonly mcp_url: string;
  readonly owner?: { readonly email: string; readonly password: string } | undefined;
  readonly api_key?: string | undefined;
  readonly pid: number | undefined;
  stop(signal: NodeJS.Signals): Promise<Ended>;
}

const ready = z.strictObject({
  base_url: z.url(),
  dashboard_url: z.url(),
  mcp_url: z.url(),
  owner: z.strictObject({ email: z.string(), password: z.string() }).optional(),
  api_key: z.string().optional(),
});

/** The program finds its workers by the name of the package. */
const WITH_WORKERS = {
  name: 'countersign',
  type: 'module',
  exports: {
    './reader/worker': './reader-worker.js',
    './extract/worker': './extract-worker.js',
    './mail-index/worker': './mail-index-worker.js',
  },
};

/** The command line, and the program bundled from the sources into a folder that finds the packages. */
export async function buildCli(): Promise<Cli> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  const outdir = await bundled(
    'cli',
    {
      entryPoints: {
        cli: join(ROOT, 'hosts/server/cli.ts'),
        'reader-worker': join(ROOT, 'adapters/reader/worker.ts'),
        'extract-worker': join(ROOT, 'adapters/extract/worker.ts'),
        'mail-index-worker': join(ROOT, 'adapters/mail-index/worker.ts'),
      },
      splitting: true,
      loader: { '.css': 'text' },
      ...WITH_PACKAGES,
    },
    { 'package.json': JSON.stringify(WITH_WORKERS) },
  );
  const outfile = join(outdir, 'cli.js');

  const start = (args: readonly string[], env: Record<string, string> = {}) =>
    launch(process.execPath, [outfile, ...args], env);
  const launch = (program: string, args: readonly string[], env: Record<string, string> = {}) =>
    spawn(program, args, { cwd: folder, env: environment(env) });
  const environment = (env: Record<string, string>) => ({
    ...{ PATH: process.env.PATH, HOME: folder, COUNTERSIGN_PORT: '0' },
    ...env,
  });

  return {
    program: outfile,
    folder,
    data: join(folder, '.local', 'share', 'countersign'),
    async run(args, input = '', env = {}) {
      const [stdout, stderr] = [collector(), collector()];
      const code = await runCommand(args, {
        ...{ env: environment(env), folder, stdin: Readable.from([Buffer.from(input)]) },
        ...{ stdout: stdout.stream, stderr: stderr.stream },
      });
      return { code, stdout: stdout.text(), stderr: stderr.text() };
    },
    runApart(args, input = '', env = {}) {
      const child = start(args, env);
      giveInput(child.stdin, input);
      return ended(child);
    },
    start(args, env) {
      const child = start(args, env);
      const end = ended(child);
      let text = '';
      return {
        child,
        ended: end,
        told: (pattern) =>
          new Promise((resolve, reject) => {
            child.stderr.on('data', (chunk) => {
              text += String(chunk);
              const match = pattern.exec(text);
              if (match !== null) resolve(match);
            });
            void end.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)));
          }),
      };
    },
    typed(args, answers) {
      const command = [process.execPath, outfile, ...args].map((word) => `'${word}'`).join(' ');
      // script (util-linux) gives the command a terminal and passes its exit code on.
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
        pid: child.pid,
        stop(signal) {
          child.kill(signal);
          return end;
        },
      };
    },
    async greeting() {
      const child = start(['serve']);
      const end = ended(child);
      // One write prints it all.
      await Promise.race([firstLine(child), end]);
      child.kill('SIGTERM');
      return (await end).stdout;
    },
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}

function collector(): { readonly stream: Writable; text(): string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
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
