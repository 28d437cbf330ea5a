import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { processReader } from '../../../adapters/reader/process-reader.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { processThat } from '../process/process-that.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const signal = new AbortController().signal;
const options = { ownerId: 'owner', signal };
const window = { from: 0, most: 1000 };

let workerFile = '';
beforeAll(async () => {
  workerFile = await bundleForChild(join(ROOT, 'adapters/reader/worker.ts'));
});

function opened(reader: Reader): Reader {
  onTestFinished(() => reader.close());
  return reader;
}

/** A reader whose processes cannot start. */
const withoutProcess = () => opened(processReader({ workerFile: '/no/such/worker.mjs' }));

const whole = (...lines: string[]) => ({ kind: 'whole', bytes: Buffer.from(lines.join('\r\n')) }) as const;
const PLAIN = whole('From: Ada <ada@example.org>', 'Subject: one', '', 'the text', '');
const HTML = whole('Subject: two', 'Content-Type: text/html', '', '<p>the <b>text</b></p>', '');
const LONG_HTML = whole(
  'Subject: three',
  'Content-Type: text/html',
  '',
  `<!-- ${'x'.repeat(20_000)} --><p>the text`,
);
const WITH_FILE = whole(
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<p>the text',
  '--b',
  'Content-Type: application/pdf; name=a.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.alloc(100_000, 'file').toString('base64'),
  '--b--',
  '',
);

describe.each([
  ['processReader', () => opened(processReader({ workerFile }))],
  ['inlineReader', () => opened(inlineReader())],
])('%s', (_name, open) => {
  it('reads a message', async () => {
    const reader = open();
    for (const [source, subject] of [
      [PLAIN, 'one'],
      [HTML, 'two'],
      [LONG_HTML, 'three'],
    ] as const) {
      expect(await reader.read('message', { source, window }, options)).toMatchObject({
        kind: 'read',
        value: { body: { text: 'the text', chars: 8 }, attachments: [], headers: { subject } },
      });
    }
  });

  it('extracts an attachment from a message, and leaves the bytes intact for the caller', async () => {
    const reader = open();
    const before = Buffer.from(WITH_FILE.bytes);
    const { kind, value } = readOf(
      await reader.read('attachment', { source: WITH_FILE, index: 0, maxBytes: 100_000 }, options),
    );
    expect(kind).toBe('read');
    expect(value?.info).toEqual({ index: 0, name: 'a.pdf', mime: 'application/pdf', sizeBytes: 100_000 });
    expect(Buffer.from(value?.bytes ?? []).equals(Buffer.alloc(100_000, 'file'))).toBe(true);
    expect(WITH_FILE.bytes.equals(before)).toBe(true);
    const input = { source: WITH_FILE, index: 0, maxBytes: 99_999 };
    expect(await reader.read('attachment', input, options)).toMatchObject({ value: { bytes: 'tooLarge' } });
    expect(await reader.read('attachment', { ...input, index: 1 }, options)).toEqual({
      kind: 'read',
      value: null,
    });
  });

  it('does not start if the caller has aborted', async () => {
    const gone = { ownerId: 'owner', signal: AbortSignal.abort(new Error('gone')) };
    await expect(open().read('message', { source: PLAIN, window }, gone)).rejects.toThrow('gone');
  });
});

function readOf<T>(reading: { kind: 'read'; value: T } | { kind: 'unreadable' }) {
  if (reading.kind !== 'read') throw new Error('it was not read');
  return reading;
}

describe('processReader', () => {
  it.each([
    ['plain text', PLAIN],
    ['HTML', HTML],
  ])('reads a message of %s only in a process, however short it is', async (_name, source) => {
    await expect(withoutProcess().read('message', { source, window }, options)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
  });

  it('refuses more than the largest attachment', async () => {
    const source = { kind: 'whole', bytes: Buffer.alloc(40 * 1024 * 1024 + 1) } as const;
    expect(await withoutProcess().read('message', { source, window }, options)).toEqual({
      kind: 'unreadable',
      reason: 'too_large',
    });
  });

  it.each([
    ['fails', 'throw new Error("no");'],
    ['answers what is no message', 'process.send({ body: "text" });'],
  ])('reports a message as broken if the process %s', async (_name, does) => {
    const reader = opened(processReader({ workerFile: (await processThat(does))() }));
    expect(await reader.read('message', { source: LONG_HTML, window }, options)).toEqual({
      kind: 'unreadable',
      reason: 'broken',
    });
  });

  it('stops reading when it is closed', async () => {
    const reader = processReader({ workerFile: (await processThat('for (;;);'))() });
    const reading = reader.read('message', { source: LONG_HTML, window }, options);
    reading.catch(() => undefined);
    await reader.close();
    await expect(reading).rejects.toThrow('closed');
  });
});
