import { describe, expect, it } from 'vitest';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import { parseMessage } from '../../core/mime/parse.ts';
import { anyText, including } from './matchers.ts';
import {
  accountOf,
  approvalOf,
  approve,
  detailsOf,
  FRIEND,
  firstId,
  letter,
  OWN,
  openScene,
  type Scene,
  shownOf,
  wordOf,
} from './scene.ts';

async function open(sample: Partial<SampleMessage>, mode: 'approval' | 'direct' = 'approval') {
  const scene = await openScene({ samples: () => [letter('parent', sample)] });
  const key = await scene.addKey('full', { 'mail:reply': mode });
  return { scene, key, id: await firstId(key) };
}

/** Files a reply, approves it, and reads what was sent. */
async function sentReply(sample: Partial<SampleMessage>, body = 'Answer') {
  const { scene, key, id } = await open(sample);
  const outcome = await key.call('send_reply', { id, body });
  await approve(scene, approvalOf(outcome).id);
  return { ...(await lastSent(scene)), scene };
}

async function lastSent({ mail }: Scene) {
  const [sent] = mail.transmitted();
  if (sent === undefined) throw new Error('nothing was handed over');
  const source = Buffer.from(sent.raw).toString('latin1');
  const header = (name: string) =>
    new RegExp(`^${name}: ((?:.|\r\n )*)\r$`, 'm').exec(source)?.[1]?.replaceAll('\r\n ', ' ');
  return { ...(await parseMessage(sent.raw)), to: sent.to, header };
}

