// npm run lint:openapi: writes the description of the API to a file and has it judged by a linter.
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
// Below the project, so that the bundle finds the packages.
const folder = join(root, 'node_modules/.cache/countersign-openapi', String(process.pid));
const outfile = join(folder, 'document.mjs');
const description = join(folder, 'openapi.json');

await build({
  entryPoints: [join(root, 'hosts/rest/openapi/document.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  target: 'node20',
  logLevel: 'error',
});
const { openApiDocument } = await import(pathToFileURL(outfile).href);
writeFileSync(description, JSON.stringify(openApiDocument('https://api.example.org'), undefined, 2));

const linter = spawn('redocly', ['lint', description, '--config', join(root, 'redocly.yaml')], {
  stdio: 'inherit',
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
});
linter.once('exit', (code) => {
  rmSync(folder, { recursive: true });
  process.exitCode = code ?? 1;
});
