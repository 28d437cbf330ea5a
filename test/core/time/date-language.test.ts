import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDateLanguage } from '../../../core/time/date-language.ts';

describe('isDateLanguage', () => {
  it.each(['de', 'de-CH', 'en-GB', 'zh-Hant-TW', 'fa'])('accepts %s', (tag) => {
    expect(isDateLanguage(tag)).toBe(true);
  });

  it.each([
    ...['', 'xx', 'tlh', 'de-ch', 'de_CH', 'de-u-ca-buddhist', 'x-de', 'en-GB-oed', ' de', 'deutsch'],
    `de-${'abcdefgh-'.repeat(9)}abcdefgh`,
    ...['de"><script>', 'de\0', 'dé'],
  ])('refuses %j', (tag) => {
    expect(isDateLanguage(tag)).toBe(false);
  });

  it('accepts only short tags that are safe in an attribute and write a date', () => {
    const parts = fc.array(fc.constantFrom('de', 'ar', 'Latn', 'CH', '419', '1996', 'u-nu-thai', 'ä', 'x'));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          parts.map((some) => some.join('-')),
        ),
        (tag) => {
          if (!isDateLanguage(tag)) return;
          expect(tag).toMatch(/^[A-Za-z0-9-]{2,35}$/);
          expect(new Intl.DateTimeFormat(tag).format(0)).not.toBe('');
        },
      ),
    );
  });
});
