import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { readMessage, readMessages } from '../../../core/accounts/read-message.ts';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import type { MessageInput } from '../../../core/reading/message-job.ts';

const READING = { ownerId: 'ada', signal: new AbortController().signal };
const CLOCK: Clock = { now: () => new Date(), every: () => () => undefined, after: () => () => undefined };
const WINDOW = { from: 0, most: 100 };

function sourceOf(text: string) {
  return { kind: 'whole', bytes: Buffer.from(`Subject: ${text}\r\n\r\n${text}\r\n`) } as const;
}

/** A reader, and how many messages it has read. */
function countingReader(): { reader: Reader; count(): number } {
  const reader = inlineReader();
  let count = 0;
  return {
    reader: {
      ...reader,
      read(name, input, reading) {
        count += Array.isArray(input) ? input.length : 1;
        return reader.read(name, input, reading);
      },
    },
    count: () => count,
  };
}

it('the same bytes are read once, as long as they are asked alike', async () => {
  const { reader, count } = countingReader();
  const source = sourceOf('hello');
  const first = await readMessage({ reader }, READING, { source, window: WINDOW, head: 'Ada' });
  expect(await readMessage({ reader }, READING, { source, window: WINDOW, head: 'Ada' })).toEqual(first);
  expect(count()).toBe(1);
  const others: readonly MessageInput[] = [
    { source, window: { from: 2, most: 100 }, head: 'Ada' },
    { source, window: { from: 0, most: 2 }, head: 'Ada' },
    { source, window: WINDOW, head: 'Bo' },
    { source, window: WINDOW },
    { source: sourceOf('hello'), window: WINDOW },
  ];
  const read = [];
  for (const message of others) read.push(await readMessage({ reader }, READING, message));
  expect(count()).toBe(1 + others.length);
  expect(read.map(({ body }) => body.text)).toEqual(['llo', 'he', 'hello', 'hello', 'hello']);
  expect(read.map(({ said }) => said === undefined)).toEqual([false, false, false, true, true]);
});

it('what could not be read is tried again', async () => {
  const source = sourceOf('hello');
  const failing: Reader = {
    read: async () => ({ kind: 'unreadable', reason: 'too_slow' }),
    close: async () => undefined,
  };
  expect(await readMessage({ reader: failing }, READING, { source, window: WINDOW })).toMatchObject({
    unreadable: 'too_slow',
  });
  expect(await readMessage(countingReader(), READING, { source, window: WINDOW })).toMatchObject({
    unreadable: null,
  });
});

it('of several messages, only those that are not known are read', async () => {
  const { reader, count } = countingReader();
  const sources = ['one', 'two', 'three', 'four'].map(sourceOf);
  const call: MailCall = {
    account: { ownerId: 'ada', accountId: 1, email: 'ada@example.org', settings: async () => ({}) },
    signal: READING.signal,
    deadlineMs: 1000,
  };
  const wanted: readonly Pick<MessageRow, 'place' | 'sizeBytes'>[] = sources.map(({ bytes }, index) => ({
    place: { path: 'INBOX', uidValidity: '1', uid: index },
    sizeBytes: bytes.length,
  }));
  const mail = {
    readAll: async (_call: MailCall, places: readonly MessageRow['place'][]) =>
      places.map(({ uid }) => {
        const source = sources[uid];
        return source && { source };
      }),
  };
  async function texts(some: typeof wanted) {
    const limits = { window: WINDOW, untilMs: Number.POSITIVE_INFINITY };
    const read = [];
    for await (const one of readMessages({ reader, clock: CLOCK, mail }, call, some, limits)) read.push(one);
    return read.map((one) => one?.body.text);
  }
  expect(await texts(wanted.slice(0, 2))).toEqual(['one', 'two']);
  expect(count()).toBe(2);
  expect(await texts(wanted)).toEqual(['one', 'two', 'three', 'four']);
  expect(count()).toBe(4);
  expect(await texts(wanted.toReversed())).toEqual(['four', 'three', 'two', 'one']);
  expect(count()).toBe(4);
});
