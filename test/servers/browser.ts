import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { HANG_MS } from '../hang.ts';

const CHROMIUM = '/usr/bin/chromium';
/** The same engine without windows and notifications. It takes half the processor time. */
const SHELL = '/usr/bin/chromium-headless-shell';

export const browserIsMissing = !existsSync(CHROMIUM);

/** The suite's title, with the reason if it is skipped. */
export function inBrowser(title: string): string {
  return browserIsMissing ? `${title} (skipped: needs ${CHROMIUM})` : title;
}

/** Debian's chromium with an empty profile; every context is another empty one. */
export async function openBrowser({ notifications = false } = {}): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: notifications || !existsSync(SHELL) ? CHROMIUM : SHELL,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  browser.on('context', (context) => context.setDefaultTimeout(HANG_MS));
  return browser;
}

/** Waits until presses on the buttons of a request count. */
export async function decidable(page: Page): Promise<void> {
  await page.locator('form.decision button[type=submit]:not([aria-disabled])').first().waitFor();
}

/** Clicks a button that sends a form, and waits for the next page. */
export async function press(page: Page, name: string, within: Page | Locator = page): Promise<void> {
  const answered = page.waitForEvent('framenavigated');
  const button = within.getByRole('button', { name });
  // A button that decides waits for a second, once it is seen.
  await button.scrollIntoViewIfNeeded();
  await button.click();
  await answered;
  await page.waitForLoadState();
}
