import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { ServiceError } from '../../core/contract/errors.ts';
import type { Reader, Reading, UnreadableReason } from '../../core/ports/reader.ts';
import {
  approvalOf,
  approve,
  detailsOf,
  FRIEND,
  idsIn,
  letter,
  openScene,
  resultOf,
  type SceneOptions,
  shownOf,
} from './scene.ts';

/** Cannot read a message with this word. */
const BAD = 'unreadable-word';

/** Returns that for messages with the word, and reads the others. */
function readerThat(answer: () => Promise<Reading<never>>): Reader {
  const reader = inlineReader();
  return {
    ...reader,
    read: (job, input, options) => (holdsWord(input) ? answer() : reader.read(job, input, options)),
  };
}

const whole = z.looseObject({ bytes: z.instanceof(Uint8Array) });
const message = z.looseObject({ source: whole });
const messages = z.union([message.transform((one) => [one]), z.array(message)]);

function holdsWord(input: unknown): boolean {
  return (messages.safeParse(input).data ?? []).some(({ source }) => Buffer.from(source.bytes).includes(BAD));
}

const bad = letter('bad', {
  text: `Please pay. ${BAD}\n`,
  from: `Maya <${FRIEND}>`,
  attachments: [{ name: 'a.txt', mime: 'text/plain', content: Buffer.from('x') }],
});

async function open(reason: UnreadableReason, options: SceneOptions = {}) {
  const scene = await openScene({
    samples: () => [bad],
    reader: readerThat(async () => ({ kind: 'unreadable', reason })),
    ...options,
  });
  const key = await scene.addKey('full');
  const [id = ''] = await idsIn(key);
  return { scene, key, id };
}

const REASONS: readonly [UnreadableReason, string][] = [
  ['too_slow', '[The text of this message cannot be shown: it takes too long to read.]'],
  ['too_large', '[The text of this message cannot be shown: it takes too much memory to read.]'],
  ['broken', '[The text of this message cannot be shown: reading it failed.]'],
];

