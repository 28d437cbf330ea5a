import { describe, expect, it } from 'vitest';
import { allCommands } from '../../hosts/server/commands.ts';
import { usageOf } from '../../hosts/server/help.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { codeBlocksIn, codeIn, documentText, filesOfRepository } from './documents.ts';
import { BLOCKS } from './run-blocks.ts';

// What a reader copies from a document works: a test runs it, or run-blocks.ts says why none does.

const PAGES = filesOfRepository().filter((file) => /^(README|CONTRIBUTING|docs\/[\w-]+)\.md$/.test(file));
const RUNNABLE = ['sh', 'js', 'ts', 'python', 'go', 'json', 'nginx', 'haproxy', 'apache'];

/** The blocks that somebody could run, each on one line. */
function runnable(page: string): string[] {
  return codeBlocksIn(documentText(page)).flatMap(({ language, code }) =>
    RUNNABLE.includes(language) ? code.replaceAll(/\s+/g, ' ') : [],
  );
}

it.each(PAGES)('%s: each block is run by a test, or it is said why not', (page) => {
  const blocks = runnable(page);
  const named = Object.keys(BLOCKS[page] ?? {});
  expect(blocks.filter((code) => named.filter((start) => code.startsWith(start)).length !== 1)).toEqual([]);
  expect(named.filter((start) => !blocks.some((code) => code.startsWith(start)))).toEqual([]);
});

it('every test that is said to run a block reads its page', () => {
  const wrong = Object.entries(BLOCKS).flatMap(([page, blocks]) =>
    Object.entries(blocks).flatMap(([start, runs]) =>
      'test' in runs && !documentText(runs.test).includes(page) ? `${page}: ${start}: ${runs.test}` : [],
    ),
  );
  expect(wrong).toEqual([]);
});

describe('where no test runs a command', () => {
  const shell = PAGES.flatMap((page) => codeBlocksIn(documentText(page))).flatMap(({ language, code }) =>
    language === 'sh' ? code : [],
  );

  it('every command of countersign is there with its options, also inside of sentences', async () => {
    const commands = await allCommands();
    const lines = shell.flatMap((code) => code.replaceAll('\\\n', ' ').split('\n'));
    const inText = PAGES.flatMap((page) => codeIn(documentText(page)));
    const called = [...lines.filter((line) => !line.startsWith('npm ')), ...inText].flatMap(
      (line) => /(?:^|\s)countersign ([a-z].*)$/.exec(line.replace(/\s+#.*$/, ''))?.[1] ?? [],
    );
    expect(called.length).toBeGreaterThan(30);
    const wrong = called.filter((line) => {
      const command = commands.find(({ name }) => line === name || line.startsWith(`${name} `));
      if (command === undefined) return true;
      const options = new Set(['--help', ...(usageOf(command).match(/--[a-z-]+/g) ?? [])]);
      return (line.match(/--[a-z-]+/g) ?? []).some((option) => !options.has(option));
    });
    expect(wrong).toEqual([]);
  });

  it('every script of npm is there: CONTRIBUTING.md names them', () => {
    const named = shell.flatMap((code) =>
      Array.from(code.matchAll(/^npm run ([\w:]+)/gm), ([, name = '']) => name),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !Object.hasOwn(packageJson.scripts, name))).toEqual([]);
  });
});
