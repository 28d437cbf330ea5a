import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** @param file  a path from the root of the repository */
export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The rows of the table whose head starts with these cells, without their outer spaces. Empty: there is none. */
export function tableIn(page: string, ...head: readonly string[]): string[][] {
  const lines = page.split('\n');
  const start = lines.indexOf(lines.find((line) => line.startsWith(`| ${head.join(' | ')} |`)) ?? '');
  if (start === -1) return [];
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) => cellsOf(line));
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

/** The texts in code font. */
export function codeIn(text: string): string[] {
  return Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
}

/** A test that a text names, as `test/….ts` "name". `name` undefined: the whole file. */
export interface NamedTest {
  readonly file: string;
  readonly name: string | undefined;
}

export function testsIn(text: string): NamedTest[] {
  return Array.from(text.matchAll(/`(test\/[^`]+)`(?: "([^"]+)")?/g), ([, file = '', name]) => ({
    file,
    name,
  }));
}

/** Whether the text names this test as it is written in its file. */
export function isThere({ file, name }: NamedTest): boolean {
  return existsSync(join(ROOT, file)) && (name === undefined || textOf(file).includes(name));
}