describe('send_reply', () => {
  it.each([
    [{ References: '', 'In-Reply-To': '<1@x.example>' }, '<1@x.example> <2@x.example>'],
    [
      { References: '<0@x.example>\r\nReferences: <1@x.example>' },
      '<0@x.example> <1@x.example> <2@x.example>',
    ],
    [{ 'In-Reply-To': 'Message from Bob <bob@x.example> <1@x.example>' }, '<1@x.example> <2@x.example>'],
    [{ 'In-Reply-To': '1@x.example', References: '1@x.example' }, '<1@x.example> <2@x.example>'],
    [{ 'In-Reply-To': '=?utf-8?q?=3C1=40x=2Eexample=3E?=' }, '<1@x.example> <2@x.example>'],
    [{ 'In-Reply-To': 'your question, bob@x.example' }, '<2@x.example>'],
  ])(
    'to a message that answers in an odd way names parent and grandparent: %j',
    async (fields, references) => {
      const scene = await openScene({ samples: () => [] });
      const key = await scene.addKey('full');
      const account = accountOf(scene);
      const head = { From: FRIEND, Subject: 'Roof', 'Message-ID': '<2@x.example>', ...fields };
      const lines = [...Object.entries(head).map(([name, value]) => `${name}: ${value}`), '', 'Who?', ''];
      await scene.mail.deliver(account, 'INBOX', Buffer.from(lines.join('\r\n')));
      const outcome = await key.call('send_reply', { id: await firstId(key), body: 'I do.' });
      await approve(scene, approvalOf(outcome).id);
      const { header } = await lastSent(scene);
      expect([header('In-Reply-To'), header('References')]).toEqual(['<2@x.example>', references]);
    },
  );

  it('goes to the sender, with the subject, thread and quote of a reply', async () => {
    const sent = await sentReply({
      thread: ['first', 'second'],
      subject: 'Re: RE: Dates',
      from: `Maya Okafor <${FRIEND}>`,
      text: 'When?\n\n> Soon\n',
    });
    expect(sent.to).toEqual([FRIEND]);
    expect(sent.headers.subject).toBe('Re: Dates');
    expect(sent.header('In-Reply-To')).toBe('<parent@sample.countersign.test>');
    expect(sent.header('References')).toBe(
      '<first@sample.countersign.test> <second@sample.countersign.test> <parent@sample.countersign.test>',
    );
    expect(sent.text).toMatch(
      /^Answer\n\nOn \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00, Maya Okafor <maya@atlas\.example> wrote:\n> When\?\n> \n>> Soon$/,
    );
    expect(sent.headers.from[0]?.address).toBe(OWN);
  });

  it('is shown as a reply, and its target once', async () => {
    const { scene, key, id } = await open({});
    const outcome = await key.call('send_reply', { id, body: 'Answer' });
    expect(approvalOf(outcome)).toMatchObject({ tool: 'send_reply', action: 'reply', state: 'pending' });
    const shown = await shownOf(scene, approvalOf(outcome).id);
    expect(shown.targets).toEqual([including({ id, path: 'INBOX', subject: 'Subject parent' })]);
    expect(shown.message?.says.inReplyTo).toBe('<parent@sample.countersign.test>');
  });

  it('goes to Reply-To instead, to each address once', async () => {
    const replyTo = 'List <list@example.org>, LIST@example.org, two@example.org';
    expect((await sentReply({ replyTo })).to).toEqual(['LIST@example.org', 'two@example.org']);
  });

  it('marks the message as answered once it is sent, and saves it in Sent once', async () => {
    const { scene } = await sentReply({});
    await scene.service.recover();
    const account = accountOf(scene);
    const call = { account, signal: new AbortController().signal, deadlineMs: 1000 };
    const query = { path: 'INBOX', unread: false, order: 'uid', after: undefined, limit: 5 } as const;
    await expect
      .poll(async () => (await scene.mail.list(call, query)).rows.map(({ flags }) => flags.has('answered')))
      .toEqual([true]);
    const own = (await scene.mail.messages(account, 'Sent')).filter((raw) =>
      Buffer.from(raw).includes('Answer'),
    );
    expect(own).toHaveLength(1);
  });

  it('quotes at most 50,000 characters, and reports the cut', async () => {
    const { text } = await sentReply({ text: `${'x'.repeat(50_007)}\n` });
    expect(text).toContain(
      `> ${'x'.repeat(50_000)}\n[The quote ends here; 7 more characters were left out.]`,
    );
  });

  it('replies to a message with any headers', async () => {
    const subject = `Re: \u202e${'long '.repeat(100)}\ufeff\u{1f600}`;
    const sent = await sentReply({
      subject,
      from: `=?x \u200b<<< "evil" <${FRIEND}>`,
      text: '\ufeff\u0085\u0007\n',
    });
    expect(sent.to).toEqual([FRIEND]);
    expect(sent.headers.subject.startsWith('Re: ')).toBe(true);
  });

  it('replies to a message with an unusable Message-ID, without naming it', async () => {
    const { scene, key } = await open({});
    const account = accountOf(scene);
    const raw = `From: ${FRIEND}\r\nMessage-ID: <=?utf-8?q?x?=@example.org>\r\nSubject: Odd\r\n\r\nText\r\n`;
    await scene.mail.deliver(account, 'INBOX', Buffer.from(raw));
    const id = await firstId(key);
    await approve(scene, approvalOf(await key.call('send_reply', { id, body: 'Answer' })).id);
    const sent = await lastSent(scene);
    expect([sent.header('In-Reply-To'), sent.header('References')]).toEqual([undefined, undefined]);
  });

  it.each([
    [`<${'a1b2c3d4e5'.repeat(27)}@kuhl.example>`, `<${'a1b2c3d4e5'.repeat(27)}@kuhl.example>`],
    ['<2025 1104 77@kuhl.example>', '<2025110477@kuhl.example>'],
  ])('replies to %s', async (given, named) => {
    const { scene, key } = await open({});
    const account = accountOf(scene);
    const raw = `From: ${FRIEND}\r\nMessage-ID: ${given}\r\nSubject: Odd\r\n\r\nText\r\n`;
    await scene.mail.deliver(account, 'INBOX', Buffer.from(raw));
    const id = await firstId(key);
    await approve(scene, approvalOf(await key.call('send_reply', { id, body: 'Answer' })).id);
    const sent = await lastSent(scene);
    expect([sent.header('In-Reply-To'), sent.header('References')]).toEqual([named, named]);
  });

  it.each([
    ['no address', { from: 'undisclosed sender' }],
    [
      'more addresses than a send may have',
      { replyTo: [1, 2, 3, 4, 5, 6].map((n) => `a${n}@example.org`).join(', ') },
    ],
    ['an address beyond ASCII', { from: '<ädä@example.org>' }],
  ])('reports a message with %s', async (_name, sample) => {
    const { key, id } = await open(sample);
    expect(detailsOf(await key.call('send_reply', { id, body: 'Answer' }))).toEqual({
      code: 'invalid_arguments',
      errors: [{ field: 'id', rule: 'recipient', message: anyText }],
    });
  });

  it('runs immediately in mode direct for a known recipient', async () => {
    const { scene, key, id } = await open({}, 'direct');
    expect(await key.call('send_reply', { id, body: 'Answer' })).toMatchObject({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: { approval: { action: 'reply', state: 'executed', result: { sent: true, recipients: 1 } } },
    });
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('needs its own group', async () => {
    const { scene, id } = await open({});
    const key = await scene.addKey('full', { 'mail:reply': 'off' });
    expect(detailsOf(await key.call('send_reply', { id, body: 'x' }))).toEqual({
      code: 'not_permitted',
      group: 'mail:reply',
    });
    expect(wordOf(await key.call('send_email', { to: [FRIEND], subject: 's', body: 'x' }))).toBe(
      'pending_approval',
    );
  });
});
