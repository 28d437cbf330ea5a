import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ASSETS } from '../../../hosts/dashboard/assets.ts';
import { browserIsMissing, decidable, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { addApp } from './authenticator-app.ts';
import { faultsInEveryLook, faultsOf } from './axe.ts';
import { openRequests } from './every-request.ts';
import { EMAIL, PASSWORD } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

// Every page of the dashboard, for people who see, hear and type differently. A new page needs a line in PAGES.

const PAGES = [
  '/approvals',
  '/accounts',
  '/accounts/1/edit',
  '/accounts/1/password',
  '/accounts/1/servers',
  '/accounts/1/folders',
  '/accounts/1/senders',
  '/accounts/1/index',
  '/accounts/1/calendar',
  '/accounts/1/remove',
  '/integrations',
  '/integrations/KEY/rotate',
  '/integrations/KEY/revoke',
  '/integrations/KEY/first-call',
  '/integrations/webhooks',
  '/trackers',
  '/trackers/1',
  '/trackers/1/link',
  '/activity',
  '/activity?tool=create_tracker&day=TODAY',
  '/settings',
  '/settings/password',
  '/settings/remove',
  '/settings/notices',
  '/nothing-here',
];

/** Of the requests, those whose pages differ in kind. */
const LOOKED_AT = [
  ...['reply', 'reply-rtl', 'send-risky', 'send-long', 'archive', 'label', 'create-event', 'update-event'],
  ...['cancel-crowd', 'create-tracker', 'tracker-note', 'tracker-message'],
];

describe.skipIf(browserIsMissing)(inBrowser('every page of the dashboard'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  async function openPages() {
    const { dashboard, ids } = await openRequests();
    const today = new Date().toISOString().slice(0, 10);
    const requests = LOOKED_AT.map((name) => `/approvals/${ids.get(name)}`);
    // Without transitions, which have colours in between.
    const open = ({ width }: { width: number }, path = '/approvals') =>
      signedInPage(browser, dashboard, path, {
        baseURL: dashboard.url,
        viewport: { width, height: 844 },
        reducedMotion: 'reduce',
      });
    return {
      dashboard,
      ids,
      paths: [
        ...PAGES.map((path) => path.replace('TODAY', today).replace('KEY', dashboard.key.keyId)),
        ...requests,
      ],
      open,
    };
  }

  it('has no fault that axe-core finds, light and dark, and fits from 320 to 1440 pixels', async () => {
    const { dashboard, paths, open } = await openPages();
    const page = await open({ width: 390 });
    const faults: string[] = [];
    const look = async (path: string) => faults.push(...(await faultsInEveryLook(page, path)));
    for (const path of paths) {
      await page.goto(path);
      await look(path);
    }
    // Pages that answer a form.
    await page.goto('/settings');
    await press(page, 'Set up an authenticator app');
    await look('the new authenticator app');
    await addApp(dashboard, dashboard.ownerId);
    await page.goto('/settings');
    await look('settings with a second step');
    await press(page, 'Create new codes');
    await look('recovery codes');
    await page.context().clearCookies();
    await page.goto('/sign-in');
    await look('/sign-in');
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    await page.getByRole('heading', { name: 'Second step' }).waitFor();
    await look('the second step');
    expect(faults).toEqual([]);
  });

  it('is used with keys: j and k, Enter, a, r and ?', async () => {
    const { dashboard, ids, open } = await openPages();
    const page = await open({ width: 1440 });
    const focused = () => page.evaluate<string | null>("document.activeElement.getAttribute('href')");
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('#content');
    const links = await page
      .locator('main .rows > li')
      .evaluateAll((rows) =>
        rows.map((row) => (row as HTMLElement).querySelector('a')?.getAttribute('href')),
      );
    for (const [key, index] of [
      ['j', 0],
      ['j', 1],
      ['j', 2],
      ['k', 1],
      ['k', 0],
      ['k', 0],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(links[index]);
    }
    // A list has no button to approve.
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${links[0]}`);

    // The help lists the keys of this page, and nothing is pressed behind it.
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    expect(await help.locator('kbd').allTextContents()).toEqual(['a', 'r', '?']);
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('r');
    await page.keyboard.press('Escape');
    expect(await help.count()).toBe(0);
    expect(await page.locator('.state').textContent()).toBe('Pending');

    // A red finding: the key does what a click does, and the box is still to be ticked.
    await page.goto(`/approvals/${ids.get('send-risky')}`);
    await decidable(page);
    await page.keyboard.press('a');
    expect(await page.locator('form.decision input:invalid').count()).toBe(1);
    expect(dashboard.mail.transmitted()).toEqual([]);
    await page.keyboard.press('Space');
    await page.keyboard.press('a');
    await page.getByText('Executed').first().waitFor();

    await page.goto(`/approvals/${ids.get('archive')}`);
    await decidable(page);
    await page.keyboard.press('r');
    await page.getByText('Rejected').first().waitFor();

    // In a text field a letter is a letter.
    await page.goto(`/approvals/${ids.get('delete')}`);
    await page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<input id=typed>')");
    await page.locator('#typed').pressSequentially('a?rj');
    expect(await page.locator('#typed').inputValue()).toBe('a?rj');
    expect(await page.locator('.state').textContent()).toBe('Pending');

    // The owner can switch them off, and on again.
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Switch the keys off' }).click();
    await page.keyboard.press('r');
    await page.keyboard.press('?');
    expect(await help.count()).toBe(0);
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Switch the keys on' }).click();
    await decidable(page);
    await page.keyboard.press('r');
    await page.getByText('Rejected').first().waitFor();
  });

  it('says the sentence of a request first', async () => {
    const { ids, open } = await openPages();
    const page = await open({ width: 390 }, `/approvals/${ids.get('archive')}`);
    expect(await page.locator('main').ariaSnapshot()).toMatch(
      /^- main:\s+- article "Archive 2 messages from bank\.example":\s+- heading "Archive 2 messages from bank\.example" \[level=1\]/,
    );
    expect(await page.locator('h1').count()).toBe(1);
  });
});

it('all scripts of a page together stay below 30 KB', () => {
  const bytes = [...ASSETS.values()]
    .filter(({ type }) => type.startsWith('text/javascript'))
    .reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  expect(bytes).toBeLessThan(30_000);
});
