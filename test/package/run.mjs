// npm run measure: bundles the measurement and starts it. It uses the build in dist, and builds if that is outdated.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

// Beside its source, where it finds the project.
const outfile = join(import.meta.dirname, `.measure-${process.pid}.mjs`);
await build({
  entryPoints: [join(import.meta.dirname, 'measure.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  target: 'node20',
  logLevel: 'error',
});
const folder = mkdtempSync(join(tmpdir(), 'countersign-measure-'));
const env = { ...process.env, COUNTERSIGN_BUNDLES: folder };
const measure = spawn(process.execPath, [outfile], { stdio: 'inherit', env });
measure.once('exit', (code) => {
  rmSync(outfile);
  rmSync(folder, { recursive: true });
  process.exitCode = code ?? 1;
});
