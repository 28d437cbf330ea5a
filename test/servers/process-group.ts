import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** A server and all the processes it starts, in one process group. */
export interface ProcessGroup {
  /** Settles when the server's first process has ended. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** Kills every process of the group at once, as a crash would. */
  kill(): Promise<void>;
}

/**
 * Starts a server in the foreground, in its own process group. A second process kills the group if this test process
 * dies without doing so.
 * @param logFile receives the server's output
 */
export function startProcessGroup(command: string, args: readonly string[], logFile: string): ProcessGroup {
  const log = openSync(logFile, 'a');
  const server = spawn(command, args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  server.unref();
  const ended = new Promise<void>((resolve, reject) => {
    server.once('exit', () => resolve());
    server.once('error', reject);
  });
  // Whoever awaits `ended` gets the error of a failed start.
  ended.catch(() => undefined);
  const keeper = startKeeper(server);

  return {
    ended,
    hasEnded: () => server.exitCode !== null || server.signalCode !== null,
    async kill() {
      killGroup(server);
      await ended;
      // Only now: the group's number cannot be reused before its leader is reaped.
      keeper.kill('SIGKILL');
    },
  };
}

function killGroup(leader: ChildProcess): void {
  if (leader.pid === undefined) return;
  try {
    process.kill(-leader.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Waits for the end of stdin, which comes when this process ends for any reason. */
function startKeeper(server: ChildProcess): ChildProcess {
  const keeper = spawn('sh', ['-c', 'read -r line; kill -s KILL -- "-$1"', 'keeper', String(server.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  keeper.unref();
  return keeper;
}

/** All that the program gets. It may exit without reading it: its exit code decides. */
export function giveInput(stdin: Writable, input: string | Uint8Array): void {
  stdin.on('error', () => undefined);
  stdin.end(input);
}

/**
 * Runs a program until it exits.
 * @throws Error with its output, if it does not exit with 0
 */
export async function run(
  command: string,
  args: readonly string[],
  input: string | Uint8Array = '',
): Promise<string> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  giveInput(child.stdin, input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}: ${complaints}${printed}`);
  return printed;
}
