import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ServiceError } from '../../../core/contract/errors.ts';
import { address, argumentsOf, bodyText, line, normalAddress, text } from '../../../core/contract/schema.ts';
import { codePoints } from '../../../core/text/code-points.ts';
import { CATALOGUE } from '../../../core/tools/catalogue.ts';
import { anyCharacter } from '../../any-character.ts';
import { anyText } from '../matchers.ts';

interface Refusal {
  readonly code: string;
  readonly errors: unknown;
}

/** The error of `parse`, or undefined. */
function refusalOf(parse: () => unknown): Refusal | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { code: error.code, errors: error.details?.errors };
  }
}

const ASTRAL = '\u{1f600}';

describe('text', () => {
  const args = argumentsOf(z.strictObject({ body: text({ min: 1, max: 10, description: 'Text.' }) }));
  const accepts = (body: unknown) => refusalOf(() => args.parse({ body })) === undefined;

  it.each([
    ['one character', 'a'],
    ['the most', 'a'.repeat(10)],
    ['the maximum, beyond the BMP', ASTRAL.repeat(10)],
    ['TAB and line breaks of every kind', 'a\t\n\r\nb\rc'],
    ['only spaces', '  '],
    ['invisible characters, which the owner sees', '\u200b\u202e'],
  ])('takes %s', (_name, body) => {
    expect(accepts(body)).toBe(true);
  });

  it.each([
    ['none', ''],
    ['only the one final newline, which does not count', '\n'],
    ['only a final CRLF', '\r\n'],
    ['one character too many', 'a'.repeat(11)],
    ['one too many beyond the BMP', ASTRAL.repeat(11)],
    ['only byte order marks', '\ufeff\ufeff'],
    ['NUL', 'a\0b'],
    ['ESC', 'a\x1bb'],
    ['vertical tab', 'a\vb'],
    ['form feed', 'a\fb'],
    ['DEL', 'a\x7fb'],
    ['a C1 control', 'a\x85b'],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00a'],
  ])('refuses %s', (_name, body) => {
    expect(accepts(body)).toBe(false);
  });

  it('gets LF line ends, and no final newline', () => {
    expect(bodyText('a\r\nb\rc\n')).toBe('a\nb\nc');
    expect(bodyText('a\n\n')).toBe('a\n');
    expect(bodyText('a')).toBe('a');
    expect(bodyText('\ufeff\ufeffa\ufeff')).toBe('a\ufeff');
  });
});

describe('line', () => {
  const args = argumentsOf(z.strictObject({ subject: line({ min: 1, max: 5, description: 'One line.' }) }));
  const accepts = (subject: unknown) => refusalOf(() => args.parse({ subject })) === undefined;

  it('counts code points', () => {
    expect(accepts(ASTRAL.repeat(5))).toBe(true);
    expect(accepts(ASTRAL.repeat(6))).toBe(false);
    expect(accepts('')).toBe(false);
  });

  it.each(['a\tb', 'a\nb', 'a\rb', '\ufeffa', 'a\r\nb', 'a\u2028b', 'a\u2029b', 'a\0', 'a\x85', '\ud800'])(
    'refuses %j',
    (subject) => {
      expect(accepts(subject)).toBe(false);
    },
  );
});

describe('address', () => {
  it.each([
    'a@b.c',
    'ada@example.org',
    'ada.lovelace+tag@mail.example.org',
    'x!#$%&*+-/=^_`{|}~?@example.org',
    'ada@xn--bcher-kva.example',
    `${'a'.repeat(242)}@example.org`,
  ])('takes %s', (value) => {
    expect(address.safeParse(value).success).toBe(true);
  });

  it.each(
    [
      [
        '',
        'no @',
        'example.org',
        '@example.org',
        'ada@',
        'ada@example',
        'ada@.org',
        'ada@example..org',
        'ada@example.',
      ],
      ['a da@example.org', 'ada@exam ple.org', ' ada@example.org', 'ada@example.org ', 'ada@example.org\n'],
      ['<ada@example.org>', 'ada@example.org,bob@example.org', 'ada;@example.org', 'a:b@example.org'],
      [
        '"ada"@example.org',
        "o'hara@example.org",
        '(c)ada@example.org',
        '[a]@example.org',
        'a\\b@example.org',
      ],
      ['a@b@example.org', 'ada@[192.0.2.1]', 'ada\0@example.org', 'ada@exam\x7fple.org'],
      // Addresses that need SMTPUTF8, and text that a reader would decode.
      ['ädä@example.org', 'ada@bücher.example', 'ada@exam!ple.org', '=?utf-8?q?x?=@example.org'],
      [`${'a'.repeat(243)}@example.org`],
    ].flat(),
  )('refuses %j', (value) => {
    expect(address.safeParse(value).success).toBe(false);
  });

  it('is compared without case', () => {
    expect(normalAddress(' Ada@Example.ORG ')).toBe('ada@example.org');
  });
});

