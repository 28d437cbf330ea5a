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
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { workerText } from '../../../adapters/extract/attachment-text.ts';
import { extractionProcess } from '../../../adapters/extract/extraction-process.ts';
import type { AttachmentText } from '../../../core/ports/attachment-text.ts';
import tsupConfig from '../../../tsup.config.ts';
import { bundleForChild } from '../../run-typescript.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGES = join(import.meta.dirname, 'documents/pages.pdf');
const signal = new AbortController().signal;
const plain = (text: string) => ({
  bytes: Buffer.from(text),
  name: 'a.txt',
  mime: 'text/plain',
  signal: new AbortController().signal,
});

let workerFile = '';
let reader: AttachmentText;

beforeAll(async () => {
  workerFile = await bundleForChild(join(ROOT, 'adapters/extract/worker.ts'));
  reader = workerText({ workerFile });
});

afterAll(() => reader.close());

describe('the reader of attachments', () => {
  it('answers with the text, and leaves the bytes to the caller', async () => {
    const bytes = new Uint8Array(await readFile(PAGES));
    const before = bytes.slice();
    expect(await reader.extract({ bytes, name: 'x', mime: 'application/pdf', signal })).toEqual({
      kind: 'text',
      text: 'Invoice 4711\nTotal: 99 EUR\n\nSecond page',
      cut: false,
    });
    expect(bytes).toEqual(before);
  });

  it('reads many at once, each its own', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => `text ${i}`);
    const answers = await Promise.all(texts.map((text) => reader.extract(plain(text))));
    expect(answers).toEqual(texts.map((text) => ({ kind: 'text', text, cut: false })));
  });

  it('takes no more than 25 MB', async () => {
    const bytes = new Uint8Array(25 * 1024 * 1024 + 1);
    expect(await reader.extract({ bytes, name: '', mime: '', signal })).toEqual({
      kind: 'empty',
      reason: 'too_large',
    });
  });

  it('a PDF that unpacks to a gigabyte takes no such memory', async () => {
    const bytes = pdfOf(await deflatedGigabyte());
    const rssBefore = residentBytes();
    let rssMost = rssBefore;
    const watch = setInterval(() => {
      rssMost = Math.max(rssMost, residentBytes());
    }, 10);
    onTestFinished(() => clearInterval(watch));
    const answer = await reader.extract({ bytes, name: '', mime: '', signal });
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
  }, 300_000);

  it('does not begin for a caller who has gone, nor keep one waiting', async () => {
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

  it('refuses after it was closed', async () => {
    const closed = workerText({ workerFile });
    await closed.extract(plain('x'));
    await closed.close();
    await expect(closed.extract(plain('x'))).rejects.toThrow('closed');
  });
});

