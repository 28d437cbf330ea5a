// npm run soak: bundles the soak and its processes, and runs it. main.ts lists the arguments.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
// Inside the project, so that the bundles find the packages.
const outdir = join(here, '../../node_modules/.cache/countersign-soak', String(process.pid));

await build({
  entryPoints: {
    main: join(here, 'main.ts'),
    player: join(here, 'player.ts'),
    worker: join(here, '../../adapters/extract/worker.ts'),
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

const documents = join(here, '../adapters/extract/documents');
const soak = spawn(
  process.execPath,
  [join(outdir, 'main.mjs'), '--documents', documents, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
soak.once('exit', (code) => {
  rmSync(outdir, { recursive: true });
  process.exitCode = code ?? 1;
});
