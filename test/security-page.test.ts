import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

// docs/security.md names the test that shows each claim. Whoever renames or removes a test must update its claim.

const ROOT = resolve(import.meta.dirname, '..');
const page = readFileSync(resolve(ROOT, 'docs/security.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| (?!threat|-)/.test(line));
const references = rows.flatMap((row) =>
  Array.from(
    row
      .split(' | ')
      .at(-1)
      ?.matchAll(/`(test\/[^`]+)`(?: "([^"]+)")?/g) ?? [],
    ([, file, name]) => ({
      file: file ?? '',
      name,
    }),
  ),
);

describe('docs/security.md', () => {
  it('names a test for every threat', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => !/`test\/[^`]+`/.test(row.split(' | ').at(-1) ?? ''))).toEqual([]);
  });

  it.each(references)('$file: $name', ({ file, name }) => {
    expect(existsSync(resolve(ROOT, file))).toBe(true);
    if (name !== undefined) expect(readFileSync(resolve(ROOT, file), 'utf8')).toContain(name);
  });
});
