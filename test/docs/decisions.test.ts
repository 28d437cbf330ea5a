import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeIn, documentText, isThere, ROOT, testsIn } from './documents.ts';

// Each record of docs/decisions is in its list, and the code and the tests that it names are there. The same goes for
// docs/architecture.md, which says where things are.

const FOLDER = 'docs/decisions';
const records = readdirSync(join(ROOT, FOLDER)).filter((file) => file !== 'README.md');

describe('the list of decisions', () => {
  it('has every record once, by its title', () => {
    const listed = Array.from(
      documentText(`${FOLDER}/README.md`).matchAll(/^- \[(.*)\]\((.*)\)$/gm),
      ([, title, file]) => ({
        title,
        file,
      }),
    );
    const titled = records.map((file) => ({
      title: /^# (.*)\n/.exec(documentText(`${FOLDER}/${file}`))?.[1],
      file,
    }));
    const byFile = (all: typeof titled) => all.toSorted((a, b) => a.file.localeCompare(b.file));
    expect(byFile(listed.map(({ title, file = '' }) => ({ title, file })))).toEqual(byFile(titled));
  });
});

describe.each(records)('%s', (file) => {
  const page = documentText(`${FOLDER}/${file}`);

  it('is short, and says why, what else there is, what it costs and where it stands', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(61);
    expect(Array.from(page.matchAll(/^## (.*)$/gm), ([, heading]) => heading)).toEqual([
      'Why',
      'What else there is, and why not',
      'What it costs',
      'Where it stands',
    ]);
  });

  it('names a test that holds it', () => {
    expect(testsIn(page).length).toBeGreaterThan(0);
  });
});

describe.each([...records.map((file) => `${FOLDER}/${file}`), 'docs/architecture.md'])('%s', (file) => {
  it('names only code and tests that are there', () => {
    const page = documentText(file);
    const paths = codeIn(page).filter((code) => /^(core|adapters|hosts|test|examples)\/[\w./-]+$/.test(code));
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(testsIn(page).filter((one) => !isThere(one))).toEqual([]);
  });
});
