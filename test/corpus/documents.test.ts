import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { read, write } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentText } from '../../adapters/extract/document-text.ts';
import { sizeOf } from '../only-long.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { expectedFiles, generate, missingPackages } from './generators.ts';
import { addTo, type Recall, recallTable } from './recall.ts';

/** The least share of the expected words, by type. */
const LEAST: Readonly<Record<string, number>> = {
  csv: 0.99,
  doc: 0.99,
  docx: 0.99,
  epub: 0.99,
  html: 0.99,
  odp: 0.99,
  ods: 0.99,
  odt: 0.99,
  pdf: 0.98,
  ppt: 0.99,
  pptx: 0.99,
  rtf: 0.99,
  txt: 0.99,
  xls: 0.99,
  xlsb: 0.99,
  xlsx: 0.99,
};

/** The gate has each third document of a kind. */
const SHARE = sizeOf('corpus: documents', 1, 3);
const LEAST_FILES = 300 / SHARE;

const missing = missingPackages('documents');

describe.skipIf(missing.length > 0)(titledWithout(missing, 'documents of other programs'), () => {
  let folder = '';
  const recalls = new Map<string, Recall>();
  const lost = new Map<string, string[]>();

  beforeAll(async () => {
    folder = await generate('documents', { share: SHARE });
    await addBinaryWorkbooks(folder);
    for (const name of (await expectedFiles(folder, '.words')).sort()) {
      const type = name.slice(name.lastIndexOf('.') + 1);
      const recall = recalls.get(type) ?? { type, files: 0, expected: 0, came: 0 };
      recalls.set(type, recall);
      const answer = await documentText(await readFile(join(folder, name)), { name, mime: '' });
      const expected = await readFile(join(folder, `${name}.words`), 'utf8');
      const words = addTo(recall, expected, answer.kind === 'text' ? answer.text : '');
      if (words.length === 0) continue;
      const reason = answer.kind === 'text' ? '' : ` (${answer.reason})`;
      lost.set(type, [...(lost.get(type) ?? []), `${name}${reason}: ${words.slice(0, 10).join(' ')}`]);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(`are at least ${LEAST_FILES}, of every type`, () => {
    const all = [...recalls.values()].sort((a, b) => a.type.localeCompare(b.type));
    console.log(recallTable(all));
    expect(all.map(({ type }) => type)).toEqual(Object.keys(LEAST));
    expect(all.reduce((sum, { files }) => sum + files, 0)).toBeGreaterThanOrEqual(LEAST_FILES);
  });

  it.each(Object.entries(LEAST))('%s: %d of the words are found', (type, least) => {
    const { expected, came } = recalls.get(type) ?? { expected: 1, came: 0 };
    expect(came / expected, lost.get(type)?.slice(0, 10).join('\n')).toBeGreaterThanOrEqual(least);
  });

  it('pictures of other programs are recognised by their headers', async () => {
    const names = await expectedFiles(folder, '.size');
    expect(names.length).toBeGreaterThanOrEqual(18);
    for (const name of names) {
      const [format, width, height] = (await readFile(join(folder, `${name}.size`), 'utf8')).split(' ');
      const picture = { format, width: Number(width), height: Number(height) };
      const answer = await documentText(await readFile(join(folder, name)), { name, mime: '' });
      expect(answer, name).toEqual({ kind: 'empty', reason: 'image', picture });
    }
  });
});

/** SheetJS writes the workbooks again in the format that LibreOffice can only read. */
async function addBinaryWorkbooks(folder: string): Promise<void> {
  for (const name of await expectedFiles(folder, '.xlsx.words')) {
    const bytes: unknown = write(read(await readFile(join(folder, `${name}.xlsx`)), { cellNF: true }), {
      type: 'buffer',
      bookType: 'xlsb',
    });
    if (!Buffer.isBuffer(bytes)) throw new Error('SheetJS returned no buffer');
    await writeFile(join(folder, `${name}.xlsb`), bytes);
    await writeFile(join(folder, `${name}.xlsb.words`), await readFile(join(folder, `${name}.xlsx.words`)));
  }
}
