import type { Browser, BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { whenText } from '../../../hosts/dashboard/when.tsx';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, openDashboard } from './open-dashboard.ts';
import { SCREENS } from './screens.ts';
import { signedInPage } from './signed-in-page.ts';

const RLO = '\u202e';
const HOSTILE = `<img src=http://evil.example/x.png onerror=alert(1)>"'>${RLO}fdp.exe`;
const VISIBLE = HOSTILE.replace(RLO, '⟨U+202E⟩');

const NO_KEYWORDS = { keywords: '', dueOn: null };

describe.skipIf(browserIsMissing)(inBrowser("the owner's trackers"), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  const signedIn = (dashboard: Dashboard, path: string, options: BrowserContextOptions = {}) =>
    signedInPage(browser, dashboard, path, options);

  async function arrives(dashboard: Dashboard, subject: string, text: string, from = 'Maya Okafor') {
    const { ownerId } = dashboard;
    const name = `=?utf-8?B?${Buffer.from(from).toString('base64')}?=`;
    const words = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
    await dashboard.mail.deliver(
      { ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) },
      'INBOX',
      Buffer.from(
        `From: ${name} <maya@mail.example>\r\nTo: ${EMAIL}\r\nSubject: ${words}\r\n` +
          `Message-ID: <${Math.random()}@mail.example>\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\n` +
          `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`,
      ),
    );
  }

  const messages = z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })) });

  const events = z.looseObject({
    events: z.array(z.looseObject({ event_id: z.int(), title: z.string(), start: z.string() })),
  });

  async function newestId({ key }: Dashboard): Promise<string> {
    const outcome = await key.call('summarize_inbox', { limit: 1 });
    if (outcome.status !== 'ok') throw new Error(outcome.status);
    return messages.parse(outcome.result).messages[0]?.id ?? '';
  }

  /** Trackers after a week of mail and an agent's work. */
  async function filled(): Promise<Dashboard> {
    const dashboard = await openDashboard();
    const { key, service } = dashboard;
    await key.call('create_tracker', { title: HOSTILE, keywords: `${HOSTILE}, zeppelin`, due: '2026-12-01' });
    await key.call('create_tracker', { title: 'Garden fence' });
    await key.call('create_tracker', { title: 'New flat', keywords: 'landlord, lease' });
    await key.call('set_tracker_status', { tracker_id: 2, status: 'waiting' });
    for (let n = 1; n <= 6; n++) await arrives(dashboard, `${HOSTILE} zeppelin ${n}`, 'It flies.', HOSTILE);
    await arrives(
      dashboard,
      'Your lease',
      'Dear tenant,\nThe lease ends in March. Could you sign the new one by 2026-12-15?\n\nThe landlord',
      'Ruth Landlord',
    );
    await service.watch();
    await key.call('add_tracker_note', { tracker_id: 3, note: 'Ask about the deposit\n\tand the keys' });
    return dashboard;
  }

  it('are listed with status, due date, keywords, summary and newest links; each has a page with all links', async () => {
    const dashboard = await filled();
    const page = await signedIn(dashboard, '/approvals');
    await page.getByRole('link', { name: 'Trackers' }).click();
    const rows = page.locator('#trackers > li');
    expect(await rows.count()).toBe(3);
    const flat = await rows.nth(0).innerText();
    for (const text of [
      'New flat',
      'Open',
      'landlord, lease',
      'Your lease: The lease ends in March.',
      'Could you sign the new one by 2026-12-15?',
      'mail from Ruth Landlord <maya@mail.example>',
      'linked by its keywords',
      'Ask about the deposit\n\tand the keys',
    ]) {
      expect(flat).toContain(text);
    }
    expect(await rows.nth(1).locator('.state').textContent()).toBe('Waiting');
    expect(await rows.nth(2).innerText()).toMatch(/Tuesday,? 1 December 2026/);
    expect(await rows.nth(2).locator('.links > li').count()).toBe(5);
    await page.getByRole('link', { name: 'All 6 links' }).click();
    await page.waitForURL(`${dashboard.url}/trackers/1`);
    expect(await page.locator('.links > li').count()).toBe(6);
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('6 links');
  });

  it('show hostile text as text', async () => {
    const dashboard = await filled();
    const page = await signedIn(dashboard, '/trackers');
    for (const path of ['/trackers', '/trackers/1', '/trackers/1/link']) {
      await page.goto(`${dashboard.url}${path}`);
      expect(await page.locator('img, script:not([src^="/assets/"]), iframe').count()).toBe(0);
      const shown = await page.locator('main').innerText();
      expect(shown).toContain(VISIBLE);
      expect(shown).not.toContain(RLO);
    }
    expect(await page.title()).not.toContain(RLO);
  });

  it('get messages and events that the owner links: of the last weeks, or found by words', async () => {
    const dashboard = await openDashboard();
    const { ownerId, service } = dashboard;
    await service.trackers.create({ ...{ ownerId, requestId: 'r', title: 'Fence' }, ...NO_KEYWORDS });
    await arrives(dashboard, 'Planks', 'The wood for the garden is cut.');
    await arrives(dashboard, 'Nothing of this', 'Another matter.');
    const page = await signedIn(dashboard, '/trackers/1');
    await page.getByRole('link', { name: 'Link a message or event' }).click();
    const titles = () => page.locator('main .rows strong').allInnerTexts();
    expect(await titles()).toEqual(expect.arrayContaining(['Planks', 'Nothing of this']));
    await page.getByLabel('Words in the sender').fill('WOOD garden');
    await press(page, 'Find');
    expect(await titles()).toEqual(['Planks']);
    await press(page, 'Link');
    await page.getByText('It is linked.').waitFor();
    await page.goto(`${dashboard.url}/trackers/1/link`);
    const event = page.locator('section[aria-labelledby="events"] li').first();
    const title = await event.locator('strong').innerText();
    await event.getByRole('button', { name: 'Link' }).click();
    await page.getByText('It is linked.').waitFor();
    const links = await page.locator('.links > li').allInnerTexts();
    expect(links).toEqual([
      expect.stringContaining(title),
      expect.stringMatching(/Planks\s+mail from Maya Okafor <maya@mail.example> · .* · by you/),
    ]);
    // Agents see it as any other link.
    const seen = await dashboard.key.call('get_tracker', { tracker_id: 1 });
    expect(JSON.stringify(seen)).toContain('Planks');
  });

  it('are linked once, and only with messages and events of their owner', async () => {
    const dashboard = await openDashboard();
    const { ownerId, service } = dashboard;
    const { trackers } = service;
    await trackers.create({ ...{ ownerId, requestId: 'r', title: 'Fence' }, ...NO_KEYWORDS });
    const other = await service.owners.create({ email: 'other@example.org' });
    await trackers.create({ ...{ ownerId: other.ownerId, requestId: 'r', title: 'Theirs' }, ...NO_KEYWORDS });
    const [message] = await trackers.findMessages(ownerId, { accountId: 1, words: '', limit: 1 });
    const [event] = await trackers.findEvents(ownerId, 1);
    const [messageId, eventId] = [message?.id ?? '', event?.eventId ?? 0];
    const once = await trackers.linkMessage({ ownerId, trackerId: 1, messageId });
    expect(await trackers.linkMessage({ ownerId, trackerId: 1, messageId })).toEqual(once);
    const refused = [
      () => trackers.linkMessage({ ownerId: other.ownerId, trackerId: 1, messageId }),
      () => trackers.linkEvent({ ownerId: other.ownerId, trackerId: 1, eventId }),
      () => trackers.linkMessage({ ownerId, trackerId: 2, messageId }),
      () => trackers.linkEvent({ ownerId, trackerId: 1, eventId: 999_999 }),
      () => trackers.findMessages(other.ownerId, { accountId: 1, words: '', limit: 1 }),
      () => trackers.findEvents(other.ownerId, 1),
    ];
    for (const call of refused) await expect(call()).rejects.toMatchObject({ code: 'not_found' });
    const forged = trackers.linkMessage({ ownerId, trackerId: 1, messageId: 'forged' });
    await expect(forged).rejects.toMatchObject({ code: 'invalid_message_id' });
    expect((await trackers.show(other.ownerId, 1, { limit: 9 }))?.total).toBe(0);
  });

  it('have a separate, paged list once they are resolved', async () => {
    const dashboard = await openDashboard();
    const key = await dashboard.addKey('full', { 'trackers:remove': 'direct' });
    const page = await signedIn(dashboard, '/trackers');
    expect(await page.locator('main').innerText()).toContain('Nothing is being tracked.');
    for (let n = 1; n <= 21; n++) {
      await key.call('create_tracker', { title: `Topic ${n}` });
      await key.call('resolve_tracker', { tracker_id: n });
    }
    await page.getByRole('link', { name: 'Resolved' }).click();
    expect(await page.locator('#trackers > li').count()).toBe(20);
    await page.getByRole('link', { name: 'Older' }).click();
    expect(await page.locator('#trackers > li').allInnerTexts()).toEqual([
      expect.stringContaining('Topic 1\n'),
    ]);
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
  });

  it('are paged if they have many links', async () => {
    const dashboard = await openDashboard();
    await dashboard.key.call('create_tracker', { title: 'Long' });
    for (let n = 1; n <= 51; n++)
      await dashboard.key.call('add_tracker_note', { tracker_id: 1, note: `N${n}.` });
    const page = await signedIn(dashboard, '/trackers/1');
    expect(await page.locator('.links > li').count()).toBe(50);
    await page.getByRole('link', { name: 'Older' }).click();
    expect(await page.locator('.links > li').allInnerTexts()).toEqual([expect.stringContaining('N1.')]);
    await page.getByRole('link', { name: 'Newest' }).click();
    expect(await page.locator('.links > li').count()).toBe(50);
  });

  it.each(['/trackers/9', '/trackers/2147483648', '/trackers/0'])('that do not exist: %s', async (path) => {
    const dashboard = await openDashboard();
    const answer = await dashboard.send({ path, headers: { cookie: await dashboard.cookie() } });
    expect(answer.status).toBe(404);
  });

  it.each(['?before=x', '?before=-1', '?state=none', '?before=9999999999999999', '?before=0'])(
    'are shown from the start if the query is invalid: %s',
    async (query) => {
      const dashboard = await openDashboard();
      await dashboard.key.call('create_tracker', { title: 'Topic' });
      const headers = { cookie: await dashboard.cookie() };
      const answer = await dashboard.send({ path: `/trackers${query}`, headers });
      expect([answer.status, answer.body.includes('Topic')]).toEqual([200, true]);
    },
  );

  it('are not open to other owners', async () => {
    const dashboard = await openDashboard();
    await dashboard.key.call('create_tracker', { title: 'Topic' });
    for (const path of ['/trackers', '/trackers/1']) {
      expect((await dashboard.send({ path })).status).toBe(303);
    }
  });

  it('are described on the page of a request before they change', async () => {
    const dashboard = await filled();
    const key = await dashboard.addKey('full', {
      'trackers:write': 'approval',
      'trackers:remove': 'approval',
    });
    const listed = await dashboard.key.call('list_events');
    if (listed.status !== 'ok') throw new Error(listed.status);
    const [event] = events.parse(listed.result).events;
    if (event === undefined) throw new Error('there are events');
    const page = await signedIn(dashboard, '/approvals');
    const changes: [tool: string, args: object, heading: string, shown: string[]][] = [
      [
        'set_tracker_status',
        { tracker_id: 2, status: 'open' },
        'Change the status of a tracker',
        ['Garden fence', 'waiting', 'open'],
      ],
      ['resolve_tracker', { tracker_id: 1 }, 'Resolve a tracker', [VISIBLE, 'open', 'resolved']],
      [
        'add_tracker_note',
        { tracker_id: 2, note: `Whole\n\tnote ${HOSTILE}` },
        'Add a note to a tracker',
        ['Garden fence', `Whole\n\tnote ${VISIBLE}`],
      ],
      [
        'link_to_tracker',
        { tracker_id: 2, message_id: await newestId(dashboard) },
        'Link a message to a tracker',
        [
          'Garden fence',
          'Your lease',
          'Ruth Landlord <maya@mail.example>',
          'Fri, 20 Nov 2026',
          'The lease ends',
        ],
      ],
      [
        'link_event_to_tracker',
        { tracker_id: 2, event_id: event.event_id },
        'Link an event to a tracker',
        ['Garden fence', event.title, whenText(new Date(event.start), 'UTC', 'en-GB')],
      ],
    ];
    for (const [tool, args, heading, shown] of changes) {
      const filed = await key.call(tool, args);
      if (filed.status !== 'pending_approval') throw new Error(JSON.stringify(filed));
      await page.goto(`${dashboard.url}/approvals`);
      expect(await page.locator(`li#${filed.approval.id}`).innerText()).toContain(shown[0]);
      await page.goto(`${dashboard.url}/approvals/${filed.approval.id}`);
      expect(await page.title()).toContain(heading);
      // Also what is folded.
      const text = await page.locator('main').textContent();
      for (const part of shown) expect(text).toContain(part);
      await press(page, 'Approve');
      expect(await page.locator('#just-decided .state').textContent()).toBe('Executed');
    }
    await page.goto(`${dashboard.url}/trackers/2`);
    const after = await page.locator('main').innerText();
    for (const part of ['Open', 'Your lease', 'Whole']) expect(after).toContain(part);
  });

  it.each(SCREENS)('fit the screen: %s', async (_name, width, colorScheme) => {
    const dashboard = await filled();
    const note = 'x'.repeat(300);
    await dashboard.key.call('add_tracker_note', { tracker_id: 3, note });
    const page = await signedIn(dashboard, '/trackers', { viewport: { width, height: 800 }, colorScheme });
    for (const path of ['/trackers', '/trackers/3', '/trackers?state=resolved']) {
      await page.goto(`${dashboard.url}${path}`);
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
    }
  });

  it('are created, edited, resolved, noted and unlinked by the owner, whatever another tab did', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId } = dashboard;
    const page = await signedIn(dashboard, '/trackers', { viewport: { width: 390, height: 844 } });
    await page.getByText('New tracker', { exact: true }).click();
    await page.getByLabel('Title').fill(HOSTILE);
    await page.getByLabel('Title').evaluate((input) => input.removeAttribute('maxlength'));
    await page.getByLabel('Title').fill('x'.repeat(201));
    await page.getByLabel('Due').fill('2026-12-24');
    await press(page, 'Create tracker');
    expect(await page.getByRole('alert').innerText()).toBe('Title: must have at most 200 characters.');
    await page.getByLabel('Title').fill('Garden fence');
    await page.getByLabel('Keywords').fill('fence, gate');
    const request = await page.locator('input[name="request"]').inputValue();
    await press(page, 'Create tracker');
    await page.waitForURL(/notice=tracker_created/);
    // The same form once more, as a reload sends it: there is still one tracker.
    const form = { request, title: 'Garden fence', keywords: 'fence, gate', due: '2026-12-24' };
    const headers = { cookie: await dashboard.cookie() };
    expect(await dashboard.submit({ path: '/trackers', headers, form })).toMatchObject({ status: 303 });
    expect((await service.trackers.list(ownerId, { state: 'active', limit: 9 })).trackers).toEqual([
      expect.objectContaining({ title: 'Garden fence', dueOn: '2026-12-24', addedByAgent: false }),
    ]);

    await page.goto(`${dashboard.url}/trackers/1`);
    await dashboard.key.call('set_tracker_status', { tracker_id: 1, status: 'waiting' });
    await page.getByText('Edit', { exact: true }).click();
    await page.getByLabel('Title').fill('Garden gate');
    await press(page, 'Save');
    await page.waitForURL(/notice=tracker_saved/);
    const stale = await page.context().newPage();
    await stale.goto(`${dashboard.url}/trackers/1`);
    await page.getByText('Edit', { exact: true }).click();
    await page.getByLabel('Title').fill(HOSTILE);
    await press(page, 'Save');
    await page.getByRole('heading', { name: VISIBLE }).waitFor();
    await stale.getByText('Edit', { exact: true }).click();
    await stale.getByLabel('Title').fill('Lost update');
    await press(stale, 'Save');
    expect(await stale.getByRole('alert').innerText()).toMatch(/changed meanwhile/);

    await page.getByText('Add a note', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('\nCall Tom');
    await press(page, 'Add note');
    const link = page.locator('.links > li');
    expect(await link.innerText()).toMatch(/Call Tom\s+note · .* · by you/);
    await stale.goto(`${dashboard.url}/trackers/1`);
    await press(page, 'Remove');
    await page.waitForURL(/notice=link_removed/);
    expect(await link.count()).toBe(0);
    await press(stale, 'Remove');
    await stale.waitForURL(/notice=link_not_there/);

    await press(page, 'Resolve');
    await page.goto(`${dashboard.url}/trackers?state=resolved`);
    expect(await page.locator('#trackers > li').count()).toBe(1);
    expect((await service.webhooks.list(ownerId)).length).toBe(0);
    expect((await service.owners.events(ownerId, 0, 9)).length).toBe(0);
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(1440);
  });
});
