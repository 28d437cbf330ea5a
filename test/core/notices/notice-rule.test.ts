import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import {
  DELAY_MAX_MIN,
  isNoticeDue,
  isQuiet,
  isRetryDue,
  NOTICE_SPACING_MS,
  type NoticeWait,
  retryAt,
} from '../../../core/notices/notice-rule.ts';

const MINUTE_MS = 60_000;
const ZONES = ['UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'] as const;

const zone = fc.constantFrom(...ZONES);
const instant = fc.date({
  min: new Date('2020-01-01'),
  max: new Date('2030-01-01'),
  noInvalidDate: true,
});
const minute = fc.integer({ min: 0, max: 1439 });
const quietHours = fc.option(fc.record({ fromMin: minute, toMin: minute }));
const settings = fc.record({ delayMin: fc.integer({ min: 0, max: DELAY_MAX_MIN }), quiet: quietHours });

const later = (from: Date, ms: number) => new Date(from.getTime() + ms);

function wait(changes: Partial<NoticeWait>): NoticeWait {
  const settings = { delayMin: 5, quiet: null };
  return { oldest: undefined, lastNoticeAt: null, settings, timezone: 'UTC', ...changes };
}

describe('quiet hours', () => {
  it('are those that the clock of the owner shows, on every day of the year', () => {
    fc.assert(
      fc.property(zone, instant, minute, minute, (timezone, now, fromMin, toMin) => {
        const wall = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone);
        const shown = wall.hour * 60 + wall.minute;
        // Walks over the clock face, from the start of the quiet hours to their end.
        const length = (toMin - fromMin + 1440) % 1440;
        const isWithin = (shown - fromMin + 1440) % 1440 < length;
        expect(isQuiet({ fromMin, toMin }, timezone, now)).toBe(isWithin);
      }),
      { numRuns: 2000 },
    );
  });

  const NIGHT = { fromMin: 22 * 60, toMin: 7 * 60 };
  it.each([
    // Midnight.
    ['2026-01-10T21:59:59+01:00', false],
    ['2026-01-10T22:00:00+01:00', true],
    ['2026-01-11T00:00:00+01:00', true],
    ['2026-01-11T06:59:59+01:00', true],
    ['2026-01-11T07:00:00+01:00', false],
    // The clocks go forward: the night has 8 hours.
    ['2026-03-29T06:59:59+02:00', true],
    ['2026-03-29T07:00:00+02:00', false],
    // The clocks go back: it has 10.
    ['2026-10-25T06:59:59+01:00', true],
    ['2026-10-25T07:00:00+01:00', false],
  ])('from 22:00 to 07:00 in Zurich, at %s', (at, expected) => {
    expect(isQuiet(NIGHT, 'Europe/Zurich', new Date(at))).toBe(expected);
  });

  it('that end in an hour which the clocks skip end when it would have begun', () => {
    const quiet = { fromMin: 60, toMin: 150 };
    expect(isQuiet(quiet, 'Europe/Zurich', new Date('2026-03-29T01:59:59+01:00'))).toBe(true);
    expect(isQuiet(quiet, 'Europe/Zurich', new Date('2026-03-29T03:00:00+02:00'))).toBe(false);
  });
});

describe('a notice', () => {
  const NOON = new Date('2026-03-10T12:00:00Z');

  it('is due exactly when the oldest request has waited for the delay', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: DELAY_MAX_MIN }), (oldest, delayMin) => {
        const facts = wait({ oldest, settings: { delayMin, quiet: null } });
        expect(isNoticeDue(facts, later(oldest, delayMin * MINUTE_MS))).toBe(true);
        if (delayMin > 0) expect(isNoticeDue(facts, later(oldest, delayMin * MINUTE_MS - 1))).toBe(false);
      }),
    );
  });

  it('never comes without a request, or in quiet hours', () => {
    fc.assert(
      fc.property(zone, instant, instant, settings, (timezone, oldest, now, chosen) => {
        expect(isNoticeDue(wait({ timezone, settings: chosen }), now)).toBe(false);
        const isDue = isNoticeDue(wait({ oldest, timezone, settings: chosen }), now);
        if (isDue) expect(isQuiet(chosen.quiet, timezone, now)).toBe(false);
      }),
    );
  });

  it('follows an unanswered one after an hour at the earliest', () => {
    const facts = wait({ oldest: NOON, lastNoticeAt: later(NOON, 1) });
    expect(isNoticeDue(facts, later(NOON, NOTICE_SPACING_MS))).toBe(false);
    expect(isNoticeDue(facts, later(NOON, NOTICE_SPACING_MS + 1))).toBe(true);
  });

  it('comes within twice the delay and the spacing, however the clock jumps once', () => {
    const jump = fc.integer({ min: -400 * 86_400_000, max: 400 * 86_400_000 });
    fc.assert(
      fc.property(settings, jump, fc.boolean(), ({ delayMin }, jumpMs, hadNotice) => {
        const facts = wait({
          oldest: NOON,
          lastNoticeAt: hadNotice ? NOON : null,
          settings: { delayMin, quiet: null },
        });
        const longestMs = 2 * Math.max(delayMin * MINUTE_MS, NOTICE_SPACING_MS);
        const jumped = later(NOON, jumpMs);
        const isEverDue = [0, 0.25, 0.5, 0.75, 1].some((part) =>
          isNoticeDue(facts, later(jumped, part * longestMs)),
        );
        expect(isEverDue).toBe(true);
      }),
    );
  });
});

describe('a retry', () => {
  const NOON = new Date('2026-03-10T12:00:00Z');
  const minutes = (at: Date | null) => at && (at.getTime() - NOON.getTime()) / MINUTE_MS;

  it('waits twice as long each time, and ends after six tries', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((tries) => minutes(retryAt(tries, null, NOON)));
    expect(waits).toEqual([1, 2, 4, 8, 16, null]);
  });

  it('waits as long as the receiver asks, but never more than an hour', () => {
    expect(minutes(retryAt(1, 10 * MINUTE_MS, NOON))).toBe(10);
    expect(minutes(retryAt(1, 999 * MINUTE_MS, NOON))).toBe(60);
  });

  it('is due at its time, and if the clock was set back', () => {
    const at = later(NOON, MINUTE_MS);
    expect(isRetryDue(at, NOON)).toBe(false);
    expect(isRetryDue(at, at)).toBe(true);
    expect(isRetryDue(at, later(NOON, -86_400_000))).toBe(true);
  });
});
