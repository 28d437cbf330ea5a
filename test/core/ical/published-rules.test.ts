import { readFileSync } from 'node:fs';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { occurrences } from '../../../core/ical/recurrence-rule.ts';
import { recurrenceRule } from '../../../core/ical/rule-parts.ts';

/** Rules of other projects with their times. There, DTSTART is an occurrence only if the rule matches it. */
const SOURCES = ['rrule-go-rules.txt', 'libical-rules.txt'];

interface PublishedRule {
  name: string;
  start: string;
  rule: string;
  times: string[];
}

function publishedRules(file: string): PublishedRule[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return [...text.matchAll(/^# (.*)\nDTSTART:(.*)\nRRULE:(.*)\nTIMES:(.*)$/gm)].map(
    ([, name = '', start = '', rule = '', times = '']) => ({ name, start, rule, times: times.split(',') }),
  );
}

function wallMs(text: string): number {
  return Date.parse(text.replace(/^(....)(..)(..)T(..)(..)(..)Z?$/, '$1-$2-$3T$4:$5:$6Z'));
}

function wallText(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, '');
}

describe('recurrence rules', () => {
  for (const source of SOURCES) {
    const rules = publishedRules(source);

    it(`of ${source} give their times, from the first or from any start`, () => {
      expect(rules.length).toBeGreaterThan(30);
      for (const { name, start, rule: text, times } of rules) {
        const recur = ICAL.Recur.fromString(text);
        const untilMs = recur.until ? wallMs(recur.until.toICALString()) : Date.UTC(2300, 0);
        const from = (fromMs: number) => {
          const range = { fromMs, toMs: untilMs };
          return [...occurrences(recurrenceRule(recur), wallMs(start), range, { left: 1_000_000 })].map(
            wallText,
          );
        };
        expect({ name, times: from(wallMs(start)) }).toEqual({ name, times });
        for (const [index, time] of times.entries()) {
          expect({ name, times: from(wallMs(time)) }).toEqual({ name, times: times.slice(index) });
        }
      }
    });
  }
});
