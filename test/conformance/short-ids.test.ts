import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { rawOf } from '../../adapters/sandbox/sample-message.ts';
import { handleId } from '../../core/accounts/message-handle.ts';
import { messageRow } from '../../core/mail/message-row.ts';
import { createKeyring } from '../../core/secrets/keyring.ts';
import { oldMessageId } from '../old-message-id.ts';
import { type Door, expectFailure, idOf, OWNER, ownDoor, resultIn, sample } from './door.ts';
import { section } from './sections.ts';

// What the notes add: the ids of messages are short, and kept.

const SHORT = /^m1_[0-9]{15}$/;
const listed = z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })) });

async function idsIn(door: Door, folder: string): Promise<string[]> {
  const answer = await door.call('GET', `/v1/messages?folder=${encodeURIComponent(folder)}`);
  return listed.parse(resultIn(answer)).messages.map(({ id }) => id);
}

/** The mailbox of a door, as the mail server of its account sees it. */
function mailboxOf({ server: { mail, ownerId } }: Door) {
  const account = { ownerId, accountId: 1, email: OWNER, settings: async () => ({}) };
  return {
    put: (path: string, raw: Uint8Array, at: Date) => mail.deliver(account, path, raw, at),
    async rows(path: string) {
      const call = { account, signal: new AbortController().signal, deadlineMs: 5000 };
      const query = { path, unread: false, order: 'uid', after: undefined, limit: 50 } as const;
      return (await mail.list(call, query)).rows.map(messageRow);
    },
  };
}

