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

let opened: Promise<Browser> | undefined;

/**
 * Debian's chromium, one for all test files of a process: it ends with the process. Every context is an empty profile;
 * a test closes those that it opens.
 */
export async function openBrowser(): Promise<Browser> {
  const browser = await opened;
  if (browser?.isConnected()) return browser;
  opened = launch(existsSync(SHELL) ? SHELL : CHROMIUM);
  return opened;
}

/** One with notifications and an empty profile, for the caller to close. */
export function openNotifyingBrowser(): Promise<Browser> {
  return launch(CHROMIUM);
}

async function launch(executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Pages of one profile and host share a process: to start one takes longer than to load a page.
      '--process-per-site',
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
