import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs npm in a folder, without the settings that an npm around this process has set.
 * @param node  the Node that runs it, which is the one that `engines` are compared with
 * @returns its output
 */
export async function npm(folder: string, args: readonly string[], node = process.execPath): Promise<string> {
  const cli = await realpath((await run('sh', ['-c', 'command -v npm'])).stdout.trim());
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  const { stdout } = await run(node, [cli, ...args, ...quiet], { cwd: folder, env: Object.fromEntries(env) });
  return stdout;
}

/** Whether packages can be downloaded. */
export async function hasRegistry(): Promise<boolean> {
  return npm(import.meta.dirname, ['ping', '--fetch-retries=0', '--fetch-timeout=5000']).then(
    () => true,
    () => false,
  );
}
