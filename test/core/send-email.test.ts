import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { address, bodyText, line, text } from '../../core/contract/schema.ts';
import { parseMessage } from '../../core/mime/parse.ts';
import { MailError } from '../../core/ports/mail.ts';
import { meaningForOwner } from '../../hosts/dashboard/labels.ts';
import { anyCharacter } from '../any-character.ts';
import { anyText, textLike } from './matchers.ts';
import {
  approvalOf,
  approve,
  detailsOf,
  expectInstant,
  FRIEND,
  filedAction,
  openScene,
  REFUSED,
  type Scene,
  STRANGER,
  sendTo,
  shownOf,
  wordOf,
} from './scene.ts';

/** The last sent message, as its recipient reads it. */
async function lastSent({ mail }: Scene) {
  const sent = mail.transmitted().at(-1);
  if (sent === undefined) throw new Error('nothing was handed over');
  return { ...sent, ...(await parseMessage(sent.raw)) };
}

describe('send_email in mode approval', () => {
  it('answers 202 and does nothing until the owner approves; then sends once', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const outcome = await key.call('send_email', {
      to: [FRIEND, STRANGER],
      subject: 'Größe',
      body: 'One\r\ntwo\n',
    });
    expect(outcome).toEqual({
      status: 'pending_approval',
      executed: false,
      approval: {
        id: textLike(/^apr_[A-Za-z0-9_-]{1,22}$/),
        state: 'pending',
        tool: 'send_email',
        action: 'send',
        created_at: anyText,
        expires_at: anyText,
      },
      approvals_url: 'http://127.0.0.1:8788/approvals',
      poll_after_s: 15,
      message: textLike('NOT done yet'),
    });
    expect(scene.mail.transmitted()).toEqual([]);
    const { approval, won } = await approve(scene, approvalOf(outcome).id);
    expect([won, approval.state, approval.result]).toEqual([true, 'executed', { sent: true, recipients: 2 }]);
    const sent = await lastSent(scene);
    expect(scene.mail.transmitted()).toHaveLength(1);
    expect([sent.to, sent.headers.subject, sent.text]).toEqual([[FRIEND, STRANGER], 'Größe', 'One\ntwo']);
    expect(sent.headers.to.map((one) => one.address)).toEqual([FRIEND, STRANGER]);
    expect(sent.headers.cc).toEqual([]);
  });

  it('shows the owner what will be sent, byte for byte, and why it waits', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const { id } = approvalOf(await key.call('send_email', sendTo(STRANGER, 'Exactly this')));
    const view = await scene.service.approvals.show(scene.ownerId, id);
    const { message } = await shownOf(scene, id);
    expect(view?.keyName).toBe('agent');
    expect(view?.title).toBe('Send a new message');
    expect(message?.says).toMatchObject({ to: [STRANGER], subject: 'Subject', text: 'Exactly this' });
    expect(view?.isAlwaysAsked).toBe(true);
    expect(view?.findings.map(({ rule }) => rule)).toEqual(['first_time_recipient']);
    await approve(scene, id);
    const sent = await lastSent(scene);
    const { stored } = await filedAction(scene, id);
    if (stored.kind !== 'send') throw new Error('a send was planned as something else');
    const raw = Buffer.from(stored.message.raw, 'base64').toString();
    expect(Buffer.from(sent.raw).toString()).toBe(
      `Date: ${sent.date.toUTCString().replace('GMT', '+0000')}\r\n${raw}`,
    );
  });
});

describe('send_email in mode direct', () => {
  it('answers 200 for a known recipient, with the approval that it ran under', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full', { 'mail:send': 'direct' });
    const outcome = await key.call('send_email', sendTo(FRIEND));
    expect(outcome).toEqual({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: {
        approval: {
          id: textLike(/^apr_/),
          state: 'executed',
          tool: 'send_email',
          action: 'send',
          created_at: anyText,
          executed_at: anyText,
          result: { sent: true, recipients: 1 },
        },
        meaning: textLike('needed no approval'),
      },
    });
    expectInstant(approvalOf(outcome).executed_at);
    expect(scene.mail.transmitted()).toHaveLength(1);
  });

  it('fails with its code if the server refuses, and its approval says so', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full', { 'mail:send': 'direct' });
    expect(detailsOf(await key.call('send_email', sendTo(REFUSED)))).toMatchObject({
      code: 'upstream_mail_error',
    });
    const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 10 });
    expect(approvals).toMatchObject([{ approval: { state: 'failed', error: 'upstream_mail_error' } }]);
  });
});

