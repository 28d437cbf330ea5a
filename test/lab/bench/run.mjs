// npm run bench: bundles the benchmark's processes and the server under test, and starts the benchmark.
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { browserScripts } from '../../../hosts/dashboard/browser/build.mjs';

const here = import.meta.dirname;
// Inside the project, so that the bundles find the packages.
const outdir = join(here, '../../../node_modules/.cache/countersign-bench', String(process.pid));

await build({
  entryPoints: {
    bench: join(here, 'bench.ts'),
    floor: join(here, 'floor.ts'),
    gate: join(here, 'gate.ts'),
    load: join(here, 'load.ts'),
    'fan-out': join(here, 'fan-out.ts'),
    'post-client': join(here, 'post-client.ts'),
    'post-receiver': join(here, 'post-receiver.ts'),
    'idle-accounts': join(here, 'idle-accounts.ts'),
    'stranger-servers': join(here, 'stranger-servers.ts'),
    'bare-server': join(here, 'bare-server.ts'),
    probe: join(here, 'probe.ts'),
    'watched-loop': join(here, 'watched-loop.ts'),
    worker: join(here, '../../../adapters/extract/worker.ts'),
    'reading-cpu': join(here, 'reading-cpu.ts'),
    'index-worker': join(here, '../../../adapters/mail-index/worker.ts'),
    'reader-worker': join(here, '../../../adapters/reader/worker.ts'),
    cli: join(here, '../../../hosts/server/cli.ts'),
  },
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  target: 'node20',
  plugins: [browserScripts],
  loader: { '.css': 'text' },
  sourcemap: true,
  logLevel: 'error',
});

// The server under test finds its workers by the name of the package.
const exports = { './reader/worker': './reader-worker.mjs', './extract/worker': './worker.mjs' };
writeFileSync(join(outdir, 'package.json'), JSON.stringify({ name: 'countersign', exports }));

const bench = spawn(process.execPath, [join(outdir, 'bench.mjs'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
bench.once('exit', (code) => {
  rmSync(outdir, { recursive: true });
  process.exitCode = code ?? 1;
});