section('Notes: What we add', () => {
  it('a message id is m1_ and fifteen digits, the same in every answer, for every key and after a restart', async () => {
    const secretKeys = [randomBytes(32)];
    const door = await ownDoor({ given: { secretKeys } });
    const id = await door.deliver({ subject: 'Zebra' });
    expect(id).toMatch(SHORT);
    expect(BigInt(id.slice(3)) % 97n).toBe(1n);
    const other = await door.key();
    expect(idOf(await door.call('GET', '/v1/messages?q=zebra', { key: other }))).toBe(id);
    expect(resultIn(await door.call('GET', `/v1/messages/${id}`)).id).toBe(id);
    expect(listed.parse(resultIn(await door.call('GET', `/v1/threads/${id}`))).messages).toMatchObject([
      { id },
    ]);
    const { service, ownerId } = door.server;
    const { found } = {
      found: await service.trackers.findMessages(ownerId, { accountId: 1, words: 'zebra', limit: 5 }),
    };
    expect(found).toMatchObject([{ id }]);
  });

  it('one with a wrong check is refused, and a well-formed one that is unknown is not found', async () => {
    const door = await ownDoor();
    const id = await door.deliver();
    const last = Number(id.at(-1));
    for (let by = 1; by < 10; by++) {
      const wrong = `${id.slice(0, -1)}${(last + by) % 10}`;
      expectFailure(await door.call('GET', `/v1/messages/${wrong}`), 400, 'invalid_message_id');
    }
    for (const wrong of [id.slice(0, -1), `${id}0`, `${id}${id.slice(3)}`, `m1_${id.slice(4)}`])
      expectFailure(await door.call('GET', `/v1/messages/${wrong}`), 400, 'invalid_message_id');
    const both = await door.tool('archive_email', { ids: [id, `${id}0`] });
    expectFailure(both, 400, 'invalid_message_id');
    const unknown = handleId((Number(id.slice(3, 16)) + 1) % 10 ** 13);
    expectFailure(await door.call('GET', `/v1/messages/${unknown}`), 404, 'not_found', { reason: 'message' });
    expectFailure(await door.tool('archive_email', { ids: [id, unknown] }), 404, 'not_found');
    expect(await idsIn(door, 'INBOX')).toContain(id);
  });

  it('it names a message and allows nothing: not to another owner, nor outside the fences', async () => {
    const door = await ownDoor();
    const id = await door.deliver();
    const { service, ownerId } = door.server;
    const other = await service.owners.create({ email: 'other@example.org', plan: 'paid' });
    await service.accounts.connect({ ownerId: other.ownerId, email: 'other@example.org', settings: {} });
    const strange = await door.key({ ownerId: other.ownerId });
    expectFailure(await door.call('GET', `/v1/messages/${id}`, { key: strange }), 404, 'not_found');
    const { accountId } = await service.accounts.connect({
      ownerId,
      email: 'second@example.org',
      settings: {},
    });
    const fences = { accounts: [accountId], recipients: null, until: null };
    const { apiKey } = await service.keys.create({ ownerId, name: 'bound', preset: 'full', fences });
    const outside = await door.call('GET', `/v1/messages/${id}`, { key: apiKey });
    expectFailure(outside, 403, 'not_permitted', { reason: 'fence' });
  });

  it('stays when the message moves; a copy has its own', async () => {
    const door = await ownDoor({ samples: () => [] });
    const { put } = mailboxOf(door);
    const [raw, at] = [rawOf(sample('twice', { to: OWNER }), new Date(0)), new Date(Date.now() - 60_000)];
    await put('INBOX', raw, at);
    const [id = ''] = await idsIn(door, 'INBOX');
    const key = await door.key({ modes: { 'mail:manage': 'direct' } });
    resultIn(await door.tool('move_email', { id, target_folder: 'Archive' }, { key }));
    expect(await idsIn(door, 'Archive')).toEqual([id]);
    expect(resultIn(await door.call('GET', `/v1/messages/${id}`))).toMatchObject({ id, folder: 'Archive' });
    expect(await idsIn(door, 'Archive')).toEqual([id]);
    await put('INBOX', raw, at);
    const [copy = ''] = await idsIn(door, 'INBOX');
    expect(copy).toMatch(SHORT);
    expect(copy).not.toBe(id);
    expect(resultIn(await door.call('GET', `/v1/messages/${copy}`))).toMatchObject({
      id: copy,
      folder: 'INBOX',
    });
    expect(resultIn(await door.call('GET', `/v1/messages/${id}`))).toMatchObject({ id, folder: 'Archive' });
  });

  it('those of the older form are accepted as before, and answered with the short one', async () => {
    const secretKeys = [randomBytes(32)];
    const door = await ownDoor({ samples: () => [], given: { secretKeys } });
    const id = await door.deliver();
    const [row] = await mailboxOf(door).rows('INBOX');
    const other = await door.deliver();
    if (row === undefined) throw new Error('the message is missing');
    const keyring = createKeyring(secretKeys, randomBytes);
    const old = oldMessageId(keyring, door.server.ownerId, 1, row);
    expect(resultIn(await door.call('GET', `/v1/messages/${old}`)).id).toBe(id);
    const flagged = resultIn(await door.tool('flag_email', { ids: [old, other] }));
    expect(flagged.items).toMatchObject([
      { id: old, done: true },
      { id: other, done: true },
    ]);
    expectFailure(await door.tool('flag_email', { ids: [`${old}A`] }), 400, 'invalid_message_id');
    // One message is one target, whichever way it is named.
    const both = resultIn(await door.tool('mark_read', { ids: [old, id, other] }));
    expect(both.items).toHaveLength(2);
  });

  it('an event of new mail and the link of a tracker name a message by the same id', async () => {
    const door = await ownDoor();
    const { service, ownerId } = door.server;
    await service.on('message.received', async () => undefined);
    await service.watch();
    const id = await door.deliver({ subject: 'Zebra' });
    await service.watch();
    const told = () => service.owners.events(ownerId, 0, 10);
    await expect.poll(told, { timeout: 20_000 }).toMatchObject([{ data: { message_id: id } }]);
    const created = resultIn(await door.tool('create_tracker', { title: 'Zebra', keywords: 'zebra' }));
    const trackerId = z.looseObject({ tracker_id: z.number() }).parse(created).tracker_id;
    resultIn(await door.tool('link_to_tracker', { tracker_id: trackerId, message_id: id }));
    const read = resultIn(await door.tool('get_tracker', { tracker_id: trackerId }));
    expect(read.links).toMatchObject([{ id }]);
  });

  it('what is kept behind it shows no folder', async () => {
    const door = await ownDoor({ samples: () => [] });
    await mailboxOf(door).put('Archive', rawOf(sample('one', { to: OWNER }), new Date(0)), new Date());
    const [id = ''] = await idsIn(door, 'Archive');
    const handle = Number(id.slice(3, 16));
    const [kept] = await door.server.storage.handledMessages(door.server.ownerId, [handle]);
    const bytes = Buffer.from(kept?.sealed ?? '', 'base64url').toString('latin1');
    expect(bytes.length).toBeGreaterThan(50);
    expect(bytes).not.toContain('Archive');
  });
});
