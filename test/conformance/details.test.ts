import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { handleId } from '../../core/accounts/message-handle.ts';
import { approvalIn, doorOf, expectFailure, OWNER, ownDoor, refusedFields, resultIn } from './door.ts';
import { section } from './sections.ts';

// What the notes add: what details say, what lists say when asked, and several messages in one answer.

const FILE = { name: 'offer.txt', mime: 'text/plain', content: Buffer.from('Text') };
/** A character that is hidden, and shown as eight, of which some take three bytes. */
const LONG = '\u202e'.repeat(200);

const row = z.looseObject({
  id: z.string(),
  body: z.string().optional(),
  body_chars: z.int().optional(),
  body_truncated: z.boolean().optional(),
  body_next_offset: z.int().optional(),
  left_out: z.literal(true).optional(),
});
const rowsIn = (result: unknown) => z.looseObject({ messages: z.array(row) }).parse(result).messages;
const unknownId = (known: string) => handleId((Number(known.slice(3, 16)) + 1) % 10 ** 13);

section('Notes: What we add', () => {
  const door = doorOf();

  it('details name recipients, flags, labels, attachments, and where an answer goes', async () => {
    const { call, deliver } = door();
    const cc = Array.from({ length: 30 }, (_, n) => `p${n}@example.org`);
    const id = await deliver({
      to: `${OWNER}, Ann <ann@example.org>`,
      cc: cc.join(', '),
      replyTo: 'desk@example.org',
      attachments: [FILE],
    });
    await call('POST', `/v1/messages/${id}/flag`);
    const details = {
      to: [OWNER, 'Ann <ann@example.org>'],
      cc: cc.slice(0, 25),
      cc_count: 30,
      reply_to: ['desk@example.org'],
      flags: ['unread', 'flagged'],
      attachment_names: ['offer.txt'],
    };
    const message = resultIn(await call('GET', `/v1/messages/${id}`));
    expect(message).toMatchObject(details);
    expect(message.untrusted_fields).toEqual(
      expect.arrayContaining(['to[]', 'cc[]', 'reply_to[]', 'attachment_names[]']),
    );
    expect(resultIn(await call('GET', `/v1/threads/${id}`))).toMatchObject({ messages: [details] });
  });

  it('labels are in the details', async () => {
    const { call, deliver, approve } = door();
    const id = await deliver();
    const { id: approvalId } = approvalIn(
      await call('POST', `/v1/messages/${id}/label`, { body: { label: 'later' } }),
    );
    await approve(approvalId);
    expect(resultIn(await call('GET', `/v1/messages/${id}`)).labels).toEqual(['later']);
  });

  it.each(['/v1/messages?', '/v1/messages?unread=true&', '/v1/messages?q=offer&'])(
    '%sfields=triage says what triage needs',
    async (path) => {
      const { call, deliver } = door();
      const id = await deliver({ subject: 'An offer', text: 'Here\n\nit is.\n', attachments: [FILE] });
      const result = resultIn(await call('GET', `${path}fields=triage&limit=1`));
      expect(result.messages).toMatchObject([
        {
          id,
          ...{ to: [OWNER], to_count: 1, flags: ['unread'], list: false },
          ...{ attachment_count: 1, attachment_names: ['offer.txt'], snippet: 'Here it is.' },
        },
      ]);
      expect(refusedFields(await call('GET', `${path}fields=all`))).toEqual(['fields']);
    },
  );

  it('several messages are rows in the order of the ids, each once, with one nonce', async () => {
    const { call, deliver, tool } = door();
    const one = await deliver({ text: 'One\n' });
    const two = await deliver({ text: 'Two\n', attachments: [FILE] });
    const unknown = unknownId(one);
    const result = resultIn(await tool('get_email', { ids: [two, unknown, one, two] }));
    const fenced = (text: string) =>
      `<<<UNTRUSTED_CONTENT ${String(result.untrusted_nonce)}>>>\n${text}\n<<<END_UNTRUSTED_CONTENT ${String(result.untrusted_nonce)}>>>`;
    const alone = async (id: string) => {
      const {
        body: _body,
        untrusted_fields,
        untrusted_notice,
        untrusted_nonce,
        ...facts
      } = resultIn(await call('GET', `/v1/messages/${id}`));
      expect([untrusted_fields, untrusted_notice, untrusted_nonce]).not.toContain(undefined);
      return facts;
    };
    expect(result.messages).toEqual([
      { ...(await alone(two)), body: fenced('Two') },
      { id: unknown, error: { code: 'not_found', message: expect.any(String) as unknown } },
      { ...(await alone(one)), body: fenced('One') },
    ]);
  });

  it('1 to 20 ids, in place of id, without body_offset, and none that is malformed', async () => {
    const { call, deliver, tool } = door();
    const id = await deliver();
    const refused = async (args: object) => refusedFields(await tool('get_email', args));
    expect(await refused({})).toEqual(['id']);
    expect(await refused({ id, ids: [id] })).toEqual(['id']);
    expect(await refused({ ids: [] })).toEqual(['ids']);
    expect(await refused({ ids: Array(21).fill(id) })).toEqual(['ids']);
    expect(await refused({ ids: [id], body_offset: 1 })).toEqual(['body_offset']);
    for (const wrong of [`${id}0`, `m1_${(Number(id.slice(3)) + 1) % 10 ** 15}`, 'x'])
      expectFailure(await tool('get_email', { ids: [id, wrong] }), 400, 'invalid_message_id');
    // On REST, the path names the message.
    expect(refusedFields(await call('GET', `/v1/messages/${id}?ids=${id}`))).not.toEqual([]);
  });

  it('64 KB: long texts are cut at one length, and the rest is read alone', async () => {
    const { deliver, tool, call } = await ownDoor();
    const text = `${'A line of "quotes" and 📜. '.repeat(60)}\n`.repeat(12);
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await deliver({ text: n === 7 ? 'Short\n' : text }));
    const answer = await tool('get_email', { ids });
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(65_536);
    const rows = rowsIn(resultIn(answer));
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(rows.map(({ body_truncated }) => body_truncated)).toEqual(ids.map((_, n) => n !== 7));
    const lengths = new Set(rows.filter((_, n) => n !== 7).map(({ body_next_offset: end }) => end));
    expect(lengths.size).toBe(1);
    const [end = 0] = lengths;
    const rest = resultIn(await call('GET', `/v1/messages/${ids[0]}?body_offset=${end}`));
    const inside = (body: unknown) => String(body).split('\n').slice(1, -1).join('\n');
    const whole = inside(rows[0]?.body) + inside(rest.body);
    expect(text.startsWith(whole)).toBe(true);
    expect(whole.length).toBeGreaterThan(inside(rows[0]?.body).length);
  });

  it('64 KB: whatever strangers write into a header, one message fits, and of several the first', async () => {
    const { deliver, tool, call } = await ownDoor();
    const people = Array.from({ length: 60 }, (_, n) => `"${LONG}" <p${n}@example.org>`).join(', ');
    const hostile = { from: `"${LONG}" <a@example.org>`, subject: LONG + LONG, to: people, cc: people };
    const attachments = Array.from({ length: 30 }, () => ({ ...FILE, name: LONG }));
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await deliver({ ...hostile, replyTo: people, attachments }));
    for (const answer of [
      await call('GET', `/v1/messages/${ids[0]}`),
      await call('GET', `/v1/threads/${ids[0]}`),
      await call('GET', '/v1/messages?fields=triage&limit=20'),
    ]) {
      expect(resultIn(answer)).toBeTypeOf('object');
      expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(65_536);
    }
    const answer = await tool('get_email', { ids });
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(65_536);
    const rows = rowsIn(resultIn(answer));
    expect(rows.map(({ id }) => id)).toEqual(ids);
    const left = rows.map(({ left_out }) => left_out === true);
    expect([left[0], left.at(-1)]).toEqual([false, true]);
    expect(left.toSorted()).toEqual(left);
  });
});
