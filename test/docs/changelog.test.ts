import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { documentText, sectionOf } from './documents.ts';

// The changes are there to be read before an upgrade: one line each, under the reader whom it concerns.

const READERS = [
  'uses an assistant',
  'decides',
  'hosts it',
  'embeds it',
  'writes agents',
  'writes adapters',
  'operates it',
];

const page = documentText('CHANGELOG.md');
const versions = Array.from(page.matchAll(/^## (.*)$/gm), ([, title = '']) => title);

it('each version has a date or is not released yet, and the newest is that of the package', () => {
  expect(versions[0]?.split(' ')[0]).toBe(packageJson.version);
  const odd = versions.filter(
    (title) => !/^\d+\.\d+\.\d+ \((not released yet|\d{4}-\d{2}-\d{2})\)$/.test(title),
  );
  expect(odd).toEqual([]);
});

it.each(versions)('%s is short: one line a change, under whom it concerns', (version) => {
  const lines = sectionOf(page, version)
    .split('\n')
    .filter((line) => line !== '');
  expect(lines.length).toBeLessThan(80);
  const readers = lines.flatMap((line) => /^### Who (.*)$/.exec(line)?.[1] ?? []);
  expect(readers).toEqual(READERS.filter((reader) => readers.includes(reader)));
  expect(readers).not.toEqual([]);
  const changes = lines
    .slice(lines.findIndex((line) => line.startsWith('###')))
    .filter((line) => !line.startsWith('### '));
  expect(changes.filter((line) => !/^- .{1,200}\.$/.test(line))).toEqual([]);
});
