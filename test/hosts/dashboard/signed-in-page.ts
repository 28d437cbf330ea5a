import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { press } from '../../servers/browser.ts';
import { type Dashboard, EMAIL, PASSWORD } from './open-dashboard.ts';

/**
 * Opens a page of a signed-in owner. It closes with the test, which fails if the browser requests another host or blocks
 * something. Without JavaScript, the owner signs in by the form, and has no key.
 */
export async function signedInPage(
  browser: Browser,
  dashboard: Dashboard,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { viewport, ...others } = options;
  const unexpected: string[] = [];
  onTestFinished(() => expect(unexpected.filter((text) => !text.includes('status of 4'))).toEqual([]));
  const context = await contextFor(browser, dashboard, others);
  const page = await context.newPage();
  page.on('request', (request) => {
    if (!request.url().startsWith(dashboard.url) && !request.url().startsWith('data:'))
      unexpected.push(request.url());
  });
  page.on('console', (message) => {
    // On a busy machine, the person is faster than the page.
    if (!message.text().startsWith('Autofocus processing was blocked')) unexpected.push(message.text());
  });
  page.on('dialog', (dialog) => unexpected.push(dialog.message()));
  if (viewport) await page.setViewportSize(viewport);
  if (options.javaScriptEnabled === false) {
    await page.goto(`${dashboard.url}${path}`);
    await signInByForm(page);
    await page.waitForURL(`${dashboard.url}${path}`);
  } else {
    await signIn(page, dashboard, path);
  }
  return page;
}

/** On the page with the form. */
async function signInByForm(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await press(page, 'Sign in');
}

/** Opens a page with the cookie and the key that the form leaves behind, in a third of its time. */
async function signIn(page: Page, dashboard: Dashboard, path: string): Promise<void> {
  const cookie = await dashboard.cookie();
  const [name = '', value = ''] = cookie.split('=');
  const url = dashboard.url;
  await page.context().addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  await page.goto(`${url}${path}`);
  const { publicKey, privateKey } = dashboard.browserOf(cookie).key;
  // As in hosts/dashboard/script.ts.
  await page.evaluate(`(async () => {
    const privateKey = await crypto.subtle.importKey(
      'jwk', ${JSON.stringify(privateKey)}, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    await new Promise((resolve, reject) => {
      const opening = indexedDB.open('countersign', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('keys', { keyPath: 'publicKey' });
      opening.onerror = reject;
      opening.onsuccess = () => {
        const transaction = opening.result.transaction('keys', 'readwrite');
        transaction.objectStore('keys').put({ publicKey: '${publicKey}', privateKey, madeAt: Date.now() });
        transaction.onabort = reject;
        transaction.oncomplete = () => resolve(opening.result.close());
      };
    });
  })()`);
}

/** By browser, the context of pages that need no options. Its first page keeps the process of the others alive. */
const ordinary = new WeakMap<Browser, Promise<BrowserContext>>();

/** Each dashboard has its own port, so what one test stores is not seen by another; its cookies and pages end with it. */
async function contextFor(
  browser: Browser,
  dashboard: Dashboard,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  if (Object.keys(options).length > 0) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    return context;
  }
  const opening =
    ordinary.get(browser) ??
    browser.newContext().then(async (context) => {
      const first = await context.newPage();
      await first.goto(`${dashboard.url}/manifest.webmanifest`);
      return context;
    });
  ordinary.set(browser, opening);
  const context = await opening;
  onTestFinished(async () => {
    const [, ...pages] = context.pages();
    for (const page of pages) await page.close();
    await context.clearCookies();
    await context.clearPermissions();
  });
  return context;
}
