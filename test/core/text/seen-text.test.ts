import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { seenText, wordEnd } from '../../../core/text/seen-text.ts';
import { anyCharacter } from '../../any-character.ts';
import { firstId, letter, openScene, resultOf } from '../scene.ts';

const ENGLAND = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';

/** Any text, with many of the relevant characters. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\t',
      'é',
      'م',
      'ש',
      'क',
      '्',
      '👩',
      '💻',
      '🏽',
      '❤',
      '1',
      '\u20e3',
      '(',
      '🏴',
    ),
    fc.constantFrom(
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
      '\u200f',
      '\u202e',
      '\u2066',
      '\ufe0f',
      '\ufe01',
      '\u00ad',
    ),
    fc.constantFrom(
      '\u{e0067}',
      '\u{e0062}',
      '\u{e007f}',
      '\u0000',
      '\u001b',
      '\u0085',
      '\u2028',
      '\ufeff',
      '\ud800',
    ),
    fc.constantFrom(ENGLAND, '\u3164', '\u2800', '\u034f', '\u{e0100}', '\u2062', '\u061c'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  ),
});

describe('seenText', () => {
  it.each([
    [
      'leaves out characters that are common in ordinary mail',
      'Donau\u00addampf\u200bschiff \ufeffpay\u2060pal',
      'Donaudampfschiff paypal',
    ],
    ['leaves out what pads a preview', 'News\u034f \u200c \u00ad\u034f \u200c ', 'News    '],
    ['leaves out joiners between Latin letters', 'a\u200db\u200cc', 'abc'],
    ['leaves out variants of a glyph', '葛\u{e0100}a\ufe01b\ufe0f', '葛ab'],
    ['leaves out direction marks away from right-to-left words', 'a\u200eb \u200fc', 'ab c'],
    ['leaves out two direction marks in a row', 'م\u200f\u061cم', 'مم'],
    ['spells out an override', 'annex\u202efdp.exe', 'annex⟨U+202E⟩fdp.exe'],
    ['spells out isolates', '\u2066a\u2069', '⟨U+2066⟩a⟨U+2069⟩'],
    ['spells out tag characters', 'a\u{e0041}', 'a⟨U+E0041⟩'],
    ['spells out invisible operators', '2\u2062x', '2⟨U+2062⟩x'],
    ['spells out letters that are drawn as nothing', '\u3164\u2800', '⟨U+3164⟩⟨U+2800⟩'],
    [
      'spells out control characters and lone surrogates',
      '\u001b[31m\r\ud800',
      '⟨U+001B⟩[31m⟨U+000D⟩⟨U+D800⟩',
    ],
    ['counts a text in tag characters', `Hi${'\u{e0069}'.repeat(40)}!`, 'Hi⟨40 invisible characters⟩!'],
    [
      'counts bits in zero-width characters',
      `Hi${'\u200b\u200c'.repeat(8)}!`,
      'Hi⟨16 invisible characters⟩!',
    ],
    ['counts bytes in variation selectors', `😀${'\ufe01'.repeat(9)}!`, '😀⟨9 invisible characters⟩!'],
  ])('%s', (_, given, seen) => {
    expect(seenText(given)).toBe(seen);
  });

  it.each([
    ['accents and scripts', 'Grüße, Ελλάδα, Привет, 你好, שלום, مرحبا'],
    ['emoji of several parts', '👩‍💻 👨‍👩‍👧 ❤️ 👋🏽 🏳️‍🌈 1️⃣ 🇩🇪'],
    ['the flags that are made of tags', ENGLAND],
    ['joiners that spelling needs', 'می‌خواهم क्‍ष'],
    ['direction marks beside right-to-left words', 'שלום!\u200f (מרחב\u200e) \u200f"שלום" مرحبا.\u061c'],
    ['lines, tabs and spaces', 'a\n\tb\u00a0c\u2009\n'],
    ['signs around Arabic numbers', '\u0600123 \u06dd'],
  ])('leaves alone %s', (_, given) => {
    expect(seenText(given)).toBe(given);
  });

  it('counts any number of invisible characters', () => {
    const chars = 4_200_000;
    expect(seenText(`a${'\u200b'.repeat(chars)}b`)).toBe(`a⟨${chars} invisible characters⟩b`);
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(text, (given) => {
        const seen = seenText(given);
        expect(seenText(seen)).toBe(seen);
      }),
      { numRuns: 1000 },
    );
  });

  it('lets through nothing that hides or turns text around', () => {
    fc.assert(
      fc.property(text, (given) => {
        const seen = seenText(given);
        expect(seen).not.toMatch(/[\u202a-\u202e\u2060-\u206f\u200b\ufeff\p{Zl}\p{Zp}\p{Cs}\u3164\u2800]/u);
        expect(seen.replace(/[\t\n]/g, '')).not.toMatch(/\p{Cc}/u);
        expect(seen.replaceAll(ENGLAND, '')).not.toMatch(
          /(?<!🏴[\u{e0061}-\u{e007a}]{0,6})[\u{e0000}-\u{e007f}]/u,
        );
        // One joiner, selector or mark at a time, and only between characters that show, as the flag does.
        expect(seen.replaceAll(ENGLAND, '🏴')).not.toMatch(
          /^(?:\u200c|\u200d|\ufe0f)|\u200c$|\u200d$|[\u200c-\u200f\u061c]{2}/u,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('drops and adds no visible character', () => {
    const visible = (given: string) =>
      given
        .replace(/⟨[^⟩]*⟩/g, '')
        .replace(/[^\p{L}\p{N}\p{So}]|\p{Default_Ignorable_Code_Point}|\u2800/gu, '');
    fc.assert(
      fc.property(text, (given) => {
        expect(visible(seenText(given))).toBe(visible(given));
      }),
    );
  });

  it('stays seen text in parts that end after a word', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.nat(300), (words, at) => {
        const characters = Array.from(seenText(words.join(' ')));
        fc.pre(characters.length > 0);
        const end = wordEnd(characters, Math.min(at + 1, characters.length));
        expect(end).toBeGreaterThan(0);
        expect(end).toBeLessThanOrEqual(at + 1);
        if (!/\s/.test(characters[end - 1] ?? '')) return;
        for (const part of [characters.slice(0, end), characters.slice(end)].map((one) => one.join(''))) {
          expect(seenText(part)).toBe(part);
        }
      }),
    );
  });
});

describe('a hostile message, as an agent reads it', () => {
  const word = `می‌خواهم 👩‍💻 pay\u200bpal ${'\u{e0069}'.repeat(30)}\u202eabc\u202c `;
  const text = word.repeat(1000).trim();

  it('is seen text, the same in parts as in one, and so are its row and the names of its attachments', async () => {
    const scene = await openScene({
      samples: () => [
        letter('1', { text, subject: 'annex\u202efdp.exe', from: '"ceo@bank.example" <eve@evil.example>' }),
      ],
    });
    const key = await scene.addKey('read');
    const id = await firstId(key);
    let read = '';
    for (let offset: unknown = 0; offset !== undefined; ) {
      const part = resultOf(await key.call('get_email', { id, body_offset: offset }));
      const { body, untrusted_nonce: nonce } = part;
      const [, inside = ''] =
        String(body).match(/^<<<UNTRUSTED_CONTENT \w+>>>\n(.*)\n<<<END_UNTRUSTED_CONTENT \w+>>>$/s) ?? [];
      expect(String(body).split(String(nonce))).toHaveLength(3);
      expect(part).toMatchObject({
        from: 'eve@evil.example (named "ceo@bank.example")',
        subject: 'annex⟨U+202E⟩fdp.exe',
        body_chars: Array.from(seenText(text)).length,
      });
      read += inside;
      offset = part.body_next_offset;
      if (offset !== undefined) expect(offset).toBe(Array.from(read).length);
    }
    expect(read).toBe(seenText(text));

    const { messages } = z
      .object({ messages: z.array(z.looseObject({ body: z.string(), body_shown: z.int() })) })
      .parse(resultOf(await key.call('get_thread', { id })));
    const [first] = messages;
    const inThread = first?.body.split('\n').slice(1, -1).join('\n') ?? '';
    expect(seenText(text).startsWith(inThread)).toBe(true);
    expect(first?.body_shown).toBe(Array.from(inThread).length);
  });
});