describe('a process', () => {
  const job = { bytes: new Uint8Array(1), name: '', mime: '' };

  /** A worker that says it is ready and then does this with each job. */
  async function processThat(does: string, maxMs = 60_000, idleMs = 60_000) {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-process-'));
    const file = join(folder, 'worker.mjs');
    await writeFile(
      file,
      `let jobs = 0;
       process.on('message', (job) => { jobs++; ${does} });
       process.on('disconnect', () => process.exit());
       process.send('ready');`,
    );
    const reading = extractionProcess({ file: () => file, maxMs, idleMs });
    onTestFinished(async () => {
      await reading.close();
      await rm(folder, { recursive: true });
    });
    return reading;
  }
  const answer = "process.send({ kind: 'text', text: String(jobs), cut: false });";

  it('is used again after an answer', async () => {
    const reading = await processThat(answer);
    expect(await reading.extract(job, signal)).toMatchObject({ text: '1' });
    expect(await reading.extract(job, signal)).toMatchObject({ text: '2' });
  });

  it.each([
    ['spins', 'if (job.name === "") for (;;);', 2000, 'too_slow'],
    ['never answers', 'if (job.name === "") return;', 2000, 'too_slow'],
    ['fails', 'if (job.name === "") throw new Error("no");', 60_000, 'broken'],
    ['answers nonsense', 'if (job.name === "") return process.send({ kind: "text" });', 60_000, 'broken'],
    [
      'fills its memory',
      'const all = []; if (job.name === "") for (;;) all.push(new Array(100_000).fill(all));',
      60_000,
      'too_large',
    ],
  ])('that %s is ended, and the next document gets a new one', async (_name, does, maxMs, reason) => {
    const reading = await processThat(`${does} ${answer}`, maxMs);
    expect(await reading.extract(job, signal)).toEqual({ kind: 'empty', reason });
    expect(await reading.extract({ ...job, name: 'good' }, signal)).toMatchObject({ text: '1' });
  });

  it.each(['setImmediate', 'process.nextTick'])(
    'that fails over what a document left behind (%s): the next one does not pay for it',
    async (later) => {
      const reading = await processThat(
        `${answer} if (job.name === "") ${later}(() => { throw new Error("late"); });`,
      );
      for (let times = 0; times < 20; times++) {
        expect(await reading.extract(job, signal)).toMatchObject({ kind: 'text' });
        expect(await reading.extract({ ...job, name: 'good' }, signal)).toMatchObject({ kind: 'text' });
      }
    },
  );

  it('is ended when nobody needs it, and another is started for who does', async () => {
    const reading = await processThat(answer, 60_000, 1);
    expect(await reading.extract(job, signal)).toMatchObject({ text: '1' });
    await expect.poll(() => reading.extract(job, signal)).toMatchObject({ text: '1' });
  });

  it('is ended by closing, also when it reads', async () => {
    const reading = await processThat(`if (job.name === "") for (;;); ${answer}`);
    const spinning = reading.extract(job, signal);
    spinning.catch(() => undefined);
    const ended = async () => {
      await reading.close();
      await expect(Promise.race([spinning, Promise.resolve('reads')])).rejects.toThrow('closed');
    };
    await vi.waitFor(ended, { timeout: 20_000 });
  });

  it('that spins is ended when its caller goes', async () => {
    const reading = await processThat(`if (job.name === "") for (;;); ${answer}`);
    await reading.extract({ ...job, name: 'good' }, signal);
    const gone = new AbortController();
    const end = reading.extract(job, gone.signal);
    gone.abort(new Error('gone'));
    await expect(end).rejects.toThrow('gone');
    expect(await reading.extract({ ...job, name: 'good' }, signal)).toMatchObject({ text: '1' });
  });

  it('that cannot be started is a failure of the service, not an empty document', async () => {
    const reading = extractionProcess({
      file: () => join(tmpdir(), 'missing.mjs'),
      maxMs: 1000,
      idleMs: 60_000,
    });
    await expect(reading.extract(job, signal)).rejects.toThrow('cannot be started');
    await expect(
      extractionProcess({ file: () => PAGES, maxMs: 1000, idleMs: 60_000 }).extract(job, signal),
    ).rejects.toThrow();
  });
});

it('as it is published: the worker is found, and an idle one keeps no process alive', async () => {
  const house = await mkdtemp(join(tmpdir(), 'countersign-package-'));
  onTestFinished(() => rm(house, { recursive: true }));
  for (const name of ['node_modules', 'package.json']) await symlink(join(ROOT, name), join(house, name));
  await build({ ...tsupConfig, config: false, dts: false, silent: true, outDir: join(house, 'dist') });
  const program = `
    import { readFile } from 'node:fs/promises';
    import { workerText } from 'countersign/extract';
    const bytes = await readFile(${JSON.stringify(PAGES)});
    const { signal } = new AbortController();
    const answer = await workerText().extract({ bytes, name: '', mime: '', signal });
    console.log(JSON.stringify(answer));`;
  await writeFile(join(house, 'program.mjs'), program);
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: house });
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'text', cut: false });
});

/** Of this process and those that it started. */
function residentBytes(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const pages = ['self', ...children].map((pid) => {
    try {
      return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  });
  return pages.reduce((sum, count) => sum + count, 0) * 4096;
}

/** Made piece by piece, so that this process takes no such memory either. */
function deflatedGigabyte(): Promise<Buffer> {
  const megabyte = Buffer.alloc(1024 * 1024, '%');
  return buffer(Readable.from(Array<Buffer>(1024).fill(megabyte)).pipe(createDeflate({ level: 1 })));
}

/** One page whose content is this deflated stream. */
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
