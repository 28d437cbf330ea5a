// `npm run quick`: formats, checks the types of what changed, and runs the pure tests that import it. Changed is what
// differs from the last commit, or from the revision that is named. Exits non-zero when something is wrong.
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { installPackages } from '../install.mjs';

process.chdir(join(import.meta.dirname, '..'));
installPackages();

/** What the compiler remembers of its last run. */
const TYPES = join('node_modules', '.cache', 'quick.tsbuildinfo');

const [revision = 'HEAD'] = process.argv.slice(2);
const steps = [
  ['@biomejs/biome/bin/biome', 'check', '--write', '.'],
  // Files that import what changed are checked, those that import them are not: `npm run typecheck` checks all.
  [
    'typescript-native/bin/tsc',
    '--noEmit',
    '--checkers',
    '1',
    '--incremental',
    '--tsBuildInfoFile',
    TYPES,
    '--assumeChangesOnlyAffectDirectDependencies',
  ],
  ['typescript-native/bin/tsc', '-p', 'hosts/dashboard/browser/page'],
  ['typescript-native/bin/tsc', '-p', 'hosts/dashboard/browser/worker'],
  ['vitest/vitest.mjs', 'run', '--project', 'pure', `--changed=${revision}`, '--passWithNoTests'],
];
const failed = steps.filter(([program, ...args]) => {
  console.log(`\n== ${basename(program, '.mjs')} ${args.join(' ')}`);
  const { status } = spawnSync(process.execPath, [join('node_modules', program), ...args], {
    stdio: 'inherit',
    env: { ...process.env, COUNTERSIGN_QUICK: 'true' },
  });
  return status !== 0;
});
console.log(
  failed.length === 0
    ? '\nGood so far. The other tests that your change touches: npx vitest run PATH. All of them: npm test.'
    : `\nFAILED: ${failed.map(([program]) => basename(program, '.mjs')).join(', ')}`,
);
process.exit(failed.length === 0 ? 0 : 1);
