import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = /(?:import|export) (?:type )?\{([^}]*)\} from '([^']*)'/g;

/** The names that a file imports or exports, by module. */
function namesIn(path: string): { from: string; names: string[] }[] {
  return [...readFileSync(path, 'utf8').matchAll(NAMES)].map(([, list = '', from = '']) => ({
    from,
    names: list
      .split(',')
      .map((name) => name.replace(/^\s*type\s/, '').trim())
      .filter((name) => name !== ''),
  }));
}

it('every type of a store is public: other storage adapters import it from countersign/adapter', () => {
  const given = namesIn(join(ROOT, 'core/adapter.ts')).flatMap(({ names }) => names);
  const isPublic = new Set(given.map((name) => name.split(' as ')[0]));
  const folders = ['adapters/sqlite', 'adapters/sql'].map((folder) => join(ROOT, folder));
  const taken = folders
    .flatMap((folder) => readdirSync(folder).flatMap((file) => namesIn(join(folder, file))))
    .filter(({ from }) => from.startsWith('../../core/'))
    .flatMap(({ names }) => names);
  expect(taken).toContain('createStorage');
  expect([...new Set(taken)].filter((name) => !isPublic.has(name)).toSorted()).toEqual([]);
});
