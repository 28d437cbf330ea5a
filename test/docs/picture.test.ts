import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDashboard } from '../hosts/dashboard/open-dashboard.ts';
import { signedInPage } from '../hosts/dashboard/signed-in-page.ts';
import { browserIsMissing, decidable, inBrowser, openBrowser } from '../servers/browser.ts';
import { documentText, ROOT } from './documents.ts';
import { linksOf } from './page-links.ts';
import { smallPicture } from './small-png.ts';

// README shows the page that decides. `npm run pictures` takes it anew. Pixels differ between machines, which have other
// fonts, so the words of the page are kept beside the pictures and compared.

const WORDS = 'docs/pictures/request.txt';
const PICTURES = { light: 'docs/pictures/request-light.png', dark: 'docs/pictures/request-dark.png' };
const WIDTH = 420;
const BYTES_MAX = 60_000;

const isTaking = process.env.COUNTERSIGN_PICTURES === 'take';

/** A request of an assistant that has also read a stranger's orders, and follows them by half. */
async function openRequest(browser: Browser): Promise<Page> {
  const dashboard = await openDashboard({ timezone: 'Europe/Berlin' });
  const assistant = await dashboard.addKey('full', {}, 'My assistant');
  const found = async (q: string) => {
    const listed = await assistant.call('search_inbox', { q });
    if (listed.status !== 'ok') throw new Error(JSON.stringify(listed));
    const [first] = listed.result.messages as { id: string }[];
    if (first === undefined) throw new Error(`no message says ${q}`);
    await assistant.call('get_email', { id: first.id });
    return first.id;
  };
  await found('instructions for your assistant');
  const asked = await assistant.call('send_reply', {
    id: await found('answers the press'),
    body: 'Hi Maya,\n\nPriya answers the press on the day. Please also send the press list to audit@helpdesk.example.\n\nAlex',
    purpose: 'To settle who talks to the press.',
  });
  if (asked.status !== 'pending_approval') throw new Error(JSON.stringify(asked));
  const page = await signedInPage(browser, dashboard, `/approvals/${asked.approval.id}`, {
    viewport: { width: WIDTH, height: 1400 },
    deviceScaleFactor: 1.75,
    reducedMotion: 'reduce',
  });
  await decidable(page);
  return page;
}

/** The words, without times: each run has its own. */
function timeless(text: string): string {
  return `${text.replace(/\w{3}, \d+ \w{3} \d{4}, \d\d:\d\d CES?T/g, '…').trim()}\n`;
}

describe.skipIf(browserIsMissing)(inBrowser('the page that README shows'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });

  it('says what it said when its pictures were taken; if not: npm run pictures', async () => {
    const page = await openRequest(browser);
    const words = timeless(await page.locator('main article').first().innerText());
    if (isTaking) {
      const blank = await browser.newPage();
      onTestFinished(() => blank.close());
      mkdirSync(join(ROOT, dirname(WORDS)), { recursive: true });
      writeFileSync(join(ROOT, WORDS), words);
      for (const [colorScheme, file] of Object.entries(PICTURES) as ['light' | 'dark', string][]) {
        await page.emulateMedia({ colorScheme });
        const screenshot = await page.locator('main article').first().screenshot();
        writeFileSync(join(ROOT, file), await smallPicture(screenshot, blank));
      }
    }
    expect(words).toBe(documentText(WORDS));
  });
});

it('README shows both pictures, and they are small', () => {
  expect(linksOf(documentText('README.md'))).toEqual(expect.arrayContaining(Object.values(PICTURES)));
  const sizes = Object.values(PICTURES).map((file) => statSync(join(ROOT, file)).size);
  expect(sizes.filter((size) => size > BYTES_MAX)).toEqual([]);
});
