import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, textOf } from './documents.ts';

// Whoever reads the code or a document can open what it cites.

/** Folders that are not in the repository. */
const LEFT_OUT = new Set(['.git', '.types', 'coverage', 'data', 'dist', 'node_modules']);
/** What others wrote, and the tests of links, whose pages are made up. */
const NO_CITATIONS = new Set(['package-lock.json', 'hosts/dashboard/pico.ts', 'test/docs/links.test.ts']);

const files = readdirSync(ROOT, { withFileTypes: true })
  .filter(({ name }) => !LEFT_OUT.has(name))
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(ROOT, entry.name), { recursive: true, encoding: 'utf8' }).map((path) =>
          join(entry.name, path),
        )
      : [entry.name],
  )
  .filter(
    (file) => /(^\.ci\/.*|\.(ts|tsx|js|mjs|cjs|json|md|yaml|yml))$/.test(file) && !NO_CITATIONS.has(file),
  );

it('every document that a file names is there', () => {
  const missing = files.flatMap((file) => {
    const named = textOf(file).match(/(?<![\w@./:-])[\w@./-]*\w\.md\b/g) ?? [];
    // The pages of the reference are made there.
    const made = file.startsWith('test/docs/') ? ['docs/reference'] : [];
    const from = ['', dirname(file), 'node_modules', ...made];
    return named
      .filter((name) => !from.some((folder) => existsSync(join(ROOT, folder, name))))
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});
