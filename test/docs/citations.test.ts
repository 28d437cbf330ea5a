import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, textOf } from './markdown.ts';

// Whoever reads the code or a document can open what it cites.

/** Folders that are not in the repository. */
const LEFT_OUT = new Set(['.git', '.types', 'coverage', 'data', 'dist', 'node_modules']);
/** What others wrote. */
const FOREIGN = new Set(['package-lock.json', 'hosts/dashboard/pico.ts']);

const files = readdirSync(ROOT, { withFileTypes: true })
  .filter(({ name }) => !LEFT_OUT.has(name))
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(ROOT, entry.name), { recursive: true, encoding: 'utf8' }).map((path) =>
          join(entry.name, path),
        )
      : [entry.name],
  )
  .filter((file) => /(^\.ci\/.*|\.(ts|tsx|js|mjs|cjs|json|md|yaml|yml))$/.test(file) && !FOREIGN.has(file));

it('every document that a file names is there', () => {
  const missing = files.flatMap((file) => {
    const named = textOf(file).match(/(?<![\w@./:-])[\w@./-]*\w\.md\b/g) ?? [];
    const from = [ROOT, join(ROOT, dirname(file)), join(ROOT, 'node_modules')];
    return named
      .filter((name) => !from.some((folder) => existsSync(join(folder, name))))
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

it('every link of a document leads somewhere, anchors included', () => {
  const broken = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const links = Array.from(textOf(file).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
      return links
        .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(file, link))
        .map((link) => `${file}: ${link}`);
    });
  expect(broken).toEqual([]);
});

function leadsSomewhere(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : join(dirname(file), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(textOf(target)).has(anchor);
}

/** As GitHub names the headings of a document. */
function anchorsOf(page: string): Set<string> {
  const headings = Array.from(
    page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm),
    ([, text = '']) => text,
  );
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
