import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { casesOf } from '../../only-long.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../../servers/browser.ts';
import { TRICK_WORD, TRICKS } from './hiding-tricks.ts';

/** Same length, different letters: a page that looks the same with it does not show the word. */
const OTHER_WORD = 'Mighty';

/** No eye sees a smaller difference in a channel. */
const SEEN_DIFFERENCE = 24;

/**
 * Rows of pixels of a text that nobody can read, in any font: a text of 1 px changes one, of 2 px at most two. One of 9 px
 * changes eight or nine.
 */
const UNREADABLE_ROWS = 2;

describe.skipIf(browserIsMissing)(inBrowser('what Chromium shows of the tricks'), () => {
  let shown: Page;
  let compared: Page;

  beforeAll(async () => {
    const browser = await openBrowser();
    const reader = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 1024, height: 400 },
    });
    shown = await reader.newPage();
    compared = await browser.newPage();
  });
  afterAll(async () => {
    await shown?.context().close();
    await compared?.close();
  });

  async function picture(html: string): Promise<string> {
    // A rewritten document keeps the colour of its links.
    await shown.goto('about:blank');
    await shown.setContent(`<!doctype html><p>Before.</p>${html}`, { waitUntil: 'load' });
    await shown.waitForTimeout(50);
    return (await shown.screenshot()).toString('base64');
  }

  /** Whether a person can read the word: pixels change with it, over more than a line of dots. */
  async function isSeen(html: string): Promise<boolean> {
    const one = await picture(html);
    const other = await picture(html.replaceAll(TRICK_WORD, OTHER_WORD));
    if (one === other) return false;
    return compared.evaluate(
      async ([a, b, least, unreadable]) => {
        const pixels = async (png: string) => {
          const image = new Image();
          image.src = `data:image/png;base64,${png}`;
          await image.decode();
          const canvas = new OffscreenCanvas(image.width, image.height);
          const context = canvas.getContext('2d');
          if (context === null) throw new Error('No canvas');
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height);
        };
        const [first, second] = [await pixels(a), await pixels(b)];
        const rows = new Set<number>();
        for (const [at, value] of first.data.entries()) {
          const isSeen = Math.abs(value - (second.data[at] ?? 0)) > least;
          if (isSeen) rows.add(Math.floor(at / (4 * first.width)));
        }
        return rows.size > unreadable;
      },
      [one, other, SEEN_DIFFERENCE, UNREADABLE_ROWS] as const,
    );
  }

  const judged = TRICKS.filter(({ browserDiffers }) => browserDiffers !== true);
  it.each(casesOf('hiding tricks: browser', judged, (_trick, index) => index % 8 === 0))(
    '$expected: $name',
    async ({ html, expected }) => {
      expect(await isSeen(html)).toBe(expected === 'shown');
    },
  );
});
