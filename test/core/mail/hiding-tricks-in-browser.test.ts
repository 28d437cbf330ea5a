import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser } from '../../servers/browser.ts';
import { TRICK_WORD, TRICKS } from './hiding-tricks.ts';

/** Same length, different letters: a page that looks the same with it does not show the word. */
const OTHER_WORD = 'Mighty';

/** No eye sees a smaller difference in a channel. */
const SEEN_DIFFERENCE = 24;

describe.skipIf(browserIsMissing)(inBrowser('what Chromium shows of the tricks'), () => {
  let browser: Browser;
  let shown: Page;
  let compared: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    const reader = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 1024, height: 400 },
    });
    shown = await reader.newPage();
    compared = await browser.newPage();
  }, 60_000);
  afterAll(() => browser.close());

  async function picture(html: string): Promise<string> {
    // A rewritten document keeps the colour of its links.
    await shown.goto('about:blank');
    await shown.setContent(`<!doctype html><p>Before.</p>${html}`, { waitUntil: 'load' });
    await shown.waitForTimeout(50);
    return (await shown.screenshot()).toString('base64');
  }

  /** Whether a person sees the word: pixels change with it. */
  async function isSeen(html: string): Promise<boolean> {
    const one = await picture(html);
    const other = await picture(html.replaceAll(TRICK_WORD, OTHER_WORD));
    if (one === other) return false;
    return compared.evaluate(
      async ([a, b, least]) => {
        const pixels = async (png: string) => {
          const image = new Image();
          image.src = `data:image/png;base64,${png}`;
          await image.decode();
          const canvas = new OffscreenCanvas(image.width, image.height);
          const context = canvas.getContext('2d');
          if (context === null) throw new Error('No canvas');
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        };
        const [first, second] = [await pixels(a), await pixels(b)];
        return first.some((value, at) => Math.abs(value - (second[at] ?? 0)) > least);
      },
      [one, other, SEEN_DIFFERENCE] as const,
    );
  }

  it.each(TRICKS.filter(({ browserDiffers }) => browserDiffers !== true))(
    '$expected: $name',
    async ({ html, expected }) => {
      expect(await isSeen(html)).toBe(expected === 'shown');
    },
    30_000,
  );
});
