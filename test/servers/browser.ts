import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

export const browserIsMissing = !existsSync(CHROMIUM);

/** The suite's title, with the reason if it is skipped. */
export function inBrowser(title: string): string {
  return browserIsMissing ? `${title} (skipped: needs ${CHROMIUM})` : title;
}

/** Debian's chromium with an empty profile; every context is another empty one. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
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
}

/** Clicks a button that sends a form, and waits for the next page. */
export async function press(page: Page, name: string, within: Page | Locator = page): Promise<void> {
  const answered = page.waitForEvent('framenavigated');
  await within.getByRole('button', { name }).click();
  await answered;
  await page.waitForLoadState();
}
