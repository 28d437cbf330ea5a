import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import tsupConfig from '../../tsup.config.ts';

const ROOT = join(import.meta.dirname, '../..');
const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

it('the tarball has the docs and every example that a page names, and the build makes no source maps', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [{ files }] = packed.parse(JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' })));
  const paths = files.map(({ path }) => path);
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const texts = pages.map((name) => readFileSync(join(ROOT, 'docs', name), 'utf8'));
  const named = [...texts.join('\n').matchAll(/examples\/[\w-]+\.mjs/g)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(3);
  expect(paths).toEqual(expect.arrayContaining([...named, 'docs/reference/tools.md']));
  expect(tsupConfig).not.toHaveProperty('sourcemap');
});
