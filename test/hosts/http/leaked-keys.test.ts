import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../../core/keys/credential.ts';
import { leakedKeys } from '../../../hosts/http/leaked-keys.ts';

const key = newApiKey(randomBytes);

/** Percent-encodes the characters that `picks` says, and every percent sign. */
function encoded(text: string, picks: readonly boolean[]): string {
  return [...text]
    .map((character, at) =>
      character === '%' || picks[at % picks.length] ? `%${character.charCodeAt(0).toString(16)}` : character,
    )
    .join('');
}

describe('a key in a request target', () => {
  it('is found however it is encoded, up to five times, and whatever stands around it', () => {
    const rounds = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), { maxLength: 5 });
    const around = fc.string({
      unit: fc.constantFrom('/', '?', '&', '=', '%', '-', '.', 'é'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(rounds, around, around, (encodings, before, after) => {
        const target = encodings.reduce(encoded, key);
        expect(leakedKeys(`/${before}${target}${after}`)).toContain(key);
      }),
    );
  });

  it('is not found if there is none', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        expect(leakedKeys(url)).toEqual([]);
      }),
    );
  });

  it('costs no more for an address that was made to cost', () => {
    const keys = Array.from({ length: 100 }, () => newApiKey(randomBytes)).join('/');
    expect(leakedKeys(`/${keys}`)).toHaveLength(8);
    expect(leakedKeys(`/%2${'%3'.repeat(8000)}%35`)).toEqual([]);
  });
});
