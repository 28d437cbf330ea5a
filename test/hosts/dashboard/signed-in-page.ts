import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { press } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, PASSWORD } from './open-dashboard.ts';

/** Signs in by the form. The test fails if the browser requests another host or blocks something. */
export async function signedInPage(
  browser: Browser,
  dashboard: Dashboard,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const unexpected: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(dashboard.url) && !request.url().startsWith('data:'))
      unexpected.push(request.url());
  });
  page.on('console', (message) => {
    // On a busy machine, the person is faster than the page.
    if (!message.text().startsWith('Autofocus processing was blocked')) unexpected.push(message.text());
  });
  page.on('dialog', (dialog) => unexpected.push(dialog.message()));
  onTestFinished(async () => {
    await context.close();
    expect(unexpected.filter((text) => !text.includes('status of 4'))).toEqual([]);
  });
  await page.goto(`${dashboard.url}${path}`);
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await press(page, 'Sign in');
  await page.waitForURL(`${dashboard.url}${path}`);
  return page;
}
