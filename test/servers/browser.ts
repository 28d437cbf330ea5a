import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

export const browserIsMissing = !existsSync(CHROMIUM);

/** A suite's title with the reason why it is skipped, if it is. */
export function inBrowser(title: string): string {
  return browserIsMissing ? `${title} (skipped: needs ${CHROMIUM})` : title;
}

/** Debian's chromium with an empty profile of its own; every context of it is another empty one. */
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

/** Presses a button that sends a form, and waits for the page that answers it. */
export async function press(page: Page, name: string, within: Page | Locator = page): Promise<void> {
  const answered = page.waitForEvent('framenavigated');
  await within.getByRole('button', { name }).click();
  await answered;
  await page.waitForLoadState();
}
