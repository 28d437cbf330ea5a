import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NoticeMailServer, ownerNotices } from '../../../adapters/notices/owner-notices.ts';
import type { Notice } from '../../../core/ports/notice-sender.ts';
import { EMAIL, openDashboard } from '../../hosts/dashboard/open-dashboard.ts';
import { signedInPage } from '../../hosts/dashboard/signed-in-page.ts';
import { browserIsMissing, openBrowser, press } from '../../servers/browser.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, RECIPIENTS, startPostfix } from '../../servers/postfix.ts';
import { eventually } from '../../until.ts';

const AT = new Date('2026-03-10T12:00:00Z');
const PAGE = 'https://approve.example.org/approvals/apr_1';
const WAITING: Notice = {
  kind: 'waiting',
  at: AT,
  waiting: 2,
  approvalId: null,
  toMend: 0,
  hasAccessChanged: false,
  page: PAGE,
};

describe.skipIf(missingServers().length > 0)(titled('notices through Postfix'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  beforeAll(async () => {
    dovecot = await startDovecot();
    postfix = await startPostfix(dovecot);
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
  });

  const open = (changes: Partial<NoticeMailServer> = {}) =>
    ownerNotices({
      smtp: {
        ...{ host: '127.0.0.1', port: postfix.port, security: 'starttls' },
        ...{ user: addressOf('alice'), pass: PASSWORD, from: addressOf('alice') },
        tlsFingerprint: postfix.certificate.fingerprint,
        ...changes,
      },
    });

  function send(address: string, notice: Notice = WAITING, changes: Partial<NoticeMailServer> = {}) {
    const sender = open(changes);
    const limit = { timeLimitMs: 15_000, signal: new AbortController().signal };
    return sender.send({ kind: 'mail', address }, notice, limit);
  }

  it('arrive as one plain line without a link', async () => {
    expect(await send(addressOf('bob'))).toEqual({ kind: 'sent' });
    expect(await send(addressOf('bob'), { kind: 'code', at: AT, code: '012345' })).toEqual({ kind: 'sent' });
    await eventually(async () => expect(await dovecot.messages('bob')).toHaveLength(2));
    const [notice = '', code = ''] = (await dovecot.messages('bob')).toSorted(
      (one, other) => Number(one.includes('012345')) - Number(other.includes('012345')),
    );
    const body = (message: string) => message.replace(/\r\n/g, '\n').split('\n\n').slice(1).join('\n\n');
    expect(body(notice).trim()).toBe('2 requests wait for your decision.');
    expect(body(code).trim()).toMatch(/^012345 is the code/);
    for (const message of [notice, code]) {
      expect(message).not.toMatch(/https?:|www\.|approve\.example|apr_/);
      expect(body(message).trim()).not.toContain('\n');
      expect(message).toContain(`From: Countersign <${addressOf('alice')}>`);
      expect(message).toContain('Auto-Submitted: auto-generated');
      expect(message).toContain('Date: Tue, 10 Mar 2026 12:00:00 +0000');
    }
  });

  it.each([
    ['the server refuses the recipient', RECIPIENTS.blocked, {}],
    ['the server defers the recipient', RECIPIENTS.tempfail, {}],
    ['the password is wrong', addressOf('bob'), { pass: 'wrong' }],
    ['the certificate is not the pinned one', addressOf('bob'), { tlsFingerprint: '0'.repeat(64) }],
    ['nothing listens', addressOf('bob'), { port: 1 }],
  ] as const)('fail with a reason that names no address if %s', async (_case, address, changes) => {
    const end = await send(address, WAITING, changes);
    expect(end).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^The mail could not be sent: /),
    });
    expect(JSON.stringify(end)).not.toMatch(/@|127\.0\.0\.1/);
  });

  it.skipIf(browserIsMissing)(
    'go to an address that its owner confirmed with the code, on a phone',
    async () => {
      const dashboard = await openDashboard({ noticeSender: open() });
      const { service, ownerId, clock } = dashboard;
      const browser = await openBrowser();
      const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
      const page = await signedInPage(browser, dashboard, '/settings/notices', phone);
      const user = dovecot.addUser();
      const mail = page.getByRole('form', { name: 'Mail' });
      // Programs read the mail of a connected account.
      await mail.getByLabel('Address').fill(EMAIL);
      await press(page, 'Send code', mail);
      await page.getByText('choose one that is not connected here').waitFor();
      await mail.getByLabel('Address').fill(addressOf(user));
      await press(page, 'Send code', mail);
      await eventually(async () => expect(await dovecot.messages(user)).toHaveLength(1));
      const [code = ''] = /\b\d{6}\b/.exec((await dovecot.messages(user))[0] ?? '') ?? [];
      const wrong = code === '000000' ? '000001' : '000000';
      await page.getByLabel('Code').fill(wrong);
      await press(page, 'Confirm');
      await page.getByText('The code is wrong.').waitFor();

      // Nothing is mailed to an address that nobody has confirmed.
      await dashboard.ask({ subject: 'Confidential' });
      clock.shift(5 * 60_000);
      await service.recover();
      await page.getByLabel('Code').fill(code);
      await press(page, 'Confirm');
      await page.getByText('The address is confirmed.').waitFor();
      expect(await service.notices.list(ownerId)).toMatchObject([{ kind: 'mail', isConfirmed: true }]);
      await dashboard.ask({ subject: 'Also confidential' });
      clock.shift(5 * 60_000);
      service.start();
      await eventually(async () => expect(await dovecot.messages(user)).toHaveLength(2));
      const notice = (await dovecot.messages(user)).find((one) => !one.includes(code)) ?? '';
      expect(notice).toContain('2 requests wait for your decision.');
      expect(notice).not.toContain('onfidential');
    },
  );
});
