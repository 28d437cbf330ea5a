import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { callWith } from '../../open-service.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { faultsInEveryLook } from './axe.ts';
import { type Dashboard, type DashboardSetup, formTokenIn, openDashboard } from './open-dashboard.ts';

const OWNER = { email: 'ada@example.org', password: 'correct horse battery', timezone: 'Europe/Zurich' };
const MINUTE_MS = 60_000;

/** A dashboard without an owner, and the path of its setup link. */
async function unclaimed(setup: DashboardSetup = {}): Promise<{ dashboard: Dashboard; link: string }> {
  const dashboard = await openDashboard(setup);
  await dashboard.service.owners.remove(dashboard.ownerId);
  return { dashboard, link: await linkOf(dashboard) };
}

async function linkOf({ service }: Dashboard): Promise<string> {
  const opened = await service.setup.open();
  if (opened === undefined) throw new Error('there is an owner');
  return opened.page;
}

/** Opens the link, and returns what sends its form, as one browser without the script does. */
async function visitorAt({ send }: Dashboard, path: string) {
  const shown = await send({ path });
  const cookie = shown.headers['set-cookie']?.map((one) => one.split(';')[0]).join('; ') ?? '';
  return {
    status: shown.status,
    cookie,
    complete: (fields: Partial<typeof OWNER> & { password_again?: string } = {}, headers = {}) => {
      const given = { ...OWNER, ...fields };
      const form = { password_again: given.password, ...given, form_token: formTokenIn(shown.body) };
      return send({ path, headers: { cookie, ...headers }, form });
    },
  };
}

const ownersOf = async ({ service }: Dashboard) =>
  (await service.owners.list({ limit: 10 })).owners.map(({ email }) => email);

const missing = missingPostgres();
let postgres: Postgres | undefined;
beforeAll(async () => {
  postgres = missing.length > 0 ? undefined : await startPostgres();
  return () => postgres?.stop();
});

describe('the setup link', () => {
  it.each(missing.length > 0 ? ['SQLite'] : ['SQLite', 'Postgres'])(
    'makes one of two people the owner, signs that one in, and then works for nobody: %s',
    async (where) => {
      const connectionString = where === 'Postgres' ? await postgres?.createDatabase() : undefined;
      const { dashboard, link } = await unclaimed(
        connectionString === undefined ? {} : { storage: postgresStorage({ connectionString }) },
      );
      const [ada, eve] = [await visitorAt(dashboard, link), await visitorAt(dashboard, link)];
      const answers = await Promise.all([ada.complete(), eve.complete({ email: 'eve@example.org' })]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404]);
      const won = answers.find(({ status }) => status === 303);
      expect(won?.headers.location).toBe('/setup');
      const session = won?.headers['set-cookie']?.map((one) => one.split(';')[0]).join('; ') ?? '';
      expect((await dashboard.send({ path: '/setup', headers: { cookie: session } })).status).toBe(200);
      expect(await ownersOf(dashboard)).toEqual([answers[0] === won ? OWNER.email : 'eve@example.org']);
      for (const visitor of [await visitorAt(dashboard, link), ada, eve]) {
        expect((await visitor.complete({ email: 'late@example.org' })).status).not.toBe(303);
      }
      expect((await visitorAt(dashboard, link)).status).toBe(404);
      expect(await ownersOf(dashboard)).toHaveLength(1);
    },
  );

  it('says the same if it is wrong, expired, replaced, or there is an owner', async () => {
    const { dashboard, link } = await unclaimed();
    const { send, clock, service } = dashboard;
    const body = async (path: string) => {
      const answer = await send({ path });
      return `${answer.status} ${/<main.*<\/main>/s.exec(answer.body)?.[0]}`;
    };
    expect(await body(link)).toMatch(/^200 /);
    const closed = await body(`/setup/${'A'.repeat(43)}`);
    expect(closed).toMatch(/^404 .*This link does not work/s);
    const next = await linkOf(dashboard);
    expect(await body(link)).toBe(closed);
    clock.shift(59 * MINUTE_MS);
    expect(await body(next)).toMatch(/^200 /);
    clock.shift(2 * MINUTE_MS);
    expect(await body(next)).toBe(closed);
    const last = await linkOf(dashboard);
    const open = await visitorAt(dashboard, last);
    await service.owners.create({ email: 'command@example.org', password: OWNER.password });
    expect(await body(last)).toBe(closed);
    expect((await open.complete()).status).toBe(404);
    expect(await service.setup.open()).toBeUndefined();
    expect(await ownersOf(dashboard)).toEqual(['command@example.org']);
  });

  it('creates nobody for a form of another browser or site, or with a wrong field, and stays open', async () => {
    const { dashboard, link } = await unclaimed();
    const visitor = await visitorAt(dashboard, link);
    const other = await visitorAt(dashboard, link);
    expect((await visitor.complete({}, { cookie: other.cookie })).status).toBe(403);
    expect((await visitor.complete({}, { cookie: '' })).status).toBe(403);
    expect((await visitor.complete({}, { origin: 'https://evil.example' })).status).toBe(403);
    for (const [fields, problem] of [
      [{ password: 'too short' }, 'Password: must have 10 to 1000 characters.'],
      [{ password_again: 'another one than before' }, 'Password: the two are not the same.'],
      [{ email: 'nobody' }, 'Email: must be a bare email address.'],
      [{ timezone: 'Mars/Olympus' }, 'Time zone: must be an IANA name'],
    ] as const) {
      const answer = await visitor.complete(fields);
      expect(answer.status).toBe(422);
      expect(answer.body).toContain(problem);
      expect(answer.body).not.toContain(OWNER.password);
    }
    expect(await ownersOf(dashboard)).toEqual([]);
    expect((await visitor.complete()).status).toBe(303);
  });

  it('is checked at most 30 times a minute for one address, right or wrong', async () => {
    const { dashboard, link } = await unclaimed();
    const wrong = `/setup/${'A'.repeat(43)}`;
    for (let n = 0; n < 30; n += 1) expect((await dashboard.send({ path: wrong })).status).toBe(404);
    expect((await dashboard.send({ path: link })).status).toBe(429);
    dashboard.clock.shift(MINUTE_MS);
    expect((await dashboard.send({ path: link })).status).toBe(200);
  });

  it('does not exist in an app that signs its users in itself', async () => {
    const { dashboard, link } = await unclaimed({
      session: () => null,
      signInUrl: '/login',
      stepUpUrl: '/confirm',
    });
    expect((await dashboard.send({ path: link })).body).not.toContain('Set up Countersign');
    expect((await dashboard.send({ path: link })).status).toBe(404);
  });
});

