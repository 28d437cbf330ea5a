import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createDeflate } from 'node:zlib';
import fc from 'fast-check';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { workerText } from '../../../adapters/extract/attachment-text.ts';
import type { AttachmentText } from '../../../core/ports/attachment-text.ts';
import tsupConfig from '../../../tsup.config.ts';
import { bundleForChild } from '../../run-typescript.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGES = join(import.meta.dirname, 'documents/pages.pdf');
const owned = { ownerId: 'owner', signal: new AbortController().signal };
const plain = (text: string) => ({
  bytes: Buffer.from(text),
  name: 'a.txt',
  mime: 'text/plain',
  ...owned,
});

let workerFile = '';
let reader: AttachmentText;

beforeAll(async () => {
  workerFile = await bundleForChild(join(ROOT, 'adapters/extract/worker.ts'));
  reader = workerText({ workerFile });
});

afterAll(() => reader.close());

describe('the attachment reader', () => {
  it('returns the text, and leaves the bytes to the caller', async () => {
    const bytes = new Uint8Array(await readFile(PAGES));
    const before = bytes.slice();
    expect(await reader.extract({ bytes, name: 'x', mime: 'application/pdf', ...owned })).toEqual({
      kind: 'text',
      text: 'Invoice 4711\nTotal: 99 EUR\n\nSecond page',
      cut: false,
    });
    expect(bytes).toEqual(before);
  });

  it('reads many at once, each separately', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => `text ${i}`);
    const answers = await Promise.all(texts.map((text) => reader.extract(plain(text))));
    expect(answers).toEqual(texts.map((text) => ({ kind: 'text', text, cut: false })));
  });

  it('refuses more than 25 MB', async () => {
    const bytes = new Uint8Array(25 * 1024 * 1024 + 1);
    expect(await reader.extract({ bytes, name: '', mime: '', ...owned })).toEqual({
      kind: 'empty',
      reason: 'too_large',
    });
  });

  it('does not spend a gigabyte of memory on a PDF that unpacks to one', async () => {
    const bytes = pdfOf(await deflatedGigabyte());
    const rssBefore = residentBytes();
    let rssMost = rssBefore;
    const watch = setInterval(() => {
      rssMost = Math.max(rssMost, residentBytes());
    }, 10);
    onTestFinished(() => clearInterval(watch));
    const answer = await reader.extract({ bytes, name: '', mime: '', ...owned });
    expect(answer.kind).toBe('empty');
    expect(['too_large', 'too_slow', 'no_text']).toContain(answer.kind === 'empty' && answer.reason);
    expect(rssMost - rssBefore).toBeLessThan(400 * 1024 * 1024);
  });

  it('answers for a damaged PDF', async () => {
    const whole = await readFile(PAGES);
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(), async (changes, cutAt) => {
        const bytes = new Uint8Array(cutAt % 4 === 0 ? whole.subarray(0, 8 + (cutAt % whole.length)) : whole);
        for (const [at, value] of changes) bytes[8 + (at % (bytes.length - 8))] = value;
        const answer = await reader.extract({ ...plain(''), bytes });
        expect(['text', 'empty']).toContain(answer.kind);
      }),
      { numRuns: 100 },
    );
  });

  it('does not start for a caller that has aborted, nor keeps one waiting', async () => {
    await expect(
      reader.extract({ ...plain('x'), signal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow('gone');
    const gone = new AbortController();
    const waiting = Array.from({ length: 8 }, () => reader.extract({ ...plain('x'), signal: gone.signal }));
    gone.abort(new Error('gone'));
    const ends = await Promise.allSettled(waiting);
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'rejected'));
    expect(await reader.extract(plain('next'))).toMatchObject({ text: 'next' });
  });

  it('refuses jobs after it was closed', async () => {
    const closed = workerText({ workerFile });
    await closed.extract(plain('x'));
    await closed.close();
    await expect(closed.extract(plain('x'))).rejects.toThrow('closed');
  });
});

it('works when published: the worker is found, and an idle one keeps no process alive', async () => {
  const house = await mkdtemp(join(tmpdir(), 'countersign-package-'));
  onTestFinished(() => rm(house, { recursive: true }));
  for (const name of ['node_modules', 'package.json']) await symlink(join(ROOT, name), join(house, name));
  await build({ ...tsupConfig, config: false, dts: false, silent: true, outDir: join(house, 'dist') });
  const program = `
    import { readFile } from 'node:fs/promises';
    import { workerText } from 'countersign/extract';
    const bytes = await readFile(${JSON.stringify(PAGES)});
    const { signal } = new AbortController();
    const answer = await workerText().extract({ bytes, name: '', mime: '', ownerId: 'owner', signal });
    console.log(JSON.stringify(answer));`;
  await writeFile(join(house, 'program.mjs'), program);
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: house });
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'text', cut: false });
});

/** The resident memory of this process and of those that it started. */
function residentBytes(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const pages = ['self', ...children].map((pid) => {
    try {
      return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    } catch {
      // It has exited meanwhile.
      return 0;
    }
  });
  return pages.reduce((sum, count) => sum + count, 0) * 4096;
}

/** Compressed piece by piece, so that this process does not need a gigabyte either. */
function deflatedGigabyte(): Promise<Buffer> {
  const megabyte = Buffer.alloc(1024 * 1024, '%');
  return buffer(Readable.from(Array<Buffer>(1024).fill(megabyte)).pipe(createDeflate({ level: 1 })));
}

/** A PDF of one page whose content is this deflated stream. */
function pdfOf(content: Uint8Array): Buffer {
  const stream = Buffer.concat([
    Buffer.from(`<</Length ${content.length}/Filter/FlateDecode>>stream\n`),
    content,
    Buffer.from('\nendstream'),
  ]);
  const objects = [
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    Buffer.from('<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<>>>>'),
    stream,
  ];
  let file = Buffer.from('%PDF-1.7\n');
  const rows = objects.map((object, i) => {
    const row = `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file = Buffer.concat([file, Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    return row;
  });
  const table = `xref\n0 5\n0000000000 65535 f \n${rows.join('')}trailer<</Size 5/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF`;
  return Buffer.concat([file, Buffer.from(table)]);
}
