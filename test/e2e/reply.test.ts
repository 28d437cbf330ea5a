import type { Browser } from 'playwright-core';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threadIndexStart } from '../../core/mail/thread-index.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../servers/browser.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { RECIPIENTS } from '../servers/postfix.ts';
import { eventually } from '../until.ts';
import { decide, type Owner, openDecided, signedIn, stateOn, textOf } from './owner-pages.ts';
import { filedIn, restClient } from './rest-client.ts';
import { type SelfHosted, selfHosted } from './self-hosted.ts';

const PHONE = { width: 390, height: 844 };

const QUESTION = {
  subject: 'RE: Re: Lunch on Friday?',
  messageId: '<question@example.test>',
  references: ['<first@example.test>', '<second@example.test>'],
  threadIndex: Buffer.from(`01dc4d5f3a10${'5a'.repeat(16)}`, 'hex').toString('base64'),
};

describe.skipIf(browserIsMissing || missingServers().length > 0)(inBrowser(titled('a reply')), () => {
  let home: SelfHosted;
  let browser: Browser;
  beforeAll(async () => {
    home = await selfHosted();
    browser = await openBrowser();
  });
  afterAll(() => home?.stop());

  /** An owner whose mailbox contains a question, and a program with a key, all set up from the command line. */
  async function setUp(email: string) {
    const owner = await home.addOwner(email);
    const user = await home.addAccount(owner);
    const asker = home.dovecot.addUser();
    await home.dovecot.deliver(
      user,
      [
        `From: Ada Lovelace <${addressOf(asker)}>`,
        `To: ${addressOf(user)}`,
        `Subject: ${QUESTION.subject}`,
        `Message-ID: ${QUESTION.messageId}`,
        `References: ${QUESTION.references.join(' ')}`,
        `Thread-Index: ${QUESTION.threadIndex}`,
        'Date: Fri, 20 Nov 2026 10:00:00 +0100',
        '',
        'Shall we have lunch?',
        '.',
        '> At noon?',
        '',
      ].join('\r\n'),
    );
    return { owner, user, asker, rest: restClient(home.server.base_url, await home.addKey(owner)) };
  }

  const openApproval = async (owner: Owner, id: string) => {
    const page = await signedIn(browser, home.server.dashboard_url, owner);
    await page.locator(`a[href="/approvals/${id}"]`).click();
    await page.waitForURL(`/approvals/${id}`);
    return page;
  };

  const flagsOf = (user: string) => home.dovecot.doveadm('fetch', user, ['flags', 'mailbox', 'INBOX']);

  it('that the owner approves is sent once, exactly as the page showed it, and appears in its thread', async () => {
    const { owner, user, asker, rest } = await setUp('approves@example.org');
    const { id, date, from, subject } = await rest.newest();
    expect({ subject, date }).toEqual({ subject: QUESTION.subject, date: '2026-11-20T10:00:00+01:00' });
    expect((await rest.get(`/v1/messages/${id}`)).body).toMatchObject({
      status: 'ok',
      result: { body: expect.stringContaining('Shall we have lunch?') as unknown },
    });

    const asked = await rest.post(`/v1/messages/${id}/reply`, { body: 'Yes, at noon.\n\nGrace' });
    const approvalId = filedIn(asked);
    const path = `/v1/approvals/${approvalId}`;
    expect(asked.headers.get('location')).toBe(path);
    expect(asked.body).toMatchObject({
      executed: false,
      approvals_url: `${home.server.dashboard_url}/approvals`,
      message: expect.stringContaining('NOT') as unknown,
    });
    expect(await rest.get(path)).toMatchObject({ status: 202, body: { approval: { state: 'pending' } } });
    expect(await home.dovecot.messages(asker)).toEqual([]);

    const page = await openApproval(owner, approvalId);
    const text = [
      'Yes, at noon.',
      '',
      'Grace',
      '',
      `On ${date}, ${from} wrote:`,
      '> Shall we have lunch?',
      '> .',
      '>> At noon?',
    ].join('\n');
    expect(await textOf(page, 'message-text')).toBe(text);
    expect(await textOf(page, 'message-subject')).toBe('Re: Lunch on Friday?');
    expect(await textOf(page, 'message-from')).toBe(addressOf(user));
    expect(await page.locator('#recipients li').allTextContents()).toEqual([addressOf(asker)]);
    expect(await textOf(page, 'message-in-reply-to')).toBe(QUESTION.messageId);
    const messageId = await textOf(page, 'message-id');
    await decide(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');

    await home.postfix.delivered();
    const [arrived = '', ...others] = await home.dovecot.messages(asker);
    expect(others).toEqual([]);
    const mail = await PostalMime.parse(arrived);
    expect(mail).toMatchObject({
      messageId,
      subject: 'Re: Lunch on Friday?',
      inReplyTo: QUESTION.messageId,
      references: [...QUESTION.references, QUESTION.messageId].join(' '),
      from: { address: addressOf(user) },
      to: [{ address: addressOf(asker) }],
    });
    const threadIndex = mail.headers.find(({ key }) => key === 'thread-index')?.value ?? '';
    expect(threadIndexStart(threadIndex)).toBe(threadIndexStart(QUESTION.threadIndex));
    expect(mail.text).toBe(`${text}\n`);

    expect(await rest.get(path)).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        executed: true,
        result: { approval: { state: 'executed', result: { sent: true, recipients: 1 } } },
      },
    });
    // The flag is the last step after a send.
    await eventually(async () => expect(await flagsOf(user)).toContain('\\Answered'));
    const saved = await home.dovecot.messages(user, 'Sent');
    expect(saved).toHaveLength(1);
    expect((await PostalMime.parse(saved[0] ?? '')).messageId).toBe(messageId);

    await page.goto('/activity');
    const rows = page
      .locator('.events li')
      .filter({ has: page.locator(`a[href="/approvals/${approvalId}"]`) });
    const toAsker = `${addressOf(asker)} with Re: Lunch on Friday?`;
    expect(await rows.locator('> span').allTextContents()).toEqual([
      `Replied to ${toAsker}, as you approved. Open`,
      `You approved its request to reply to ${toAsker}. Open`,
      `Asked to reply to ${toAsker}: you approved it. Open`,
    ]);
  });

  it('that the owner rejects is not sent, and a repeated request is refused', async () => {
    const { owner, user, asker, rest } = await setUp('rejects@example.org');
    const { id } = await rest.newest();
    const reply = () => rest.post(`/v1/messages/${id}/reply`, { body: 'No.' });
    const approvalId = filedIn(await reply());

    const page = await openApproval(owner, approvalId);
    await decide(page, 'Reject');
    expect(await stateOn(page)).toBe('Rejected');

    expect(await rest.get(`/v1/approvals/${approvalId}`)).toMatchObject({
      status: 200,
      body: { executed: false, result: { approval: { state: 'rejected' } } },
    });
    expect(await reply()).toMatchObject({ status: 409, body: { code: 'previously_rejected' } });
    await home.postfix.delivered();
    expect(await home.dovecot.messages(asker)).toEqual([]);
    expect(await home.dovecot.messages(user, 'Sent')).toEqual([]);
    expect(await flagsOf(user)).not.toContain('\\Answered');
  });

  it('that the owner rejects with a reason on a phone is read by the program', async () => {
    const { owner, rest } = await setUp('reasons@example.org');
    const { id } = await rest.newest();
    const approvalId = filedIn(await rest.post(`/v1/messages/${id}/reply`, { body: 'No.' }));
    const page = await openApproval(owner, approvalId);
    await page.setViewportSize(PHONE);
    await page.getByText('Reject with a reason').click();
    await page.getByLabel('A line for the program').fill('Friendlier, please.');
    await page.getByRole('button', { name: 'Suspicious' }).click();
    await page.locator('#decided').waitFor();
    expect((await rest.get(`/v1/approvals/${approvalId}`)).body).toMatchObject({
      result: { approval: { rejection: { reason: 'suspicious', note: 'Friendlier, please.' } } },
    });
    await page.getByRole('button', { name: 'Pause the key' }).click();
    await page.waitForURL(/\/integrations/);
    expect(await rest.get('/v1/me')).toMatchObject({ body: { paused: true } });
  });

  it('that the owner changes on a phone is sent once as changed', async () => {
    const { owner, user, asker, rest } = await setUp('changes@example.org');
    const { id } = await rest.newest();
    const approvalId = filedIn(await rest.post(`/v1/messages/${id}/reply`, { body: 'Yes, at noon.' }));
    const page = await openApproval(owner, approvalId);
    await page.setViewportSize(PHONE);
    await page.getByText('Change it, then approve').click();
    await page.getByLabel('Text, without quote and signature').fill('Yes, at one.\nGrace');
    // Beside the changes, this button would send the text without them.
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).isVisible()).toBe(false);
    await press(page, 'Approve as changed');
    await page.locator('#just-decided').waitFor();
    expect(await stateOn(page)).toBe('Executed');
    await openDecided(page);
    await page.locator('#edited').waitFor();
    await home.postfix.delivered();
    const [arrived = '', ...others] = await home.dovecot.messages(asker);
    expect(others).toEqual([]);
    const mail = await PostalMime.parse(arrived);
    expect(mail).toMatchObject({
      messageId: await textOf(page, 'message-id'),
      inReplyTo: QUESTION.messageId,
      text: expect.stringMatching(/^Yes, at one\.\nGrace\n\nOn .*\n> Shall we have lunch\?/) as string,
    });
    await eventually(async () => expect(await flagsOf(user)).toContain('\\Answered'));
    expect((await rest.get(`/v1/approvals/${approvalId}`)).body).toMatchObject({
      result: {
        approval: {
          edited: { diff: expect.stringContaining('-Yes, at noon.\n+Yes, at one.\n+Grace') as string },
        },
      },
    });
  });

  it('that failed is tried again, changed so that the server accepts it, and sent once', async () => {
    const { owner, asker, rest } = await setUp('again@example.org');
    const letter = { to: [RECIPIENTS.blocked], subject: 'Lunch', body: 'At noon?' };
    const approvalId = filedIn(await rest.post('/v1/messages', letter));
    const page = await openApproval(owner, approvalId);
    await page.setViewportSize(PHONE);
    await decide(page, 'Approve');
    expect(await stateOn(page)).toBe('Failed');
    await openDecided(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('You try it again after it failed.').waitFor();
    await page.getByText('Change it, then approve').click();
    await page.getByLabel('To, one address per line').fill(addressOf(asker));
    await press(page, 'Approve as changed');
    // The owner has not seen this recipient as a new one.
    await page.getByText('Nothing is approved yet.').waitFor();
    await press(page, 'Approve as changed');
    await page.locator('#just-decided').waitFor();
    expect(await stateOn(page)).toBe('Executed');
    await openDecided(page);
    await page.locator('#edited').waitFor();
    await home.postfix.delivered();
    expect(await home.dovecot.messages(asker)).toHaveLength(1);
  });
});
