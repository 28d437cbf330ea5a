import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withoutFences } from './page-links.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** @param file  a path from the root of the repository */
export function documentText(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The files of the repository: tracked ones, and new ones that git does not ignore. */
export function filesOfRepository(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  // A file that was deleted is tracked until that is committed.
  const files = [...new Set(listed.split('\0'))].filter((file) => file !== '');
  return files.filter((file) => existsSync(join(ROOT, file))).sort();
}

/** The text of the section with this title, with what is below it. @throws Error if there is none */
export function sectionOf(page: string, title: string): string {
  const lines = page.split('\n');
  const headings = withoutFences(page)
    .split('\n')
    .map((line) => /^(#+) (.*)$/.exec(line));
  const begin = headings.findIndex((heading) => heading?.[2] === title);
  const depth = headings[begin]?.[1]?.length;
  if (depth === undefined) throw new Error(`there is no section ${title}`);
  const end = headings.findIndex((heading, at) => at > begin && (heading?.[1]?.length ?? depth + 1) <= depth);
  return lines.slice(begin + 1, end === -1 ? undefined : end).join('\n');
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

/** The page with another table in place of the one whose head starts with these cells. @param lines  cells: head and rows */
export function withTable(
  page: string,
  start: readonly string[],
  [head = [], ...rows]: readonly (readonly string[])[],
): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const old = new RegExp(`^\\| ${start.join(' \\| ')} \\|.*(?:\\n\\|.*)*`, 'm');
  return page.replace(old, lines.join('\n'));
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
  return existsSync(join(ROOT, file)) && (name === undefined || documentText(file).includes(name));
}

/** A block of code, and the language that it names. */
interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

/** All blocks of code that name a language, in their order. */
export function codeBlocksIn(text: string): CodeBlock[] {
  return Array.from(text.matchAll(/^```(\w+)\n(.*?)^```/gms), ([, language = '', code = '']) => ({
    language,
    code,
  }));
}

/** The blocks of code in a language, in their order. @throws Error if there is none */
export function blocksIn(text: string, language: string): [string, ...string[]] {
  const [first, ...others] = codeBlocksIn(text).flatMap((block) =>
    block.language === language ? block.code : [],
  );
  if (first === undefined) throw new Error(`there is no block of ${language}`);
  return [first, ...others];
}
