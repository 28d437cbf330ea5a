import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { participant } from '../../../core/ical/participant.ts';

const named = (value: string) => participant(ICAL.Property.fromString(`ATTENDEE;CN=Ada:${value}`));

describe('a participant', () => {
  it.each([
    'mailto:ada@example.org',
    'MAILTO:ada@example.org',
    'mailto:ada%40example.org',
    'mailto:ada@example.org?subject=Hello%20@%20all',
    'mailto: ada@example.org ',
    'mailto:<ada@example.org>',
    'mailto:"Ada" <ada@example.org>',
    'mailto:%22Lovelace%2C%20Ada%22%20%3Cada@example.org%3E',
    "mailto:'ada@example.org'",
    'mailto://ada@example.org',
    'mailto:mailto:ada@example.org',
    ' mailto:ada@example.org',
    'ada@example.org',
  ])('has an address, whatever is written around it: %s', (value) => {
    expect(named(value)).toEqual({ address: 'ada@example.org', isMail: true, name: 'Ada' });
  });

  it.each(["mailto:o'brien+x%26y@example.org", 'mailto:a%2525b@example.org', 'mailto:ada%3F@example.org'])(
    'keeps the signs of its address: %s',
    (value) => {
      const address = decodeURIComponent(value.slice('mailto:'.length));
      expect(named(value)).toMatchObject({ address, isMail: true });
    },
  );

  it.each([
    'mailto:ada@example.org,bob@example.org',
    'mailto:ada%ZZ@example.org',
    'mailto:',
    'mailto:Ada',
    'invalid:nomail',
    'urn:uuid:550e8400-e29b-41d4-a716-446655440000',
    `mailto:<${'a'.repeat(600)}@example.org>`,
    'mailto:grüße@example.org',
  ])('without one address is what is written: %s', (value) => {
    expect(named(value)).toEqual({ address: value, isMail: false, name: 'Ada' });
  });
});
