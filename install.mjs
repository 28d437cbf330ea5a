// What `npm start`, `npm test` and CI need first. Plain Node, because nothing is installed yet. npm's output goes to stderr,
// so stdout belongs to the command.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Installs the packages if they are missing or older than package-lock.json. @param options  further ones of `npm ci` */
export function installPackages(options = []) {
  // npm writes this file at the end of an install.
  if (changedMs(join('node_modules', '.package-lock.json')) < changedMs('package-lock.json')) {
    npm('ci', '--include=dev', ...options);
  }
}

/** Modification time of a file, or of the newest file in a folder; 0 if there is none. */
export function changedMs(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => changedMs(join(path, name))));
}

/** Runs npm, and ends this process if npm fails. */
export function npm(...args) {
  console.error(`npm ${args.join(' ')}`);
  const { status, error } = spawnSync('npm', args, { stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(`npm ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) installPackages(process.argv.slice(2));
