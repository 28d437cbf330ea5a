// npm run soak: bundles a soak and its processes, and runs it. main.ts and new-mail-main.ts list the arguments.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
// Inside the project, so that the bundles find the packages.
const outdir = join(here, '../../../node_modules/.cache/countersign-soak', String(process.pid));

await build({
  entryPoints: {
    main: join(here, 'main.ts'),
    player: join(here, 'player.ts'),
    worker: join(here, '../../../adapters/extract/worker.ts'),
    'new-mail-main': join(here, 'new-mail-main.ts'),
    'new-mail-actor': join(here, 'new-mail-actor.ts'),
  },
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  target: 'node20',
  sourcemap: true,
  logLevel: 'error',
});

const [first, ...others] = process.argv.slice(2);
const documents = join(here, '../../adapters/extract/documents');
const [main, args] =
  first === 'new-mail'
    ? ['new-mail-main', others]
    : ['main', ['--documents', documents, ...process.argv.slice(2)]];
const soak = spawn(process.execPath, ['--enable-source-maps', join(outdir, `${main}.mjs`), ...args], {
  stdio: 'inherit',
});
soak.once('exit', (code) => {
  rmSync(outdir, { recursive: true });
  process.exitCode = code ?? 1;
});
