import { expect, it } from 'vitest';
import { zoneNamed } from '../../../core/ical/zone.ts';
import { ianaZone } from '../../../core/time/iana-zone.ts';

const NAME = 'America/Argentina/ComodRivadavia';

/** The name with its nth letters in the other case. */
function spelt(nth: number): string {
  return [...NAME]
    .map((letter, index) => ((nth >> index) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}

it('a zone is kept once, in whatever case calendars write its name', () => {
  const zones = new Set(Array.from({ length: 1000 }, (_, nth) => zoneNamed(spelt(nth))));
  expect(zones.size).toBe(1);
});

it('a few zones are kept, and a forgotten one reads the same when it is built again', () => {
  const first = ianaZone('Europe/Zurich');
  const winter = Date.parse('2026-01-15T12:00:00Z');
  expect(first.offsetMs(winter)).toBe(3_600_000);
  for (const name of Intl.supportedValuesOf('timeZone').slice(0, 100)) ianaZone(name);
  const again = ianaZone('Europe/Zurich');
  expect(again).not.toBe(first);
  expect(again.offsetMs(winter)).toBe(3_600_000);
});
