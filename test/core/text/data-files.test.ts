import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import windowsZones from '../../../core/ical/windows-zones.json' with { type: 'json' };
import secretNames from '../../../core/stated/secret-names.json' with { type: 'json' };
import mailWords from '../../../core/text/mail-words.json' with { type: 'json' };
import { isTimeZone } from '../../../core/time/time-zone.ts';

// The data files of core. The product reads them without a check: the compiler knows their shapes, and this the rest.

const names = z.record(z.string().min(1), z.string().min(1));
/** Parts of patterns: nothing in them may mean something else there. */
const words = z
  .array(z.string().regex(/^[\p{L}\p{M}]+(?:[ -][\p{L}\p{M}]+)*$/u))
  .min(1)
  .refine((list) => new Set(list).size === list.length, 'has a word twice');

it('words are words, each once', () => {
  z.strictObject({ answerPrefixes: words, from: words, wrote: words }).parse(mailWords);
  z.strictObject({ passwords: words, codes: words, unspaced: words }).parse(secretNames);
});

describe('zones of Windows', () => {
  const { zones, displayNames } = z.strictObject({ zones: names, displayNames: names }).parse(windowsZones);

  it('are zones of IANA', () => {
    expect(Object.values(zones).filter((zone) => !isTimeZone(zone))).toEqual([]);
  });

  it('that it shows are among them', () => {
    expect(Object.values(displayNames).filter((name) => !Object.hasOwn(zones, name))).toEqual([]);
  });
});
