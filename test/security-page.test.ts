import { describe, expect, it } from 'vitest';
import { documentText, isThere, testsIn } from './docs/documents.ts';

// docs/security.md names the test that shows each claim. Whoever renames or removes a test must update its claim.

const rows = documentText('docs/security.md')
  .split('\n')
  .filter((line) => /^\| (?!threat|-)/.test(line));
const proofs = rows.map((row) => row.split(' | ').at(-1) ?? '');

describe('docs/security.md', () => {
  it('names a test for every threat', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(proofs.filter((proof) => testsIn(proof).length === 0)).toEqual([]);
  });

  it.each(proofs.flatMap(testsIn))('$file: $name', (named) => {
    expect(isThere(named)).toBe(true);
  });
});