describe('a refusal', () => {
  const args = argumentsOf(
    z.strictObject({
      to: z.array(address).min(1),
      count: z.int().min(1).max(50).optional(),
      note: text({ min: 0, max: 5, description: 'Text.' }).optional(),
    }),
  );

  it('names every field with its rule, by the paths that errors show', () => {
    const refused = refusalOf(() => args.parse({ to: ['ada@example.org', 'bob'], count: 51, bcc: 'x' }));
    expect(refused?.code).toBe('invalid_arguments');
    expect(refused?.errors).toEqual(
      expect.arrayContaining([
        { field: 'to[1]', rule: 'pattern', message: anyText },
        { field: 'count', rule: 'maximum', message: anyText },
        { field: 'bcc', rule: 'additionalProperties', message: anyText },
      ]),
    );
  });

  it('names missing fields, and the problem with a text', () => {
    expect(refusalOf(() => args.parse({}))?.errors).toEqual([
      { field: 'to', rule: 'required', message: anyText },
    ]);
    expect(refusalOf(() => args.parse({ to: ['ada@example.org'], note: 'a\0' }))?.errors).toEqual([
      { field: 'note', rule: 'content', message: anyText },
    ]);
  });

  it.each([undefined, null, 'x', 7, [], true])(
    'of arguments that are %j names the arguments as a whole',
    (given) => {
      expect(refusalOf(() => args.parse(given))?.errors).toEqual([
        { field: '', rule: 'type', message: anyText },
      ]);
    },
  );

  it('never repeats a value', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[G-Zg-z]{12,40}$/), (secret) => {
        const refused = refusalOf(() => args.parse({ to: [secret], count: secret, note: `${secret}\0` }));
        expect(JSON.stringify(refused)).not.toContain(secret);
      }),
    );
  });
});

describe('lengths', () => {
  it('are counted in the same way by the published schema and by Countersign', () => {
    const ajv = new Ajv2020();
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.nat(20), (value, max) => {
        expect(ajv.validate({ type: 'string', maxLength: max }, value)).toBe(codePoints(value) <= max);
      }),
    );
  });
});

describe('an error about an argument says how to correct it', () => {
  const messageOf = (tool: string, args: object): unknown => {
    const found = CATALOGUE.find(({ name }) => name === tool);
    const refusal = refusalOf(() => found?.bind(args));
    return z.array(z.looseObject({ field: z.string(), message: z.string() })).parse(refusal?.errors)[0];
  };

  it.each([
    [
      'create_event',
      { title: 'x', start: '2026-03-04T10:00Z' },
      'start',
      "has the wrong form. The owner's local time without an offset, such as 2026-03-04T10:00.",
    ],
    ['create_event', { title: 'x' }, 'start', 'is missing'],
    [
      'search_inbox',
      { since: 'yesterday' },
      'since',
      'has the wrong form. A day such as 2026-03-04: mail received on that day or later.',
    ],
    [
      'send_email',
      { to: ['Ada <ada@example.org>'], subject: 'x', body: 'x' },
      'to[0]',
      'has the wrong form. A bare address such as ada@example.org.',
    ],
    ['list_approvals', { state: 'done' }, 'state', 'must be one of: open, all'],
    [
      'get_email',
      { id: 'm1_abc', offset: 5 },
      'offset',
      'is not an argument here. Did you mean body_offset?',
    ],
    ['send_email', { to: ['a@b.example'], subjct: 'x' }, 'subject', 'is missing'],
    ['get_me', { verbose: true }, 'verbose', 'is not an argument here. There are none.'],
    [
      'list_attachments',
      { id: 'm1_abc', page: 2 },
      'page',
      'is not an argument here. The arguments are: id, ids, cursor',
    ],
  ])('%s %j', (tool, args, field, message) => {
    expect(messageOf(tool, args)).toMatchObject({ field, message });
  });

  it('and never shows a pattern', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant([' ']));
    fc.assert(
      fc.property(fc.constantFrom(...CATALOGUE), fc.infiniteStream(scalar), (tool, values) => {
        const { properties = {} } = z
          .looseObject({ properties: z.record(z.string(), z.unknown()).optional() })
          .parse(tool.inputSchema);
        const args = Object.fromEntries(Object.keys(properties).map((name) => [name, values.next().value]));
        const refusal = refusalOf(() => tool.bind(args));
        expect(JSON.stringify(refusal ?? {})).not.toMatch(/pattern \\?"|\\\\d|\[A-Z|\^/);
      }),
      { numRuns: 300 },
    );
  });
});
