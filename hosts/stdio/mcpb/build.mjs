// Builds countersign.mcpb, which desktop clients install with a double click: a zip file with a manifest and one
// program, `countersign mcp` without anything else of the server.
// Usage: node hosts/stdio/mcpb/build.mjs [FILE]   default: dist/countersign.mcpb
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { strToU8, zipSync } from 'fflate';

const ROOT = resolve(import.meta.dirname, '../../..');
const file = resolve(process.argv[2] ?? join(ROOT, 'dist', 'countersign.mcpb'));
const read = (path) => readFileSync(join(ROOT, path), 'utf8');

const { version } = JSON.parse(read('package.json'));
const manifest = { ...JSON.parse(read('hosts/stdio/mcpb/manifest.json')), version };
const { outputFiles } = await build({
  entryPoints: [join(ROOT, 'hosts/stdio/main.ts')],
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  minify: true,
  write: false,
  logLevel: 'error',
});

mkdirSync(dirname(file), { recursive: true });
writeFileSync(
  file,
  zipSync(
    {
      'manifest.json': strToU8(`${JSON.stringify(manifest, undefined, 2)}\n`),
      'server/index.mjs': outputFiles[0].contents,
      LICENSE: strToU8(read('LICENSE')),
    },
    // The same sources give the same bytes.
    { mtime: new Date('2000-01-01T00:00:00') },
  ),
);
console.log(file);
