import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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
