import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { documentText } from '../../adapters/extract/document-text.ts';
import { expandObject } from '../../core/ical/expand.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { expectedFiles, generate, missingPackages } from './generators.ts';
import { addTo } from './recall.ts';

/** The times that calendars.py computes. */
const Expected = z.array(
  z.object({ title: z.string(), start: z.string(), end: z.string(), words: z.string() }),
);

const YEAR = { from: new Date('2025-12-30T00:00:00Z'), to: new Date('2027-01-03T00:00:00Z') };
const missing = missingPackages('calendars');

describe.skipIf(missing.length > 0)(titledWithout(missing, 'calendars of other programs'), () => {
  let folder = '';
  let names: string[] = [];

  beforeAll(async () => {
    folder = await generate('calendars');
    names = await expectedFiles(folder, '.events');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const expectedOf = async (name: string) =>
    Expected.parse(JSON.parse(await readFile(join(folder, `${name}.events`), 'utf8')));

  it('are at least 100, with the expected titles and times', async () => {
    expect(names.length).toBeGreaterThanOrEqual(100);
    for (const name of names) {
      const reading = { ...YEAR, calendar: 'work', timezone: 'UTC' };
      const { events, cut } = expandObject(await readFile(join(folder, name), 'utf8'), reading);
      const shown = events
        .map(({ title, start, end }) => ({ title, start: start.toISOString(), end: end.toISOString() }))
        .sort((a, b) => (`${a.start}${a.title}` < `${b.start}${b.title}` ? -1 : 1));
      const meant = (await expectedOf(name)).map(({ words, ...one }) => one);
      expect({ events: shown, cut }, name).toEqual({
        events: meant.sort((a, b) => (`${a.start}${a.title}` < `${b.start}${b.title}` ? -1 : 1)),
        cut: false,
      });
    }
  });

  it('are read whole when attached to a message', async () => {
    const recall = { type: 'ics', files: 0, expected: 0, came: 0 };
    for (const name of names) {
      const answer = await documentText(await readFile(join(folder, name)), { name, mime: 'text/calendar' });
      const words = (await expectedOf(name)).map((one) => one.words).join('\n');
      // A line end in a text is written as two letters.
      addTo(recall, words, answer.kind === 'text' ? answer.text.replaceAll('\\n', ' ') : '');
    }
    expect(recall.came / recall.expected).toBeGreaterThanOrEqual(0.99);
  });
});
