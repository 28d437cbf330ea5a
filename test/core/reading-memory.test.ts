import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { SandboxMail } from '../../adapters/sandbox/mail.ts';
import { readMessages } from '../../core/accounts/read-message.ts';
import type { Mail } from '../../core/ports/ports.ts';
import type { Reader } from '../../core/ports/reader.ts';
import { approvalOf, idsIn, letter, openScene, resultOf, shownOf } from './scene.ts';

const MB = 1024 * 1024;
const MESSAGES = 8;
const MESSAGE_MB = 10;
const window = { from: 0, most: 10 };
const signal = new AbortController().signal;

/** Returns the same reading for every message, immediately. */
const reading = {
  body: { text: 'the text', chars: 8 },
  attachments: [],
  protection: { isEncrypted: false, isSigned: false },
  headers: { from: [], replyTo: [], to: [], cc: [], subject: '', messageId: null, references: [] },
};

function readerOf(read: () => Promise<unknown>): Reader {
  return { read: read as Reader['read'], close: async () => undefined };
}

const atOnce = readerOf(async () => ({ kind: 'read', value: reading }));

/** The service with large messages of one conversation, and the bytes of them that it fetched at a time. */
async function openLarge() {
  const asked: number[] = [];
  const count = (mail: SandboxMail): Mail => ({
    ...mail,
    async readAll(call, places) {
      const messages = await mail.readAll(call, places);
      asked.push(messages.reduce((sum, message) => sum + (message?.row.sizeBytes ?? 0), 0));
      return messages;
    },
  });
  const scene = await openScene({ samples: () => [letter('first')], mailAs: count, reader: atOnce });
  await deliverLarge(scene);
  const key = await scene.addKey('full');
  const [first, ...ids] = (await idsIn(key)).reverse();
  expect(first).toBeDefined();
  return { scene, key, ids, asked };
}

async function deliverLarge({ ownerId, mail }: Awaited<ReturnType<typeof openScene>>): Promise<void> {
  const account = { ownerId, accountId: 1, email: '', settings: async () => ({}) };
  const text = Buffer.alloc(MESSAGE_MB * MB, 'words ');
  for (let n = 0; n < MESSAGES; n++) {
    const head = `Subject: ${n}\r\nMessage-ID: <${n}@x.example>\r\nReferences: <0@x.example>\r\n\r\n`;
    await mail.deliver(account, 'INBOX', Buffer.concat([Buffer.from(head), text]));
  }
}

describe('only some of many large messages are in memory at a time', () => {
  it('in a conversation', async () => {
    const { key, ids, asked } = await openLarge();
    const { messages } = resultOf(await key.call('get_thread', { id: ids[0], limit: 50 }));
    expect(z.array(z.looseObject({ body_chars: z.literal(8) })).parse(messages)).toHaveLength(MESSAGES);
    expect(asked.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(MESSAGES * MESSAGE_MB * MB);
    expect(Math.max(...asked)).toBeLessThanOrEqual(32 * MB);
  });

  it('on the page of a request', async () => {
    const { scene, key, ids, asked } = await openLarge();
    const { id } = approvalOf(await key.call('archive_email', { ids }));
    const shown = await shownOf(scene, id);
    expect(shown.targets.map(({ preview }) => preview)).toEqual(ids.map(() => 'the text'));
    expect(Math.max(...asked)).toBeLessThanOrEqual(32 * MB);
  });

  it('in the watch of an inbox', async () => {
    const { scene, key, asked } = await openLarge();
    await key.call('create_tracker', { title: 'Words', keywords: 'text' });
    // Only mail that arrives after the first look is certainly new.
    await scene.service.watch();
    await deliverLarge(scene);
    await scene.service.watch();
    expect(asked).not.toEqual([]);
    expect(Math.max(...asked)).toBeLessThanOrEqual(32 * MB);
  });
});

describe('messages that take long to read', () => {
  it('end the reading of others in time for a response', async () => {
    let nowMs = 0;
    const clock = { now: () => new Date(nowMs), every: () => () => undefined, after: () => () => undefined };
    const reader = readerOf(async () => {
      nowMs += 4000;
      return { kind: 'read', value: reading };
    });
    const { mail, asked } = fakeMail();
    const call = { account: {} as never, signal, deadlineMs: 25_000 };
    const wanted = Array.from({ length: 8 }, (_, uid) => ({
      place: { path: 'INBOX', uidValidity: '1', uid },
      sizeBytes: 16 * MB,
    }));
    const reasons: unknown[] = [];
    for await (const message of readMessages({ mail, reader, clock }, call, wanted, {
      window,
      untilMs: 10_000,
    })) {
      reasons.push(message?.unreadable);
    }
    expect(reasons).toEqual([null, null, null, ...Array.from({ length: 5 }, () => 'too_slow')]);
    // A message that is not read is not fetched either.
    expect(asked).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });
});

function fakeMail() {
  const asked: number[][] = [];
  const mail = {
    async readAll(_call: unknown, places: readonly { uid: number }[]) {
      asked.push(places.map(({ uid }) => uid));
      return places.map(() => ({ row: {}, source: { kind: 'whole', bytes: new Uint8Array(100 * 1024) } }));
    },
  };
  return { mail: mail as unknown as Mail, asked };
}
