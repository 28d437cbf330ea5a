import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import tsupConfig from '../../tsup.config.ts';
import { leadsTo, linksOf } from '../docs/page-links.ts';

const ROOT = join(import.meta.dirname, '../..');
const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

/** The files of the tarball, by their paths. */
function packedFiles(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [{ files }] = packed.parse(JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' })));
  return files.map(({ path }) => path);
}

const paths = packedFiles();

it('the tarball has the docs and every example that a page names, and the build makes no source maps', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const texts = pages.map((name) => readFileSync(join(ROOT, 'docs', name), 'utf8'));
  const named = [...texts.join('\n').matchAll(/examples\/[\w-]+\.mjs/g)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(3);
  expect(paths).toEqual(expect.arrayContaining([...named, 'docs/reference/tools.md']));
  expect(tsupConfig).not.toHaveProperty('sourcemap');
});

it('every link and picture of a page in the tarball leads to a file or folder in it', () => {
  const pages = paths.filter((path) => path.endsWith('.md'));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/decisions/tsdav.md']));
  expect(paths).toContain('LICENSE');
  const lost = pages.flatMap((page) =>
    linksOf(readFileSync(join(ROOT, page), 'utf8'))
      .flatMap((target) => leadsTo(page, target)?.path ?? [])
      .filter((to) => !paths.some((path) => path === to || path.startsWith(`${to}/`)))
      .map((to) => `${page}: ${to}`),
  );
  expect(lost).toEqual([]);
});
