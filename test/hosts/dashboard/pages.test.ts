import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { beforeAll, describe, expect, it } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import { type MailCall, MailError } from '../../../core/ports/mail.ts';
import type { AccountFields } from '../../../hosts/dashboard/accounts/account-fields.ts';
import { eventsOn } from '../../events-on.ts';
import { callWith } from '../../open-service.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, formTokenIn, openDashboard, PASSWORD } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

const RLO = '\u202e';

describe.skipIf(browserIsMissing)(inBrowser('the owner in a browser'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  const signedIn = (dashboard: Dashboard, path: string, options: BrowserContextOptions = {}) =>
    signedInPage(browser, dashboard, path, options);

  const decidedState = (page: Page) => page.locator('#just-decided .state').textContent();
  const textOf = (page: Page, id: string) => page.locator(`#${id}`).textContent();

  it('sees the exact text, approves it, and it is sent once', async () => {
    const dashboard = await openDashboard();
    const body = [
      '',
      '  two spaces, a\ttab, trailing spaces:   ',
      '',
      `<b>no markup</b> &amp; <script>alert(1)</script> ${'long'.repeat(60)}`,
      `zero\u200bwidth, turned ${RLO}around, Ελληνικά, שלום, 👩‍💻 ❤️`,
      '.',
      'From here',
      '-- ',
      'Bob',
      '',
    ].join('\n');
    const subject = 'Grüße <i>& more</i>';
    const id = await dashboard.ask({ to: ['ada@example.net', 'cy@example.net'], subject, body });

    const page = await signedIn(dashboard, '/approvals');
    await page.getByRole('link', { name: 'Send' }).click();
    await page.waitForURL(`${dashboard.url}/approvals/${id}`);
    expect(await page.locator('#recipients li').allTextContents()).toEqual([
      'ada@example.net',
      'cy@example.net',
    ]);
    expect(await textOf(page, 'message-from')).toBe(EMAIL);
    expect(await textOf(page, 'message-subject')).toBe(subject);
    expect(await textOf(page, 'unseen-characters')).toContain('U+200B, U+202E');
    expect(await textOf(page, 'findings')).toContain('You have never written from this account to');
    const shown = await textOf(page, 'message-text');
    expect(dashboard.mail.transmitted()).toHaveLength(0);

    await press(page, 'Approve');
    await page.waitForURL(`${dashboard.url}/approvals?decided=${id}`);
    expect(await textOf(page, 'just-decided')).toContain('You approved it, and it was carried out.');
    await page.locator('#just-decided').getByRole('link').click();
    expect(await page.locator('.state').textContent()).toBe('Executed');
    expect(await textOf(page, 'meaning')).toBe('You approved it, and it was carried out.');
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const [sent, ...others] = dashboard.mail.transmitted();
    expect(others).toEqual([]);
    const mail = await PostalMime.parse(sent?.raw ?? '');
    expect(sent?.to).toEqual(['ada@example.net', 'cy@example.net']);
    expect(mail.subject).toBe(subject);
    expect(mail.text?.replace(/\r\n/g, '\n').replace(/\n$/, '')).toBe(shown);
    expect(shown).toContain(`turned ${RLO}around`);
  });

  it('rejects a request, and nothing is sent', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    const page = await signedIn(dashboard, `/approvals/${id}`);
    await press(page, 'Reject');
    expect(await decidedState(page)).toBe('Rejected');
    expect(await textOf(page, 'just-decided')).toContain('You rejected it. Nothing was done.');
    expect(dashboard.mail.transmitted()).toHaveLength(0);
  });

  it('sees hostile text as text: no markup, nothing reversed, nothing loaded', async () => {
    const dashboard = await openDashboard();
    const hostile = `<img src=http://evil.example/x.png onerror=alert(1)>"'>${RLO}fdp.exe`;
    const from = `"<script>alert(2)</script> ${RLO}moc" <mallory@evil.example>`;
    const account = (await dashboard.service.accounts.list(dashboard.ownerId))[0];
    if (account === undefined) throw new Error('there is one account');
    await dashboard.mail.deliver(
      { ownerId: dashboard.ownerId, accountId: account.accountId, email: EMAIL, settings: async () => ({}) },
      'INBOX',
      Buffer.from(
        `From: =?utf-8?B?${Buffer.from(from.slice(1, from.indexOf('" <'))).toString('base64')}?= <mallory@evil.example>\r\n` +
          `To: ${EMAIL}\r\nSubject: =?utf-8?B?${Buffer.from(hostile).toString('base64')}?=\r\n` +
          'Message-ID: <hostile@evil.example>\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\n\r\nhello\r\n',
      ),
    );
    const found = await dashboard.key.call('summarize_inbox', { limit: 1 });
    if (found.status !== 'ok') throw new Error(JSON.stringify(found));
    const [row] = found.result.messages as { id: string }[];
    const asked = await dashboard.key.call('send_reply', { id: row?.id, body: hostile });
    if (asked.status !== 'pending_approval') throw new Error(JSON.stringify(asked));
    await dashboard.service.keys.create({
      ownerId: dashboard.ownerId,
      name: hostile.slice(0, 90),
      preset: 'read',
    });

    const page = await signedIn(dashboard, `/approvals/${asked.approval.id}`);
    const visible = hostile.replace(RLO, '⟨U+202E⟩');
    expect(await textOf(page, 'message-subject')).toBe(`Re: ${visible}`);
    expect(await textOf(page, 'targets')).toContain(visible);
    expect(await textOf(page, 'targets')).toContain('<script>alert(2)</script> ⟨U+202E⟩moc');
    expect(await textOf(page, 'message-text')).toContain(hostile);
    for (const path of ['/approvals', '/integrations', '/activity', `/approvals/${asked.approval.id}`]) {
      await page.goto(`${dashboard.url}${path}`);
      expect(await page.locator('img, script:not([src^="/assets/"]), iframe').count()).toBe(0);
      const shown = await page.locator('main').innerText();
      const exact = path.startsWith('/approvals/') ? await textOf(page, 'message-text') : '';
      // The text of the message is exact, with marks beside it; nothing else contains bidi controls.
      expect(shown.split(RLO).length).toBe(exact?.split(RLO).length);
    }
  });

  it('sees a page that fits a narrow screen', async () => {
    const dashboard = await openDashboard({ connect: { settings: (fields) => fields } });
    const id = await dashboard.ask({ subject: 'x'.repeat(300), body: 'y'.repeat(3000) });
    const page = await signedIn(dashboard, '/approvals', { viewport: { width: 375, height: 800 } });
    for (const path of ['/approvals', `/approvals/${id}`, '/accounts', '/integrations', '/activity']) {
      await page.goto(`${dashboard.url}${path}`);
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(375);
    }
  });

  it('sees whom a short message goes to, its findings, its text and both buttons on the first screen of a phone', async () => {
    const dashboard = await openDashboard();
    const body = 'Hi Nina,\n\nTuesday at ten works for us.\n\nBest\nDemo';
    const id = await dashboard.ask({ to: ['nina@newpartner.example'], subject: 'Kick-off', body });
    const page = await signedIn(dashboard, `/approvals/${id}`, { viewport: { width: 390, height: 844 } });
    expect(await textOf(page, 'sentence')).toBe(
      'Send to nina@newpartner.example, for the first time: “Kick-off”',
    );
    const bottomOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return (box?.y ?? 0) + (box?.height ?? Number.POSITIVE_INFINITY);
    };
    const bar = await page.locator('form.decision').boundingBox();
    for (const part of ['#sentence', '#findings', '#message-text']) {
      expect(await bottomOf(part), part).toBeLessThanOrEqual(bar?.y ?? 0);
    }
    expect(await bottomOf('form.decision')).toBeLessThanOrEqual(844);
    // One tap decides.
    await press(page, 'Approve');
    expect(await decidedState(page)).toBe('Executed');
    expect(dashboard.mail.transmitted().map(({ to }) => to)).toEqual([['nina@newpartner.example']]);
  });

  it('approves a high-risk request only with a ticked box, and rejects one without it', async () => {
    const dashboard = await openDashboard();
    const body = 'Sign in at https://bank.example@evil.example/';
    const [risky, other] = [await dashboard.ask({ body }), await dashboard.ask({ body, subject: 'Two' })];
    const page = await signedIn(dashboard, `/approvals/${risky}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    // The browser stops the form.
    expect(await page.locator('form.decision input:invalid').count()).toBe(1);
    expect(dashboard.mail.transmitted()).toEqual([]);
    await page.getByRole('checkbox').check();
    await press(page, 'Approve');
    expect(await decidedState(page)).toBe('Executed');
    await page.waitForURL(`${dashboard.url}/approvals/${other}?decided=${risky}`);
    await press(page, 'Reject');
    expect(await decidedState(page)).toBe('Rejected');
  });

  it('creates a key that works and is shown once, changes a mode, rotates it, and revokes it', async () => {
    const dashboard = await openDashboard();
    await dashboard.service.keys.revoke(dashboard.ownerId, dashboard.key.keyId);
    const { service, ownerId } = dashboard;
    const works = async (key: string) => (await callWith(service, key, 'get_me')).status;
    const live = async () => (await service.keys.list(ownerId)).find((key) => key.revokedAt === null);

    const page = await signedIn(dashboard, '/integrations');
    await page.getByLabel('Name').fill('Assistant');
    await page.getByLabel('Preset').selectOption({ label: 'Read and organise' });
    await page.getByLabel('Days').fill('7');
    await page.getByText('Modes other than').click();
    const sendModes = page.locator('select[name="mail:send"]');
    expect(
      await sendModes.locator('option').evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
    ).toEqual(['', 'off', 'approval', 'direct']);
    await sendModes.selectOption('approval');
    await press(page, 'Create key');
    const key = (await textOf(page, 'api-key')) ?? '';
    expect(await page.locator('main').innerText()).toContain(`${service.baseUrl}/mcp`);
    expect(await works(key)).toBe('ok');
    expect((await live())?.modes).toMatchObject({
      'mail:send': 'approval',
      'mail:manage': 'approval',
      'mail:reply': 'off',
    });

    await page.getByRole('link', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain('svc_pat_');
    expect(await page.locator('article.key').innerText()).toContain(
      'It asks you before it sends new mail or moves, labels or deletes mail.',
    );
    await page.locator('article.key summary', { hasText: 'Modes' }).click();
    await page.getByRole('form', { name: 'Modes' }).locator('select[name="mail:send"]').selectOption('off');
    await press(page, 'Save modes');
    expect(await page.getByRole('status').textContent()).toBe('The modes are saved.');
    expect((await live())?.modes['mail:send']).toBe('off');

    await page.getByRole('link', { name: 'Rotate' }).click();
    expect(await page.locator('#consequences').innerText()).toContain('24 hours');
    await press(page, 'Rotate');
    const next = (await textOf(page, 'api-key')) ?? '';
    expect(next).not.toBe(key);
    expect([await works(key), await works(next)]).toEqual(['ok', 'ok']);

    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Revoke' }).click();
    expect(await page.locator('#consequences').innerText()).toContain('None of its requests waits');
    await press(page, 'Revoke');
    expect(await page.getByRole('status').textContent()).toContain('The key is revoked.');
    expect([await works(key), await works(next)]).toEqual(['error', 'error']);
  });

  /** Up to the page that asks for the password. */
  async function typeServers(page: Page) {
    await page.getByLabel('Email').fill('work@example.org');
    await page.getByLabel('Label').fill('Work');
    await press(page, 'by hand');
    await page.getByLabel('IMAP host').fill('imap.example.org');
    await page.getByLabel('SMTP host').fill('smtp.example.org');
    await page.getByLabel('SMTP port').fill('587');
    await page.getByLabel('SMTP security').selectOption('starttls');
    await page.getByLabel('SMTP user').fill('worker');
    await page.getByLabel('Certificate fingerprint').fill(`${'AB:'.repeat(31)}AB`);
    await page.getByLabel('Signature').fill('Bob\nat work');
    await press(page, 'Use these servers');
  }

  async function givePassword(page: Page) {
    await page.getByLabel('Password').fill('hunter2hunter2');
    await press(page, 'Connect account');
  }

  const found = {
    kind: 'found',
    imap: {
      host: 'imap.hoster.example',
      port: 993,
      security: 'tls',
      user: 'work@example.org',
      source: 'https://autoconfig.example.org/mail/config-v1.1.xml',
    },
    smtp: {
      host: 'smtp.example.org',
      port: 587,
      security: 'starttls',
      user: 'work',
      source: 'the DNS, _submission._tcp.example.org',
    },
    caldav: {
      url: 'https://dav.example.org/',
      user: 'work@example.org',
      source: 'the DNS, _caldavs._tcp.example.org',
    },
    notes: ['imap.hoster.example does not belong to example.org.'],
  } as const;

  it('sees the servers found and their sources, changes one, and only then enters the password', async () => {
    const settings: AccountFields[] = [];
    const asked: string[] = [];
    const dashboard = await openDashboard({
      connect: {
        settings: (fields) => settings.push(fields),
        async discover(email) {
          asked.push(email);
          return found;
        },
      },
    });
    const page = await signedIn(dashboard, '/accounts');
    expect(await page.getByLabel('Password').count()).toBe(0);
    await page.getByLabel('Email').fill('work@example.org');
    await press(page, 'Connect account');
    expect(asked).toEqual(['work@example.org']);
    expect(await page.locator('.source').allTextContents()).toEqual([
      `from ${found.imap.source}`,
      `from ${found.smtp.source}`,
      `from ${found.caldav.source}`,
    ]);
    expect(await page.locator('#notes').textContent()).toBe(found.notes[0]);
    expect(await page.getByLabel('IMAP host').inputValue()).toBe('imap.hoster.example');
    expect(await page.getByLabel('SMTP security').inputValue()).toBe('starttls');
    expect(await page.getByLabel('SMTP user').inputValue()).toBe('work');
    expect(await page.getByLabel('Calendar address').inputValue()).toBe('https://dav.example.org/');
    expect(await page.getByLabel('Password').count()).toBe(0);

    await page.getByLabel('IMAP host').fill('imap.example.org');
    await press(page, 'Use these servers');
    expect(await page.locator('#notes').textContent()).toBe(found.notes[0]);
    const facts = await page.locator('dl').innerText();
    expect(facts).toContain('imap.example.org, port 993, security TLS, user work@example.org');
    expect(facts).toContain('smtp.example.org, port 587, security STARTTLS, user work');
    expect(facts).toContain('https://dav.example.org/, user work@example.org');
    await givePassword(page);
    expect(await page.getByRole('status').textContent()).toBe('The account is connected.');
    expect(settings).toEqual([
      {
        imap: { host: 'imap.example.org', port: 993, security: 'tls', user: 'work@example.org' },
        smtp: { host: 'smtp.example.org', port: 587, security: 'starttls', user: 'work' },
        caldav: { url: 'https://dav.example.org/', user: 'work@example.org' },
        password: 'hunter2hunter2',
        fingerprint: undefined,
      },
    ]);
  });

  it('picks one of several calendars for new events, and enters the password again', async () => {
    const settings: AccountFields[] = [];
    const calendars = ['Work', 'Holidays', 'Private'].map((name) => ({
      calendar: `/dav/${name}/`,
      name,
      writable: name !== 'Holidays',
      schedules: false,
      answersOrganizers: false,
      access: 'own' as const,
    }));
    const dashboard = await openDashboard({
      connect: {
        settings: (fields) => settings.push(fields),
        discover: async () => found,
      },
      between: (service) => ({
        ...service,
        accounts: { ...service.accounts, calendars: async () => calendars },
      }),
    });
    const page = await signedIn(dashboard, '/accounts');
    await page.getByLabel('Email').fill('work@example.org');
    await press(page, 'Connect account');
    await press(page, 'Use these servers');
    await givePassword(page);
    expect(await page.getByLabel('Calendar for new events').locator('option').allTextContents()).toEqual([
      'Work',
      'Private',
    ]);
    expect(await page.content()).not.toContain('hunter2');
    expect(await dashboard.service.accounts.list(dashboard.ownerId)).toHaveLength(1);
    await page.getByLabel('Calendar for new events').selectOption('Private');
    await givePassword(page);
    expect(await page.getByRole('status').textContent()).toBe('The account is connected.');
    expect(settings.at(-1)?.caldav).toEqual({
      url: found.caldav.url,
      user: found.caldav.user,
      writeTo: '/dav/Private/',
    });
  });

  it('connects a mailbox whose calendar cannot be connected, and sees why', async () => {
    const calendar = eventsOn(sandboxCalendar());
    const refusing = async ({ account }: MailCall): Promise<never> => {
      throw new MailError('refused', `there is no calendar server for ${account.email.length} letters`);
    };
    const dashboard = await openDashboard({
      connect: {
        settings: (fields) => fields,
        fieldsOf: () => ({ ...found, caldav: undefined, fingerprint: undefined }),
        discover: async () => found,
        probe: async () => [
          { server: 'caldav', kind: 'problem', text: 'The calendar server does not answer.' },
        ],
      },
      calendar: {
        ...calendar,
        calendars: (call) => (call.account.email === EMAIL ? calendar.calendars(call) : refusing(call)),
        target: (call) => (call.account.email === EMAIL ? calendar.target(call) : refusing(call)),
      },
    });
    const page = await signedIn(dashboard, '/accounts');
    await page.getByLabel('Email').fill('work@example.org');
    await press(page, 'Connect account');
    await press(page, 'Use these servers');
    await givePassword(page);
    expect(await page.getByRole('status').textContent()).toContain('can connect the calendar later');
    const row = page.getByRole('listitem').filter({ hasText: 'work@example.org' });
    expect(await row.innerText()).toContain('There is no calendar server for 16 letters.');
    expect(await row.getByRole('link', { name: 'Change servers' }).count()).toBe(1);
  });

  it('sees which calendars are not used, and why', async () => {
    const calendar = eventsOn(sandboxCalendar());
    const dashboard = await openDashboard({
      connect: { settings: (fields) => fields, withCalendar: (settings) => settings },
      calendar: {
        ...calendar,
        unusable: async () => [
          { name: 'Feiertage <b>', reason: 'subscribed' },
          { name: 'To do', reason: 'no_events' },
          { name: 'Board', reason: 'refused' },
        ],
      },
    });
    const page = await signedIn(dashboard, '/accounts/1/calendar');
    expect(await page.locator('#not-used li').allInnerTexts()).toEqual([
      '“Feiertage <b>” is subscribed. Countersign reads the calendars that the server keeps itself.',
      '“To do” cannot hold events.',
      '“Board” cannot be read: its server refuses.',
    ]);
  });

  it('connects an account without a calendar after clearing its URL', async () => {
    const settings: AccountFields[] = [];
    const dashboard = await openDashboard({
      connect: {
        settings: (fields) => settings.push(fields),
        discover: async () => found,
      },
    });
    const page = await signedIn(dashboard, '/accounts');
    await page.getByLabel('Email').fill('work@example.org');
    await press(page, 'Connect account');
    await page.getByLabel('Calendar address').fill('no address');
    await press(page, 'Use these servers');
    expect(await page.getByRole('alert').textContent()).toContain('Calendar address: enter a URL such as');
    await page.getByLabel('Calendar address').fill('');
    await press(page, 'Use these servers');
    await givePassword(page);
    expect(settings.at(-1)?.caldav).toBeUndefined();
    expect(await dashboard.service.accounts.list(dashboard.ownerId)).toHaveLength(2);
  });

  it('sees that nothing was found, and what was tried', async () => {
    const dashboard = await openDashboard({
      connect: {
        settings: (fields) => fields,
        discover: async () => ({ kind: 'nothing', tried: ['The DNS could not be asked.'] }),
      },
    });
    const page = await signedIn(dashboard, '/accounts');
    await page.getByLabel('Email').fill('work@example.org');
    await press(page, 'Connect account');
    expect(await page.locator('main').innerText()).toContain('No servers were found.');
    expect(await textOf(page, 'tried')).toBe('The DNS could not be asked.');
    expect(await page.getByLabel('IMAP host').inputValue()).toBe('');
  });

  it('sees that a provider cannot be used, and may still enter the servers', async () => {
    const dashboard = await openDashboard({
      connect: {
        settings: (fields) => fields,
        discover: async () => ({ kind: 'unusable', reason: 'Passwords are no more.' }),
      },
    });
    const page = await signedIn(dashboard, '/accounts');
    await page.getByLabel('Email').fill('work@outlook.com');
    await press(page, 'Connect account');
    expect(await page.getByRole('alert').textContent()).toBe('Passwords are no more.');
    expect(await page.getByLabel('Email').inputValue()).toBe('work@outlook.com');
    await press(page, 'by hand');
    expect(await page.getByLabel('IMAP host').inputValue()).toBe('');
  });

  it('enters the servers if nothing can look them up', async () => {
    const dashboard = await openDashboard({ connect: { settings: (fields) => fields } });
    const page = await signedIn(dashboard, '/accounts');
    expect(await page.getByRole('button', { name: 'by hand' }).count()).toBe(0);
    await page.getByLabel('Email').fill('work@example.org');
    await press(page, 'Connect account');
    expect(await page.getByLabel('IMAP port').inputValue()).toBe('993');
    await page.getByLabel('IMAP host').fill('not a host');
    await page.getByLabel('SMTP host').fill('smtp.example.org');
    await press(page, 'Use these servers');
    expect(await page.getByRole('alert').textContent()).toBe('IMAP host: enter a host name.');
    expect(await page.getByLabel('IMAP host').inputValue()).toBe('not a host');
    expect(await page.getByLabel('Password').count()).toBe(0);
  });

  it('connects an account with entered settings, sets it active, and removes it after a confirmation', async () => {
    const settings: AccountFields[] = [];
    const dashboard = await openDashboard({
      connect: {
        settings: (fields) => settings.push(fields),
        discover: async () => {
          throw new Error('nobody is to look for them');
        },
      },
    });
    const { service, ownerId } = dashboard;
    const page = await signedIn(dashboard, '/accounts');
    await typeServers(page);
    await givePassword(page);
    expect(await page.getByRole('status').textContent()).toBe('The account is connected.');
    expect(settings).toEqual([
      {
        imap: { host: 'imap.example.org', port: 993, security: 'tls', user: 'work@example.org' },
        smtp: { host: 'smtp.example.org', port: 587, security: 'starttls', user: 'worker' },
        caldav: undefined,
        password: 'hunter2hunter2',
        fingerprint: 'ab'.repeat(32),
      },
    ]);
    const [, work] = await service.accounts.list(ownerId);
    expect(work).toMatchObject({ email: 'work@example.org', label: 'Work', signature: 'Bob\nat work' });

    await press(page, 'Set active');
    expect((await service.owners.byEmail(EMAIL))?.activeAccountId).toBe(work?.accountId);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'work@example.org' })
      .getByRole('link', { name: 'Remove' })
      .click();
    expect(await service.accounts.list(ownerId)).toHaveLength(2);
    await press(page, 'Remove');
    expect(await page.getByRole('status').textContent()).toBe('The account is removed.');
    expect((await service.accounts.list(ownerId)).map(({ email }) => email)).toEqual([EMAIL]);
  });

  it('sees what is wrong with an account, keeps what was entered, and never sees the password again', async () => {
    const faults: unknown[] = [
      new MailError('auth', 'IMAP sign-in refused'),
      new ServiceError('invalid_arguments', {
        details: {
          errors: [
            { field: 'imap.host', rule: 'x', message: 'plain text is only allowed to a loopback address' },
          ],
        },
      }),
    ];
    const dashboard = await openDashboard({
      connect: {
        settings: () => {
          throw faults.shift();
        },
        discover: async () => found,
      },
    });
    const page = await signedIn(dashboard, '/accounts');
    await typeServers(page);
    for (const told of ['IMAP sign-in refused.', 'imap.host: plain text is only allowed']) {
      await givePassword(page);
      expect(await page.getByRole('alert').textContent()).toContain(told);
      expect(await page.content()).not.toContain('hunter2');
    }
    await press(page, 'Change the servers');
    expect(await page.getByLabel('IMAP host').inputValue()).toBe('imap.example.org');
    expect(await page.getByLabel('SMTP security').inputValue()).toBe('starttls');
    expect(await page.getByLabel('Signature').inputValue()).toBe('Bob\nat work');
    expect(await page.content()).not.toContain('hunter2');
    expect(await dashboard.service.accounts.list(dashboard.ownerId)).toHaveLength(1);
  });

  it('learns in the demo how to connect a real account', async () => {
    const dashboard = await openDashboard();
    const page = await signedIn(dashboard, '/accounts');
    expect(await page.locator('main').innerText()).toContain('countersign serve');
    expect(await page.getByRole('button', { name: 'Connect account' }).count()).toBe(0);
    const form = {
      form_token: formTokenIn(await page.content()),
      email: 'work@example.org',
      password: 'hunter2hunter2',
      owner_password: PASSWORD,
    };
    const [session] = await page.context().cookies();
    const cookie = `${session?.name}=${session?.value}`;
    for (const path of ['/accounts/find', '/accounts/servers', '/accounts/password', '/accounts']) {
      const headers = { cookie, origin: dashboard.url, host: new URL(dashboard.url).host };
      const answer = await dashboard.send({ path, headers, form });
      expect(answer.status, path).toBe(403);
      expect(answer.body).toContain('countersign serve');
    }
  });

  it('finds every call and decision in the activity', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    await dashboard.service.approvals.reject(dashboard.ownerId, id);
    const page = await signedIn(dashboard, '/activity');
    const rows = await page.locator('.events > li').allInnerTexts();
    expect(rows).toEqual([
      expect.stringMatching(/You rejected its request to send Hello to ada@example.net\. Open$/),
      expect.stringMatching(/Asked to send Hello to ada@example.net: you rejected it\. Open$/),
    ]);
    await page.getByRole('link', { name: 'Open' }).first().click();
    expect(page.url()).toBe(`${dashboard.url}/approvals/${id}`);
  });

  it('signs out', async () => {
    const dashboard = await openDashboard();
    const page = await signedIn(dashboard, '/approvals');
    await press(page, 'Sign out');
    await page.waitForURL(`${dashboard.url}/sign-in`);
    await page.goto(`${dashboard.url}/approvals`);
    expect(page.url()).toContain('/sign-in');
  });
});
