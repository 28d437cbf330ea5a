// `npm start`: installs and builds what is missing or outdated, then runs the demo. Plain Node, because it runs before
// anything is installed. npm's output goes to stderr, so stdout belongs to the server.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(import.meta.dirname);

const CLI = join('dist', 'hosts', 'server', 'cli.js');
const SOURCES = ['core', 'adapters', 'hosts', 'package.json', 'tsconfig.json', 'tsup.config.ts'];

// npm writes this file at the end of an install.
if (changedMs(join('node_modules', '.package-lock.json')) < changedMs('package-lock.json')) {
  npm('ci', '--include=dev');
}
// Building the type declarations takes longest, and the server does not need them.
if (changedMs(CLI) < Math.max(...SOURCES.map(changedMs))) npm('exec', '--', 'tsup', '--no-dts');

const server = spawn(process.execPath, [CLI, 'serve', '--demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('error', (error) => {
  console.error(`The server could not start: ${error.message}`);
  process.exit(1);
});
server.on('exit', (code) => process.exit(code ?? 1));

/** Modification time of a file, or of the newest file in a folder; 0 if there is none. */
function changedMs(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => changedMs(join(path, name))));
}

function npm(...args) {
  console.error(`npm ${args.join(' ')}`);
  const { status, error } = spawnSync('npm', args, { stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(`npm ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`);
  process.exit(1);
}
