import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { handleId } from '../../core/accounts/message-handle.ts';
import { doorOf, expectFailure, ownDoor, refusedFields, resultIn } from './door.ts';
import { section } from './sections.ts';

// What the notes add: attachments of several messages, and their texts in parts.

function file(name: string, content = 'Text') {
  return { name, mime: 'text/plain', content: Buffer.from(content) };
}

function row(index: number, name: string, size = 4) {
  return { index, name, mime: 'text/plain', size };
}

const several = z.looseObject({
  messages: z.array(z.looseObject({ id: z.string(), attachments: z.array(z.unknown()), total: z.int() })),
});
const messagesIn = (result: unknown) => several.parse(result).messages;

const GONE = { code: 'not_found', message: 'There is no such item for this user.' };

section('Notes: What we add', () => {
  const door = doorOf();

  it('attachments of several messages are rows in the order of the ids, each once', async () => {
    const { deliver, tool } = door();
    const one = await deliver({ attachments: [file('a.txt'), file('b.txt', 'Hello')] });
    const none = await deliver();
    const other = await deliver({ attachments: [file('c.txt')] });
    const unknown = handleId((Number(one.slice(3, 16)) + 1) % 10 ** 13);
    const result = resultIn(await tool('list_attachments', { ids: [other, unknown, one, other, none] }));
    expect(result).toEqual({
      messages: [
        { id: other, attachments: [row(0, 'c.txt')], total: 1 },
        { id: unknown, error: GONE },
        { id: one, attachments: [row(0, 'a.txt'), row(1, 'b.txt', 5)], total: 2 },
        { id: none, attachments: [], total: 0 },
      ],
      untrusted_fields: ['messages[].attachments[].name', 'messages[].attachments[].mime'],
      untrusted_notice: expect.any(String) as unknown,
    });
    expect(resultIn(await tool('list_attachments', { ids: [unknown] }))).toEqual({
      messages: [{ id: unknown, error: GONE }],
    });
  });

  it('1 to 20 ids, in place of id, without a cursor, and none that is malformed', async () => {
    const { call, deliver, tool } = door();
    const id = await deliver();
    const refused = async (args: object) => refusedFields(await tool('list_attachments', args));
    expect(await refused({})).toEqual(['id']);
    expect(await refused({ id, ids: [id] })).toEqual(['id']);
    expect(await refused({ ids: [] })).toEqual(['ids']);
    expect(await refused({ ids: Array(21).fill(id) })).toEqual(['ids']);
    expect(await refused({ ids: [id], cursor: 'c1_AAAA' })).toEqual(['cursor']);
    expect(resultIn(await tool('list_attachments', { ids: Array(20).fill(id) })).messages).toHaveLength(1);
    for (const wrong of [`${id}0`, `m1_${(Number(id.slice(3)) + 1) % 10 ** 15}`, 'x'])
      expectFailure(await tool('list_attachments', { ids: [id, wrong] }), 400, 'invalid_message_id');
    // On REST, the path names the message.
    expect(refusedFields(await call('GET', `/v1/messages/${id}/attachments?ids=${id}`))).not.toEqual([]);
  });

  it('64 KB: of each message the first attachments are shown, and how many there are', async () => {
    const { deliver, tool, call } = await ownDoor();
    const files = Array.from({ length: 60 }, (_, n) => file(`${'"é'.repeat(60)}${n}`));
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await deliver({ attachments: n === 7 ? [] : files }));
    const answer = await tool('list_attachments', { ids });
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(65_536);
    const rows = messagesIn(resultIn(answer));
    expect(rows.map(({ id, total }) => [id, total])).toEqual(ids.map((id, n) => [id, n === 7 ? 0 : 60]));
    const shown = new Set(rows.filter((_, n) => n !== 7).map(({ attachments }) => attachments.length));
    expect(shown.size).toBe(1);
    expect([...shown][0]).toBeGreaterThan(3);
    expect([...shown][0]).toBeLessThan(60);
    const whole = resultIn(await call('GET', `/v1/messages/${ids[0]}/attachments`));
    expect(whole).toMatchObject({
      total: 60,
      attachments: expect.arrayContaining(rows[0]?.attachments ?? []) as unknown,
    });
  });

  it('the text of an attachment comes in parts of max_chars, which make up the whole', async () => {
    const whole = 'A line with "quotes" and a 📜.\n'.repeat(100);
    const door = await ownDoor({
      given: {
        attachmentText: {
          extract: async () => ({ kind: 'text', text: whole, cut: false }),
          close: async () => undefined,
        },
      },
    });
    const path = `/v1/messages/${await door.deliver({ attachments: [file('a.txt')] })}/attachments/0`;
    const texts: string[] = [];
    let offset: unknown = 0;
    while (offset !== undefined) {
      const part = resultIn(await door.call('GET', `${path}?max_chars=2000&offset=${String(offset)}`));
      expect(part).toMatchObject({ text_offset: offset, text_chars: 3000 });
      texts.push(String(part.text).split('\n').slice(1, -1).join('\n'));
      offset = part.text_next_offset;
      expect(part.text_truncated).toBe(offset !== undefined);
    }
    expect(texts).toHaveLength(2);
    expect(texts.join('')).toBe(whole);
    expect(resultIn(await door.call('GET', `${path}?offset=3001`))).toMatchObject({
      text: expect.stringMatching(/^<<<.*>>>\n\n<<<.*>>>$/) as unknown,
      text_offset: 3001,
      text_truncated: false,
    });
  });
});
