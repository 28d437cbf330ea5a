import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { importRules } from '../import-rules.ts';
import { codeIn, documentText, ROOT, tableIn } from './documents.ts';

// What docs/architecture.md lists is what there is. For its tables of the approval machine, see approval-table.test.ts.

const page = documentText('docs/architecture.md');

it('the rooms of core stand in the order of the import rules, in both tables', async () => {
  const rooms = (await importRules()).flatMap(({ name }) => /^core-room-(.*)$/.exec(name)?.[1] ?? []);
  expect(tableIn(page, 'part', 'rooms, in order').flatMap(([, cell = '']) => codeIn(cell))).toEqual(rooms);
  const held = tableIn(page, 'room', 'holds').flatMap(([cell = '']) => codeIn(cell));
  expect(held).toEqual(rooms);
});

it('no page has more lines than can be read', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const long = pages.filter((name) => documentText(join('docs', name)).split('\n').length > 250);
  expect(long).toEqual([]);
  expect(documentText('README.md').split('\n').length).toBeLessThanOrEqual(200);
  expect(documentText('CONTRIBUTING.md').split('\n').length).toBeLessThanOrEqual(110);
});

it('the tables of the database are all named, each once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tables-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'countersign.db');
  await sqliteStorage({ file }).close();
  const database = new Database(file, { readonly: true });
  onTestFinished(() => void database.close());
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  const named = tableIn(page, 'subject', 'tables').flatMap(([, cell = '']) => codeIn(cell));
  expect(named.toSorted()).toEqual(tables.toSorted());
});
