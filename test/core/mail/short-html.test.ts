import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseMessage, parseShortMessage } from '../../../core/mail/parse.ts';
import { bundleForChild, runChild } from '../../run-typescript.ts';
import { htmlPage } from '../../soak/html-grammar.ts';
import { dice } from '../../soak/mutation.ts';
import { SHAPES } from './short-html-shapes.ts';

/** A letter of five kilobytes runs 175,000 blocks of code; without limits the worst of these shapes runs 50 million. */
const MOST_BLOCKS = 2_000_000;

const countedShape = z.record(z.string(), z.object({ blocks: z.number(), isRead: z.boolean() }));

describe('a message that is read in place', () => {
  let counted: z.infer<typeof countedShape>;
  beforeAll(async () => {
    const { stdout } = await runChild(await bundleForChild(join(import.meta.dirname, 'count-work.ts')), []);
    counted = countedShape.parse(JSON.parse(stdout));
  });

  it.each(Object.keys(SHAPES))('takes a limited number of steps: %s', (name) => {
    expect(counted[name]?.blocks).toBeLessThan(MOST_BLOCKS);
  });

  it('costs a bounded number of steps, whatever the fuzzer makes of it', () => {
    const pages = Object.entries(counted).filter(([name]) => name.startsWith('page'));
    expect(pages.length).toBeGreaterThan(100);
    expect(pages.filter(([, { blocks }]) => blocks >= MOST_BLOCKS)).toEqual([]);
  });

  it('includes every ordinary message', () => {
    expect(counted['a letter']).toMatchObject({ isRead: true });
  });

  it('gives the same result as in a separate process', async () => {
    let compared = 0;
    for (let seed = 0; seed < 200; seed++) {
      const raw = Buffer.from(`Content-Type: text/html; charset=utf-8\r\n\r\n${htmlPage(dice(seed), 1)}`);
      const short = parseShortMessage(raw);
      if (short === undefined) continue;
      expect(short).toEqual(await parseMessage(raw));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(20);
  });
});
