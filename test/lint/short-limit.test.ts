import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const BIOME = join(ROOT, 'node_modules/.bin/biome');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-lint-'));
  for (const file of ['biome.json', 'test/lint/short-limit.grit'])
    cpSync(join(ROOT, file), join(folder, file));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** How many limits the linter refuses in a file with the code. */
function refused(path: string, code: string): number {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), code);
  const { stdout, stderr } = spawnSync(BIOME, ['lint', path], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toContain('Checked 1 file');
  return stderr.split('The usual limit only ends what hangs').length - 1;
}

it('a limit of its own is refused for a test and for a suite, however they are called', () => {
  const code = [
    "it('a', { timeout: 5 }, () => {});",
    "it.skipIf(true)('b', { concurrent: true, timeout: 5 }, () => {});",
    "describe('c', { timeout: 5 }, () => { it.each([1])('d', { timeout: 5 }, () => {}); });",
  ];
  expect(refused('test/a.test.ts', code.join('\n'))).toBe(4);
});

it('a limit of anything else is not, nor one in the published contracts', () => {
  expect(refused('test/a.test.ts', "it('a', () => call({ timeout: 5 }));\ncall('b', { timeout: 5 });")).toBe(
    0,
  );
  expect(refused('test/contracts/a.ts', "it('a', { timeout: 5 }, () => {});")).toBe(0);
});
