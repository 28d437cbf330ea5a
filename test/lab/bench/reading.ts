import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { strFromU8, unzipSync } from 'fflate';
import mammoth from 'mammoth';
import { extractText, getDocumentProxy } from 'unpdf';
import * as z from 'zod';
import { workerText } from '../../../adapters/extract/attachment-text.ts';
import { parseMessage } from '../../../core/mime/parse.ts';
import { paragraph, run, wordFile } from '../../adapters/extract/office-files.ts';
import { manyLetters } from './maildir.ts';
import { readingThroughput } from './reading-throughput.ts';
import { alternate, medianMs } from './rounds.ts';
import type { Row } from './table.ts';

const DOCUMENT_BYTES = 1024 * 1024;
const ROUNDS = 7;
const CALLS_A_ROUND = 3;
const MESSAGES = 10_000;
const WARM = 2_000;
const KB = 1024;
/** Maximum time, as a multiple of the library alone. */
const MOST = 1.3;

/**
 * Extracts text from documents, against the bare libraries and against Debian's programs, and measures what reading many
 * messages leaves in memory.
 */
export async function reading(): Promise<Row[]> {
  const reader = workerText({ workerFile: join(import.meta.dirname, 'worker.mjs') });
  const { signal } = new AbortController();
  const ours = (bytes: Uint8Array) => async () => {
    const answer = await reader.extract({ bytes, name: '', mime: '', ownerId: 'owner', signal });
    if (answer.kind !== 'text' || answer.cut || !answer.text.includes(LAST))
      throw new Error('the text was not read');
  };
  const compared = (name: string, bytes: Uint8Array, reference: () => Promise<void>, most?: number) =>
    alternate(
      ROUNDS,
      () => medianMs(CALLS_A_ROUND, reference),
      () => medianMs(CALLS_A_ROUND, ours(bytes)),
    ).then(
      (figures): Row => ({
        name,
        unit: 'ms',
        ...figures,
        ...(most === undefined ? {} : { bound: { most } }),
      }),
    );
  try {
    const pdf = pdfFile();
    const word = wordFile(Array.from(sentences(DOCUMENT_BYTES), (text) => paragraph(run(text))).join(''));
    return [
      await compared(
        `text of a PDF of ${pdf.length >> 10} KB, against unpdf alone`,
        pdf,
        () => barePdf(pdf),
        MOST,
      ),
      await compared(
        `text of a docx of ${word.length >> 10} KB, against mammoth alone`,
        word,
        () => bareWord(word),
        MOST,
      ),
      await compared('  against fflate, which only unpacks it', word, () => unpackedWord(word)),
      await memoryLeft(),
      ...(await readingThroughput()),
    ];
  } finally {
    await reader.close();
  }
}

async function barePdf(bytes: Uint8Array): Promise<void> {
  // The library rejects a Buffer, and detaches the bytes.
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const { text } = await extractText(pdf, { mergePages: true });
  if (!text.includes(LAST)) throw new Error('unpdf did not read the text');
}

async function bareWord(bytes: Uint8Array): Promise<void> {
  const { value } = await mammoth.extractRawText({ buffer: Buffer.from(bytes) });
  if (!value.includes(LAST)) throw new Error('mammoth did not read the text');
}

async function unpackedWord(bytes: Uint8Array): Promise<void> {
  const xml = unzipSync(bytes)['word/document2.xml'];
  if (
    xml === undefined ||
    !strFromU8(xml)
      .replace(/<[^>]*>/g, '')
      .includes(LAST)
  ) {
    throw new Error('fflate did not unpack the text');
  }
}

const LAST = 'the very last line';

/** Sentences of this many bytes in total, which compress about as well as real ones. */
function* sentences(bytes: number): Generator<string> {
  let state = 7;
  for (let left = bytes * 1.5; left > 0; ) {
    const words = Array.from({ length: 12 }, () => {
      state = (Math.imul(state, 48271) >>> 0) % 0x7fffffff;
      return state.toString(36);
    });
    const text = words.join(' ');
    left -= text.length;
    yield text;
  }
  yield LAST;
}

/** Pages of lines, as written by a program that does not compress. */
function pdfFile(): Buffer {
  const lines = Array.from(sentences(DOCUMENT_BYTES / 1.7));
  const pages: string[] = [];
  for (let at = 0; at < lines.length; at += 50) {
    const shown = lines.slice(at, at + 50).map((line) => `(${line}) Tj T*`);
    pages.push(`BT /F1 8 Tf 10 TL 40 780 Td ${shown.join('\n')} ET`);
  }
  const first = 4;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${pages.map((_page, i) => `${first + 2 * i} 0 R`).join(' ')}]/Count ${pages.length}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...pages.flatMap((page, i) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${first + 2 * i + 1} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
      `<</Length ${page.length}>>stream\n${page}\nendstream`,
    ]),
  ];
  let file = '%PDF-1.7\n';
  const rows = objects.map((object, i) => {
    const row = `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const size = objects.length + 1;
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF`,
  );
}

/** Messages that were read and released leave nothing behind. */
async function memoryLeft(): Promise<Row> {
  let warmBytes = 0;
  let count = 0;
  for (const { raw } of manyLetters('bench', MESSAGES)) {
    await parseMessage(raw);
    count += 1;
    if (count === WARM) warmBytes = heldBytes();
  }
  const name = `${MESSAGES} messages parsed: heap and buffers left beyond those after ${WARM}`;
  return { name, unit: 'KB', ours: (heldBytes() - warmBytes) / KB, bound: { most: 1024 } };
}

function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = z.custom<() => void>((value) => typeof value === 'function').parse(runInNewContext('gc'));
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