describe.each(REASONS)('a message that cannot be read (%s)', (reason, says) => {
  it('is shown with its headers and the reason why its text is missing', async () => {
    const { key, id } = await open(reason);
    const result = resultOf(await key.call('get_email', { id }));
    expect(result).toMatchObject({
      from: `Maya <${FRIEND}>`,
      subject: 'Subject bad',
      body_chars: says.length,
      body_truncated: false,
      attachments: [],
      attachments_total: 0,
    });
    expect(String(result.body).split('\n')[1]).toBe(says);
    const rest = resultOf(await key.call('get_email', { id, body_offset: 5 }));
    expect(String(rest.body).split('\n')[1]).toBe(says.slice(5));
  });

  it('appears in its conversation with the readable messages', async () => {
    const { key, id } = await open(reason, {
      samples: () => [bad, letter('good', { thread: ['bad'], minutesAgo: 10, text: 'Readable\n' })],
    });
    const { messages } = resultOf(await key.call('get_thread', { id }));
    const bodies = z.array(z.looseObject({ body: z.string() })).parse(messages);
    expect(bodies.map(({ body }) => body.split('\n')[1]).toSorted()).toEqual(['Readable', says].toSorted());
  });

  it('reports that its attachments are unknown', async () => {
    const { key, id } = await open(reason);
    const list = await key.call('list_attachments', { id });
    expect([list.status, resultOf(list)]).toEqual([
      'empty',
      expect.objectContaining({
        attachments: [],
        total: 0,
        reason,
        hint: expect.stringContaining('not known'),
      }),
    ]);
    const rows = resultOf(await key.call('list_attachments', { ids: [id] })).messages;
    const hint: unknown = expect.stringContaining('not known');
    expect(rows).toEqual([{ id, attachments: [], total: 0, reason, hint }]);
    const one = await key.call('read_attachment', { id, index: 0 });
    expect([one.status, resultOf(one)]).toEqual([
      'empty',
      expect.objectContaining({ index: 0, reason, hint: expect.stringContaining('not known') }),
    ]);
  });

  it('can be answered, forwarded, linked and moved', async () => {
    const { scene, key, id } = await open(reason);
    const sent = async (tool: string, args: object) => {
      const approval = approvalOf(await key.call(tool, { id, ...args }));
      const { message } = await shownOf(scene, approval.id);
      expect((await approve(scene, approval.id)).approval.state).toBe('executed');
      return message?.says;
    };
    const reply = await sent('send_reply', { body: 'Thanks' });
    expect(reply?.to).toEqual([FRIEND]);
    expect(reply?.text).toContain(`> ${says}`);
    const forward = await sent('forward_email', { to: [FRIEND] });
    expect(forward?.subject).toBe('Fwd: Subject bad');
    expect(forward?.text).toContain(`\n${says}`);
    const tracker = resultOf(await key.call('create_tracker', { title: 'Topic' }));
    const link = { tracker_id: tracker.tracker_id, message_id: id };
    expect((await key.call('link_to_tracker', link)).status).toBe('ok');
    const archive = approvalOf(await key.call('archive_email', { id }));
    const { targets } = await shownOf(scene, archive.id);
    expect(targets[0]?.preview).toBe(says);
    expect((await approve(scene, archive.id)).approval.state).toBe('executed');
    expect(await idsIn(key)).toEqual([]);
  });

  it('is linked to trackers by its sender and subject, not by the error text', async () => {
    const { scene, key } = await open(reason, { samples: () => [] });
    for (const keywords of ['atlas', 'message', 'pay']) {
      await key.call('create_tracker', { title: keywords, keywords });
    }
    await scene.service.watch();
    const account = { ownerId: scene.ownerId, accountId: 1, email: '', settings: async () => ({}) };
    const raw = `Subject: Atlas\r\nFrom: ${FRIEND}\r\n\r\nPlease pay. ${BAD}\r\n`;
    await scene.mail.deliver(account, 'INBOX', Buffer.from(raw));
    await scene.service.watch();
    const counts: unknown[] = [];
    for (const tracker_id of [1, 2, 3]) {
      counts.push(resultOf(await key.call('get_tracker', { tracker_id })).total);
    }
    expect(counts).toEqual([1, 0, 0]);
  });
});

describe('a reader with a full queue', () => {
  it('makes the service temporarily unavailable', async () => {
    const busy = new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 } });
    const { key, id } = await open('broken', { reader: readerThat(() => Promise.reject(busy)) });
    for (const [tool, args] of [
      ['get_email', {}],
      ['get_thread', {}],
      ['list_attachments', {}],
      ['read_attachment', { index: 0 }],
      ['send_reply', { body: 'Thanks' }],
      ['archive_email', {}],
    ] as const) {
      expect(detailsOf(await key.call(tool, { id, ...args }))).toEqual({
        code: 'temporarily_unavailable',
        retry_after_s: 5,
      });
    }
  });

  it('makes the inbox watch try again, and lose nothing', async () => {
    let isBusy = true;
    const reader = readerThat(async () => {
      if (isBusy) throw new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 } });
      return { kind: 'unreadable', reason: 'broken' };
    });
    const { scene, key } = await open('broken', { samples: () => [], reader });
    await key.call('create_tracker', { title: 'Atlas', keywords: 'atlas' });
    await scene.service.watch();
    const account = { ownerId: scene.ownerId, accountId: 1, email: '', settings: async () => ({}) };
    await scene.mail.deliver(account, 'INBOX', Buffer.from(`Subject: Atlas\r\n\r\n${BAD}\r\n`));
    const total = async () => resultOf(await key.call('get_tracker', { tracker_id: 1 })).total;
    await scene.service.watch();
    expect(await total()).toBe(0);
    isBusy = false;
    scene.clock.shift(60_000);
    await scene.service.watch();
    expect(await total()).toBe(1);
  });
});
