import { expect, it } from 'vitest';
import { dateFormat } from '../../../core/time/date-format.ts';
import { isoIn, isTimeZone, startOfDay } from '../../../core/time/time-zone.ts';

/** Counts the formatters that the work makes: each takes about 0.3 ms. */
function formattersMade(work: () => void): number {
  let made = 0;
  const { DateTimeFormat } = Intl;
  class Counted extends DateTimeFormat {
    constructor(...given: ConstructorParameters<typeof DateTimeFormat>) {
      super(...given);
      made += 1;
    }
  }
  Object.assign(Intl, { DateTimeFormat: Counted });
  work();
  Object.assign(Intl, { DateTimeFormat });
  return made;
}

const noon = new Date('2026-03-03T12:00:00Z');

it('times in a zone need its formatter once', () => {
  isoIn(noon, 'Africa/Nairobi');
  const again = () => {
    isoIn(new Date('2026-11-23T08:00:00Z'), 'Africa/Nairobi');
    startOfDay(noon, 'Africa/Nairobi', 5);
    isTimeZone('africa/NAIROBI');
  };
  expect(formattersMade(again)).toBe(0);
});

it('dates in a language need their formatter once', () => {
  const write = () => dateFormat('de-CH', { dateStyle: 'full', timeZone: 'Africa/Nairobi' }).format(noon);
  write();
  expect(formattersMade(write)).toBe(0);
});

it('the formatters of many zones are not all kept', () => {
  const [first = '', ...others] = Intl.supportedValuesOf('timeZone').slice(0, 101);
  const write = (timeZone: string) => dateFormat('en', { dateStyle: 'short', timeZone }).format(noon);
  write(first);
  expect(formattersMade(() => write(first))).toBe(0);
  for (const zone of others) write(zone);
  expect(formattersMade(() => write(first))).toBe(1);
});

it('a character that becomes a letter of a zone in lower case is not that letter', () => {
  expect(isTimeZone('Europe/Kiev')).toBe(true);
  expect(isTimeZone('Europe/\u212Aiev')).toBe(false);
});
