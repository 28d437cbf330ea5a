import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { headersOf } from '../../core/mail/header-fields.ts';
import { accountOf, approvalOf, approve, FRIEND, firstId, openScene, sendTo } from './scene.ts';

async function open(mode: 'approval' | 'direct', ...fields: string[]) {
  const scene = await openScene({ samples: () => [] });
  const key = await scene.addKey('full', { 'mail:reply': mode, 'mail:send': mode });
  const lines = [
    ...fields,
    `From: ${FRIEND}`,
    'Subject: Question',
    'Message-ID: <q@example.org>',
    '',
    'Come?',
  ];
  await scene.mail.deliver(accountOf(scene), 'INBOX', Buffer.from(`${lines.join('\r\n')}\r\n`));
  return { scene, key, id: await firstId(key) };
}

function autoSubmitted(raw: Uint8Array | undefined): string | undefined {
  return headersOf(raw ?? new Uint8Array()).find(({ key }) => key === 'auto-submitted')?.value;
}

describe('a message that no person approved', () => {
  it('says so, in Sent too: a new one and a reply', async () => {
    const { scene, key, id } = await open('direct');
    expect((await key.call('send_email', sendTo(FRIEND))).status).toBe('ok');
    expect((await key.call('send_reply', { id, body: 'Yes.' })).status).toBe('ok');
    const sent = scene.mail.transmitted().map(({ raw }) => autoSubmitted(raw));
    expect(sent).toEqual(['auto-generated', 'auto-replied']);
    await expect
      .poll(async () => (await scene.mail.messages(accountOf(scene), 'Sent')).map(autoSubmitted))
      .toEqual(expect.arrayContaining(['auto-generated', 'auto-replied']));
  });

  it('is told apart from one that the owner approved', async () => {
    const { scene, key, id } = await open('approval');
    await approve(scene, approvalOf(await key.call('send_email', sendTo(FRIEND))).id);
    await approve(scene, approvalOf(await key.call('send_reply', { id, body: 'Yes.' })).id);
    expect(scene.mail.transmitted().map(({ raw }) => autoSubmitted(raw))).toEqual([undefined, undefined]);
  });
});

describe('a reply in mode direct', () => {
  it.each([
    'Auto-Submitted: auto-replied (vacation)',
    'auto-submitted: Auto-Generated; owner=x',
    'Precedence: bulk',
    'Precedence: Junk',
    'Precedence: list',
    'List-Id: People <people.example.org>',
    'X-Auto-Response-Suppress: All',
    'Return-Path: <>',
  ])('waits for the owner, with the reason, if the message has %s', async (field) => {
    const { scene, key, id } = await open('direct', field);
    const answer = await key.call('send_reply', { id, body: 'Yes.' });
    const approval = await scene.storage.approval(scene.ownerId, approvalOf(answer).id);
    expect(approval?.reasons).toEqual(['answers_automatic_mail']);
    await approve(scene, approvalOf(answer).id);
    expect(autoSubmitted(scene.mail.transmitted()[0]?.raw)).toBeUndefined();
  });

  it.each([
    'Auto-Submitted: no (a person)',
    'Precedence: first-class',
    'X-Auto-Response-Suppress: None',
    `Return-Path: <${FRIEND}>`,
    'List-Unsubscribe: <https://example.org>',
  ])('runs if it has %s', async (field) => {
    const { key, id } = await open('direct', field);
    expect((await key.call('send_reply', { id, body: 'Yes.' })).status).toBe('ok');
  });
});