describe('a message with too much of something for the server', () => {
  it.each([
    ['message_too_large', undefined, 'larger than the mail server takes'],
    [
      'message_too_large',
      { bytes: 1_400_000, limitBytes: 1_100_000 },
      'The message has 1.4 MB, and the mail server takes at most 1.1 MB.',
    ],
    ['message_too_large', { bytes: 900, limitBytes: null }, 'has 900 bytes, and the mail server takes less.'],
    ['too_many_recipients', undefined, 'more recipients than the mail server takes'],
  ] as const)(
    'fails at once, and its approval and the error say so: %s %j',
    async (tooMuch, sizes, words) => {
      const scene = await openScene({
        mailAs: (mail) => ({
          ...mail,
          transmit: async () => {
            throw new MailError('refused', 'It is too much.', { tooMuch, ...(sizes && { sizes }) });
          },
        }),
      });
      const key = await scene.addKey('full');
      const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
      await approve(scene, id);
      expect(await key.call('get_approval', { approval_id: id })).toMatchObject({
        result: { approval: { state: 'failed', error: tooMuch }, meaning: textLike(words) },
      });
      const view = await scene.service.approvals.show(scene.ownerId, id);
      expect(view && meaningForOwner(view.approval)).toContain(words);
      expect(view?.canTryAgain).toBe(false);
      const direct = await scene.addKey('full', { 'mail:send': 'direct' });
      expect(await direct.call('send_email', sendTo(FRIEND))).toEqual({
        status: 'error',
        code: 'upstream_mail_error',
        message: expect.any(String) as unknown,
        details: {
          reason: tooMuch,
          ...(sizes && { message_bytes: sizes.bytes }),
          ...(sizes?.limitBytes != null && { limit_bytes: sizes.limitBytes }),
        },
      });
    },
  );
});

describe('the account that sends', () => {
  it('is the active one, or the one named, and appends its signature', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const { ownerId } = scene;
    const second = { ownerId, email: 'two@countersign.test', signature: 'Second\r\nline', settings: {} };
    const { accountId } = await scene.service.accounts.connect(second);
    const froms: unknown[] = [];
    for (const args of [{}, { account_id: accountId }, { account_id: 1 }]) {
      const { id } = approvalOf(await key.call('send_email', { ...sendTo(FRIEND), ...args }));
      await approve(scene, id);
      const { headers, text: words } = await lastSent(scene);
      froms.push([headers.from[0]?.address, words]);
      await key.call('cancel_approval', { approval_id: id });
      scene.clock.shift(3_600_001);
    }
    expect(froms).toEqual([
      ['demo@countersign.test', 'Text'],
      ['two@countersign.test', 'Text\n\n-- \nSecond\nline'],
      ['demo@countersign.test', 'Text'],
    ]);
    await scene.service.accounts.activate(ownerId, accountId);
    const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND, 'Another')));
    await approve(scene, id);
    expect((await lastSent(scene)).headers.from[0]?.address).toBe('two@countersign.test');
    expect(detailsOf(await key.call('send_email', { ...sendTo(FRIEND), account_id: 3 }))).toEqual({
      code: 'not_found',
      reason: 'account',
    });
  });
});

describe('everything that the schema allows', () => {
  const subjects = fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 300 })
    .filter((value) => line({ min: 1, max: 300, description: '' }).safeParse(value).success);
  const bodies = fc
    .oneof(
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 }),
      fc
        .array(fc.constantFrom('\r\n', '\n', '\r', '\t', ' ', '.', '> ', '-- ', 'From ', '\ufeff', 'é'))
        .map((all) => all.join('')),
    )
    .filter((value) => text({ min: 1, max: 50_000, description: '' }).safeParse(value).success);
  const local = fc.stringMatching(/^[A-Za-z0-9!#$%&*+/=?^_`{|}~.-]{1,20}$/);
  const domains = fc.constantFrom('example.org', 'a.b', 'xn--bcher-kva.example', 'mail.Example.ORG');
  const addresses = fc
    .tuple(local, domains)
    .map((parts) => parts.join('@'))
    .filter((value) => address.safeParse(value).success);

  it('is filed and sent unchanged', async () => {
    const scene = await openScene({ limits: { callsPerMinute: 1e6, callsPerDay: 1e6, filedPerDay: 1e6 } });
    const key = await scene.addKey('full');
    await fc.assert(
      fc.asyncProperty(addresses, subjects, bodies, async (to, subject, body) => {
        const outcome = await key.call('send_email', { to: [to], subject, body });
        expect(wordOf(outcome)).toBe('pending_approval');
        await approve(scene, approvalOf(outcome).id);
        const sent = await lastSent(scene);
        expect([sent.to, sent.headers.subject.trim(), sent.text]).toEqual([
          [to],
          subject.trim(),
          bodyText(body),
        ]);
      }),
      { numRuns: 60 },
    );
  });

  it('is sent at its maximum length', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const to = Array.from({ length: 5 }, (_, n) => `${String(n).repeat(242)}@example.org`);
    const outcome = await key.call('send_email', {
      to,
      subject: '\u{1f4dc}'.repeat(300),
      body: '\u{1f4dc}'.repeat(50_000),
    });
    expect((await approve(scene, approvalOf(outcome).id)).approval.result).toEqual({
      sent: true,
      recipients: 5,
    });
  });
});
