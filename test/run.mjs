// `npm test`: installs what is missing or outdated, then runs the tests. Arguments go to vitest.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { installPackages } from '../install.mjs';
import { installServers } from './install-servers.mjs';

process.chdir(join(import.meta.dirname, '..'));

installPackages();
installServers();
const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// An interrupt of the terminal reaches vitest by itself.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => vitest.kill('SIGTERM'));
vitest.on('error', (error) => {
  console.error(`The tests could not start: ${error.message}`);
  process.exit(1);
});
vitest.on('exit', (code) => process.exit(code ?? 1));