describe.skipIf(browserIsMissing)(inBrowser('the first run'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function openPage(dashboard: Dashboard): Promise<Page> {
    const context = await browser.newContext({ baseURL: dashboard.url });
    onTestFinished(() => context.close());
    return context.newPage();
  }

  it('leads from the link to an agent that calls, and no page of it has a fault', async () => {
    const { dashboard, link } = await unclaimed({
      connect: {
        settings: () => ({}),
        discover: async () => ({ kind: 'nothing', tried: [] }),
      },
    });
    const { service } = dashboard;
    const page = await openPage(dashboard);
    const faults: string[] = [];
    const look = async (name: string) => faults.push(...(await faultsInEveryLook(page, name)));

    await page.goto('/sign-in');
    expect(await page.locator('main').innerText()).toContain('countersign setup-link');
    await look('sign-in');
    await page.goto(link);
    expect(await page.getByLabel('Time zone').inputValue()).toBe(
      await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone'),
    );
    await look('link');
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password', { exact: true }).fill(OWNER.password);
    await page.getByLabel('The same password again').fill(OWNER.password);
    await page.getByLabel('Time zone').fill(OWNER.timezone);
    await press(page, 'Continue');
    await page.waitForURL('/setup');
    const owner = await service.owners.byEmail(OWNER.email);
    expect(owner).toMatchObject({ timezone: OWNER.timezone });

    await look('mailbox');
    expect(await page.locator('[aria-current=step] h2').innerText()).toContain('Connect your mailbox');
    for (const path of ['/approvals', '/activity', '/integrations']) {
      await page.goto(path);
      expect(await page.locator('#next').innerText()).toBe('Next: connect your mailbox.');
    }
    await page.locator('#next a').click();
    expect(await page.getByLabel('Email').inputValue()).toBe(OWNER.email);
    await press(page, 'by hand');
    await page.getByLabel('IMAP host').fill('imap.example.org');
    await page.getByLabel('SMTP host').fill('smtp.example.org');
    await press(page, 'Use these servers');
    await page.getByLabel('Password').fill('of the mailbox');
    await press(page, 'Connect account');

    await page.waitForURL('/setup?notice=account_connected');
    await look('key');
    expect(await page.locator('[aria-current=step] h2').innerText()).toContain('Give your agent a key');
    await page.getByLabel('Name').fill('Assistant');
    await page.getByLabel('Preset').selectOption({ label: 'Full' });
    await press(page, 'Create key');
    const apiKey = (await page.locator('#api-key').textContent()) ?? '';
    await look('new key');
    expect(await page.locator('#first-call').innerText()).toContain('Waiting for the first call');
    // Every way to configure an agent has the key in it, ready to copy.
    const ways = await page.locator('.way code.exact').allTextContents();
    expect(ways.map((way) => way.split(apiKey).length - 1)).toEqual([1, 1, 1]);
    for (const way of ways.slice(0, 2)) expect(JSON.parse(way)).toHaveProperty('mcpServers.countersign');
    // The other way to the same step: the page without the key.
    const other = await page.context().newPage();
    await other.goto('/setup');
    expect(await other.locator('[aria-current=step] h2').innerText()).toContain('Make the first call');
    // Both turn green by themselves.
    expect(await callWith(service, apiKey, 'get_me')).toMatchObject({ status: 'ok' });
    await page.locator('#first-call[data-state=on]').waitFor();
    await other.getByRole('heading', { name: 'Everything is set up' }).waitFor();
    expect(await page.locator('#api-key').textContent()).toBe(apiKey);
    await look('called');
    await other.reload();
    await page.goto('/setup');
    await look('done');

    expect(faults).toEqual([]);
  });
});
