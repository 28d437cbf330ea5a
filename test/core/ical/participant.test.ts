import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { isDeliverable } from '../../../core/contract/schema.ts';
import { mailto } from '../../../core/ical/compose-event.ts';
import { participant } from '../../../core/ical/participant.ts';

/** What a local part may have (RFC 5322 3.2.3), apart from the dots between. */
const LOCAL_SIGNS = "abcXYZ019!#$%&'*+/=?^_`{|}~-";

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

  it('is read back as it was written, whatever signs its address has', () => {
    const local = fc.string({ unit: fc.constantFrom(...LOCAL_SIGNS), minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(local, (name) => {
        const address = `${name}@example.org`;
        fc.pre(isDeliverable(address));
        expect(named(mailto(address))).toEqual({ address, isMail: true, name: 'Ada' });
      }),
    );
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
