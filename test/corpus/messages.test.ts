import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentText } from '../../adapters/extract/document-text.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { expectedFiles, generate, missingPackages } from './generators.ts';
import { addTo, type Recall, recallTable } from './recall.ts';

const LEAST = 0.99;
const MAILERS = ['eastern', 'encrypted', 'list', 'node', 'outlook', 'perl', 'python', 'ruby', 'smime'];

const missing = missingPackages('messages');

describe.skipIf(missing.length > 0)(titledWithout(missing, 'messages of other mailers'), () => {
  let folder = '';
  const recalls = new Map<string, Recall>();
  const lost = new Map<string, string[]>();

  beforeAll(async () => {
    folder = await generate('messages');
    for (const name of (await expectedFiles(folder, '.words')).sort()) {
      const type = /^[a-z]+/.exec(name)?.[0] ?? '';
      const recall = recalls.get(type) ?? { type, files: 0, expected: 0, came: 0 };
      recalls.set(type, recall);
      const answer = await documentText(await readFile(join(folder, name)), { name, mime: 'message/rfc822' });
      const expected = await readFile(join(folder, `${name}.words`), 'utf8');
      const words = addTo(recall, expected, answer.kind === 'text' ? answer.text : '');
      if (words.length === 0) continue;
      lost.set(type, [...(lost.get(type) ?? []), `${name}: ${words.slice(0, 10).join(' ')}`]);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are at least 300, of every mailer', () => {
    const all = [...recalls.values()].sort((a, b) => a.type.localeCompare(b.type));
    console.log(recallTable(all));
    expect(all.map(({ type }) => type)).toEqual(MAILERS);
    expect(all.reduce((sum, { files }) => sum + files, 0)).toBeGreaterThanOrEqual(300);
  });

  it.each(MAILERS)('%s: names, subjects, texts and names of attachments are found', (type) => {
    const { expected, came } = recalls.get(type) ?? { expected: 1, came: 0 };
    expect(came / expected, lost.get(type)?.slice(0, 10).join('\n')).toBeGreaterThanOrEqual(LEAST);
  });
});
