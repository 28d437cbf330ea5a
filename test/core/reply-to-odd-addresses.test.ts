import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../core/mime/parse.ts';
import { approvalOf, approve, detailsOf, firstId, OWN, openScene, shownOf } from './scene.ts';

/** Replies to a message with these header fields. @returns the answer of the key, and what the owner's page shows */
async function replyTo(...fields: string[]) {
  const scene = await openScene({ samples: () => [] });
  const key = await scene.addKey('full', { 'mail:reply': 'approval' });
  const account = { ownerId: scene.ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
  const lines = [...fields, 'Subject: Question', 'Message-ID: <q@example.org>', '', 'Can you come?'];
  await scene.mail.deliver(account, 'INBOX', Buffer.from(`${lines.join('\r\n')}\r\n`));
  const answer = await key.call('send_reply', { id: await firstId(key), body: 'Yes.' });
  return { scene, answer };
}

describe('a reply', () => {
  it.each([
    ['a name with a comma', ['From: Kuhl, Hans <hans@example.org>'], 'hans@example.org'],
    ['Reply-To without an address', ['From: b@example.org', 'Reply-To: "Support" <>'], 'b@example.org'],
    ['Reply-To that is a name', ['From: b@example.org', 'Reply-To: Support'], 'b@example.org'],
    [
      'a name beside an address',
      ['From: b@example.org', 'Reply-To: Support, c@example.org'],
      'c@example.org',
    ],
    ['a quoted local part', ['From: "bob kuhl"@example.org'], '"bob kuhl"@example.org'],
    ['two dots', ['From: bob..kuhl@example.org'], 'bob..kuhl@example.org'],
    ['a route', ['From: Bob <@relay.example,@two.example:bob@example.org>'], 'bob@example.org'],
    ['mailto', ['From: Bob <mailto:bob@example.org>'], 'bob@example.org'],
    ['a dot at the end', ['From: Bob <bob@example.org.>'], 'bob@example.org'],
    ['a domain in Unicode', ['From: Bob <bob@bücher.example>'], 'bob@xn--bcher-kva.example'],
    [
      'one address of several that can be used',
      ['From: b@example.org', 'Reply-To: jörg@example.org, c@example.org'],
      'c@example.org',
    ],
  ])('to %s goes to the address that the owner sees', async (_name, fields, address) => {
    const { scene, answer } = await replyTo(...fields);
    const { id } = approvalOf(answer);
    const shown = await shownOf(scene, id);
    expect([shown.message?.envelope.to, shown.message?.says.to]).toEqual([[address], [address]]);
    await approve(scene, id);
    const [sent] = scene.mail.transmitted();
    expect(sent?.to).toEqual([address]);
    const { headers } = await parseMessage(sent?.raw ?? new Uint8Array());
    expect(headers.to).toEqual([{ name: '', address }]);
  });

  it.each([
    ['letters beyond ASCII before the at sign', 'Jörg <jörg@example.org>', /letters beyond ASCII/],
    ['no address at all', 'Support', /no valid address/],
  ])('to %s is refused with the reason', async (_name, from, reason) => {
    const { answer } = await replyTo(`From: ${from}`);
    expect(detailsOf(answer)).toMatchObject({
      code: 'invalid_arguments',
      errors: [{ field: 'id', rule: 'recipient', message: expect.stringMatching(reason) }],
    });
  });
});
