import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/** A server with all the processes that it starts; they share one process group. */
export interface ProcessGroup {
  /** Settles when the server's first process has ended. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** Ends every process of the group at once, as a crash would. */
  kill(): Promise<void>;
}

/**
 * Starts a server in the foreground, in a process group of its own. A second process ends the group when this
 * test process dies without having done so.
 * @param logFile takes what the server prints
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
  // A failure to start is reported by whoever awaits `ended`.
  ended.catch(() => undefined);
  const keeper = startKeeper(server);

  return {
    ended,
    hasEnded: () => server.exitCode !== null || server.signalCode !== null,
    async kill() {
      killGroup(server);
      await ended;
      // Only now: the group's number cannot have been given away while its leader was not yet reaped.
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

/** Waits for the end of its standard input, which comes when this process ends, whatever ends it. */
function startKeeper(server: ChildProcess): ChildProcess {
  const keeper = spawn('sh', ['-c', 'read -r line; kill -s KILL -- "-$1"', 'keeper', String(server.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  keeper.unref();
  return keeper;
}

/**
 * Runs a program to its end.
 * @throws Error with what it printed, when it does not exit with 0
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
  // A program that ends without reading its input is judged by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}: ${complaints}${printed}`);
  return printed;
}
