import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';
import { pythonTestMail } from '../../python-test-mail.ts';

/** Written by the programs that documents/make.py names; that file lists their contents. */
const DOCUMENTS = join(import.meta.dirname, 'documents');
const HIDDEN = '\n\n[Hidden text of this document is left out.]';

async function textOf(path: string, mime = 'application/octet-stream') {
  return documentText(await readFile(path), { name: '', mime });
}

describe('documents of real programs', () => {
  const report = 'Turnover rose to 12 % – more than expected';
  const places = 'Zażółć gęślą jaźń, 東京, 🎉.';

  it.each([
    ['pages.pdf', 'Invoice 4711\nTotal: 99 EUR\n\nSecond page'],
    // It opens without a password, but must not be changed.
    ['restricted.pdf', 'Invoice 4711\nTotal: 99 EUR\n\nSecond page'],
    [
      'pandoc.docx',
      `Quarterly report\nResults\n${report}. ${places}\nfirst point\nsecond point\nRegion\tTurnover\nNorth\t100\nSouth\t200\nOutlook\nNothing < everything & more.\n\n By the board.`,
    ],
    [
      'pandoc.odt',
      `Quarterly report\nResults\n${report} [1 By the board.]. ${places}\nfirst point\nsecond point\nTable1\nRegion\tTurnover\nNorth\t100\nSouth\t200\nOutlook\nNothing < everything & more.`,
    ],
    [
      'pandoc.pptx',
      `Quarterly report\n\nResults\n${report}1. ${places}\nfirst point\nsecond point\nRegion\tTurnover\nNorth\t100\nSouth\t200\n\nOutlook\nNothing < everything & more.\n\nNotes\n1. By the board.`,
    ],
    [
      'word.docx',
      `Letterhead of Example Ltd\nOffer\nWe offer ten chairs.\nSecond line.\tBehind a tab.\nItem\tPrice\nChair\t40 €${HIDDEN}`,
    ],
    [
      'sheet.xlsx',
      `Orders\nDate\tItem\tAmount\tPaid\n2026-03-01\tChair\t0.3\tTRUE\n2026-03-02 14:30\tTable & lamp\t1234.5\tFALSE\n\t\t\t\t\tfar\n\nNotes\n\ttwo lines${HIDDEN}`,
    ],
    ['sheet.ods', 'Orders\nItem\tPrice\nChair\t40 €'],
    ['slides.odp', `First slide   spaced\nSecond slide   spaced${HIDDEN}`],
  ])('%s', async (name, text) => {
    expect(await textOf(join(DOCUMENTS, name))).toEqual({ kind: 'text', text, cut: false });
  });

  it('pandoc.rtf', async () => {
    const answer = await textOf(join(DOCUMENTS, 'pandoc.rtf'));
    const text = answer.kind === 'text' ? answer.text : '';
    expect(text).toContain(`${report}`);
    expect(text).toContain(places);
    expect(text).toMatch(/Region\s+Turnover\s+North\s+100\s+South\s+200/);
    expect(text).not.toContain('fonttbl');
  });

  it.each([
    ['locked.pdf', { reason: 'encrypted' }],
    ['scan.pdf', { reason: 'no_text', pages: 1 }],
    ['picture.png', { reason: 'image', picture: { format: 'PNG', width: 200, height: 200 } }],
  ])('%s contains no text: %o', async (name, answer) => {
    expect(await textOf(join(DOCUMENTS, name))).toEqual({ kind: 'empty', ...answer });
  });
});

const MANUALS = [
  {
    path: '/usr/share/doc/libtasn1-doc/libtasn1.pdf',
    sentence: 'Abstract Syntax Notation One (ASN.1) library for the GNU system',
  },
  {
    path: '/usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf',
    sentence: 'Do not rely on two applications getting the same type for the same file',
  },
].filter(({ path }) => existsSync(path));

describe.skipIf(MANUALS.length === 0)('manuals of this machine (no PDF found below /usr/share/doc)', () => {
  it.each(MANUALS)('$path', async ({ path, sentence }) => {
    const answer = await textOf(path);
    expect(answer).toMatchObject({ kind: 'text', cut: false, text: expect.stringContaining(sentence) });
  });
});

const PYTHON_MAIL = await pythonTestMail();

describe.skipIf(PYTHON_MAIL === undefined)('messages of Python’s own tests (no pyenv Python found)', () => {
  it('are all read, with sender and subject', async () => {
    const folder = PYTHON_MAIL ?? '';
    const names = (await readdir(folder)).filter((name) => /^msg_.*\.txt$/.test(name));
    expect(names.length).toBeGreaterThan(40);
    for (const name of names) {
      const source = await readFile(join(folder, name));
      const [header = ''] = source.toString('latin1').split(/\n\r?\n/);
      // One of them has only fields that are never shown.
      if (!/^(?:From|To|Subject|Date):/im.test(header)) continue;
      const subject = /^Subject: ([\w ]+)$/m.exec(header)?.[1];
      const text = expect.stringContaining(subject === undefined ? '' : `Subject: ${subject}`);
      const answer = await documentText(source, { name, mime: 'message/rfc822' });
      expect(answer, name).toEqual({ kind: 'text', text, cut: false });
    }
  });
});
