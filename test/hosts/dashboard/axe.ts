import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { casesOf } from '../../only-long.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** All rules in two looks; in the other two, those that depend on colours and sizes. */
const LOOKS = [
  { width: 390, colorScheme: 'light', rules: undefined },
  { width: 390, colorScheme: 'dark', rules: ['color-contrast', 'target-size'] },
  { width: 1440, colorScheme: 'light', rules: ['color-contrast', 'target-size'] },
  { width: 1440, colorScheme: 'dark', rules: undefined },
] as const;
const WIDTHS = [320, 390, 600, 768, 1440];
const HEIGHT = 844;

/** The faults that axe-core finds on a page as it is. */
export async function faultsOf(page: Page, rules: readonly string[] = TAGS): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const results = await page.evaluate<AxeResults>(
    `axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 150)} ${failureSummary}`),
  );
}

let turn = 0;

/** The same in every look, and the widths that the page does not fit. Empty: all is well. */
export async function faultsInEveryLook(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  turn += 1;
  const looks = casesOf('pages: looks', LOOKS, (_look, index) => index === turn % LOOKS.length);
  for (const { width, colorScheme, rules } of looks) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const found = await faultsOf(page, rules);
    faults.push(...found.map((fault) => `${name}, ${width}, ${colorScheme}: ${fault}`));
  }
  for (const width of casesOf('pages: looks', WIDTHS, (width) => width === 320 || width === 1440)) {
    await page.setViewportSize({ width, height: HEIGHT });
    const needed = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (needed > width) faults.push(`${name} at ${width} needs ${needed}`);
  }
  return faults;
}
