import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { giveInput } from '../../servers/process-group.ts';
import { until } from '../../until.ts';
import type { Cli } from './cli-process.ts';

/** A shell that has `countersign` on its PATH, for commands as a document prints them. */
export interface CliShell {
  /** Runs commands until they end. @returns what they wrote to stdout @throws Error if one fails */
  run(commands: string, options?: ShellOptions): Promise<string>;
  /** Starts commands that end with a server. Resolves once it has greeted its user. @returns its greeting, and how to stop it */
  serve(commands: string, options?: ShellOptions): Promise<{ greeting: string; stop(): Promise<void> }>;
}

interface ShellOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function shellOf(cli: Cli): CliShell {
  const bin = join(cli.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'countersign');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${cli.program}' "$@"\n`);
  chmodSync(program, 0o755);
  const argsOf = (commands: string) => ['-euo', 'pipefail', '-c', commands];
  const optionsOf = (env: Readonly<Record<string, string>> = {}) => ({
    cwd: cli.folder,
    // Others may use the usual ports on this machine.
    env: { PATH: `${bin}:${process.env.PATH ?? ''}`, HOME: cli.folder, COUNTERSIGN_PORT: '0', ...env },
  });
  return {
    async run(commands, { input = '', env } = {}) {
      const running = promisify(execFile)('bash', argsOf(commands), optionsOf(env));
      if (running.child.stdin !== null) giveInput(running.child.stdin, input);
      return (await running).stdout;
    },
    async serve(commands, { env } = {}) {
      // A group of its own: the shell is not the server.
      const child = spawn('bash', argsOf(commands), { ...optionsOf(env), detached: true });
      const closed = once(child, 'close');
      let greeting = '';
      let errors = '';
      child.stdout.on('data', (chunk) => {
        greeting += String(chunk);
      });
      child.stderr.on('data', (chunk) => {
        errors += String(chunk);
      });
      await until(() => greeting.includes('\n') || child.exitCode !== null);
      if (child.exitCode !== null) throw new Error(errors);
      return {
        greeting,
        async stop() {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
          await closed;
        },
      };
    },
  };
}
