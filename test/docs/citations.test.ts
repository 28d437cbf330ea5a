import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { documentText, filesOfRepository, ROOT } from './documents.ts';

// Whoever reads the code or a document can open what it cites.

/** What others wrote, and the tests of links, whose pages are made up. */
const NO_CITATIONS = new Set(['package-lock.json', 'hosts/dashboard/pico.ts', 'test/docs/links.test.ts']);

const files = filesOfRepository().filter(
  (file) => /(^\.ci\/.*|\.(ts|tsx|js|mjs|cjs|json|md|yaml|yml))$/.test(file) && !NO_CITATIONS.has(file),
);

it('every document that a file names is there', () => {
  const missing = files.flatMap((file) => {
    const named = documentText(file).match(/(?<![\w@./:-])[\w@./-]*\w\.md\b/g) ?? [];
    // The pages of the reference are made there.
    const made = file.startsWith('test/docs/') ? ['docs/reference'] : [];
    const from = ['', dirname(file), 'node_modules', ...made];
    return named
      .filter((name) => !from.some((folder) => existsSync(join(ROOT, folder, name))))
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});
