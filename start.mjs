// `npm start`: installs and builds what is missing or outdated, then runs the demo.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { changedMs, installPackages, npm } from './install.mjs';

process.chdir(import.meta.dirname);

const CLI = join('dist', 'hosts', 'server', 'cli.js');
const SOURCES = ['core', 'adapters', 'hosts', 'package.json', 'tsconfig.json', 'tsup.config.ts'];

installPackages();
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
