import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breaksOfSchema, breaksOfTools, type Schema } from './breaking.ts';

const text = { type: 'string', minLength: 2, maxLength: 5, pattern: '^a' };
const state = { type: 'string', enum: ['open', 'all'] };
const list = { type: 'array', items: text, minItems: 1, maxItems: 3 };
const args = { type: 'object', properties: { q: text, state }, required: ['q'], additionalProperties: false };

describe('an additive change', () => {
  const changes: [name: string, before: Schema, after: Schema][] = [
    ['nothing', args, args],
    ['a new optional argument', args, { ...args, properties: { ...args.properties, more: text } }],
    ['an argument that is no longer required', args, { ...args, required: [] }],
    ['no more required arguments', args, { ...args, required: undefined }],
    ['other fields are accepted', args, { ...args, additionalProperties: true }],
    ['a lower lower limit', text, { ...text, minLength: 1 }],
    ['a higher upper limit', text, { ...text, maxLength: 6 }],
    ['no limit', text, { type: 'string' }],
    ['a new value', state, { ...state, enum: ['open', 'all', 'mine'] }],
    ['any value', state, { type: 'string' }],
    ['another type as well', text, { ...text, type: ['string', 'null'] }],
    ['all numbers', { type: 'integer' }, { type: 'number' }],
    ['a wider limit of the items', list, { ...list, items: { ...text, maxLength: 6 }, maxItems: 4 }],
    ['items may be repeated', { ...list, uniqueItems: true }, list],
    ['other words', text, { ...text, description: 'Words.', examples: ['abc'], default: 'abc' }],
  ];

  it.each(changes)('%s', (_name, before, after) => {
    expect(breaksOfSchema(before, after, 'x')).toEqual([]);
  });

  it('a new tool', () => {
    const tool = { name: 'search', inputSchema: args };
    expect(breaksOfTools([tool], [{ name: 'other', inputSchema: args }, tool])).toEqual([]);
  });
});

describe('a breaking change', () => {
  const changes: [name: string, before: Schema, after: Schema, breaks: string[]][] = [
    ['an argument is removed', args, { ...args, properties: { q: text } }, ['x.state: is gone']],
    [
      'an optional one is required',
      args,
      { ...args, required: ['q', 'state'] },
      ['x.state: is now required'],
    ],
    [
      'a new one is required',
      args,
      { ...args, properties: { ...args.properties, more: text }, required: ['q', 'more'] },
      ['x.more: is now required'],
    ],
    [
      'other fields are refused',
      { type: 'object' },
      args,
      ['x.q: is now required', 'x: no longer accepts other fields'],
    ],
    ['a higher lower limit', text, { ...text, minLength: 3 }, ['x: minLength 2 became 3']],
    ['a lower upper limit', text, { ...text, maxLength: 4 }, ['x: maxLength 5 became 4']],
    ['a new limit', { type: 'string' }, { type: 'string', maxLength: 9 }, ['x: maxLength none became 9']],
    ['a value is removed', state, { ...state, enum: ['open'] }, ['x: no longer accepts "all"']],
    ['one value is left', state, { type: 'string', const: 'open' }, ['x: no longer accepts "all"']],
    ['values are listed', { type: 'string' }, state, ['x: is limited to ["open","all"]']],
    ['another type', text, { ...text, type: 'integer' }, ['x: no longer accepts the type string']],
    ['a new type', {}, { type: 'string' }, ['x: is limited to the type "string"']],
    ['whole numbers only', { type: 'number' }, { type: 'integer' }, ['x: no longer accepts the type number']],
    ['another pattern', text, { ...text, pattern: '^[ab]' }, ['x: the pattern became "^[ab]"']],
    ['a pattern', { type: 'string' }, { type: 'string', pattern: '^a' }, ['x: the pattern became "^a"']],
    ['a format', text, { ...text, format: 'date' }, ['x: the format became "date"']],
    ['a narrower item', list, { ...list, items: { ...text, maxLength: 4 } }, ['x[]: maxLength 5 became 4']],
    ['fewer items', list, { ...list, maxItems: 2 }, ['x: maxItems 3 became 2']],
    ['no item twice', list, { ...list, uniqueItems: true }, ['x: no longer accepts an item twice']],
    ['an unknown keyword', text, { ...text, not: { const: 'abc' } }, ['x: not has changed']],
  ];

  it.each(changes)('%s', (_name, before, after, breaks) => {
    expect(breaksOfSchema(before, after, 'x')).toEqual(breaks);
  });

  it('a tool is removed', () => {
    expect(breaksOfTools([{ name: 'search', inputSchema: args }], [])).toEqual(['search: is gone']);
  });
});

describe('any change that it calls additive', () => {
  const leaf: fc.Arbitrary<Schema> = fc.oneof(
    fc.record(
      { type: fc.constant('integer'), minimum: fc.nat(3), maximum: fc.nat(6) },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('string'), minLength: fc.nat(2), maxLength: fc.nat(4) },
      { requiredKeys: ['type'] },
    ),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('', 'a', 'ab', 3), { minLength: 1 }) }),
  );
  interface Fields {
    readonly p: Schema;
    readonly required: readonly string[];
    readonly additionalProperties: boolean;
  }
  const fields: fc.Arbitrary<Fields> = fc.record({
    p: leaf,
    required: fc.subarray(['p', 'q']),
    additionalProperties: fc.boolean(),
  });
  const schemaOf = ({ p, required, additionalProperties }: Fields): Schema => ({
    type: 'object',
    properties: { p, q: {} },
    required,
    additionalProperties,
  });
  const value = fc.dictionary(
    fc.constantFrom('p', 'q', 'r'),
    fc.oneof(fc.integer({ min: -1, max: 8 }), fc.constantFrom('', 'a', 'ab', 'abcde')),
  );

  it('accepts every value that was accepted before', () => {
    let additive = 0;
    fc.assert(
      // Only one of the three changes, so that many changes are additive.
      fc.property(
        fields,
        fields,
        fc.constantFrom(...(['p', 'required', 'additionalProperties'] as const)),
        fc.array(value),
        (one, other, change, values) => {
          const before = schemaOf(one);
          const after = schemaOf({ ...one, [change]: other[change] });
          if (breaksOfSchema(before, after, 'x').length > 0) return;
          additive += 1;
          const ajv = new Ajv2020({ strict: false });
          const [took, takes] = [ajv.compile(before), ajv.compile(after)];
          expect(values.filter((each) => took(each) && !takes(each))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
    expect(additive).toBeGreaterThan(20);
  });
});
