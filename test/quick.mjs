// `npm run quick`: formats, checks the types of what changed, and runs the pure tests that import it. Changed is what
// differs from the last commit, or from the revision that is named. Exits non-zero when something is wrong.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPackages } from '../install.mjs';

process.chdir(join(import.meta.dirname, '..'));
installPackages();

/** What the compiler remembers of its last run. */
const TYPES = join('node_modules', '.cache', 'quick.tsbuildinfo');

const [revision = 'HEAD'] = process.argv.slice(2);
const steps = [
  ['biome', 'check', '--write', '.'],
  // Files that import what changed are checked, those that import them are not: `npm run typecheck` checks all.
  [
    'tsc',
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    TYPES,
    '--assumeChangesOnlyAffectDirectDependencies',
  ],
  ['vitest', 'run', '--project', 'pure', `--changed=${revision}`, '--passWithNoTests'],
];
const failed = steps.filter(([command, ...args]) => {
  console.log(`\n== ${command} ${args.join(' ')}`);
  const { status } = spawnSync(join('node_modules', '.bin', command), args, {
    stdio: 'inherit',
    env: { ...process.env, COUNTERSIGN_QUICK: 'true' },
  });
  return status !== 0;
});
console.log(
  failed.length === 0
    ? '\nGood so far. The other tests that your change touches: npx vitest run PATH. All of them: npm test.'
    : `\nFAILED: ${failed.map(([command]) => command).join(', ')}`,
);
process.exit(failed.length === 0 ? 0 : 1);
