import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActionPlan, canonicalJson, digestOf, planSchema, planText } from '../../core/plan.ts';

const plan: ActionPlan = {
  v: 1,
  tool: 'send_email',
  account: { accountId: 1, email: 'ada@example.org' },
  envelope: { from: 'ada@example.org', to: ['bob@example.org', 'eve@example.org'] },
  raw: 'RnJvbTo=',
  messageId: '<1@example.org>',
  targets: [],
  holds: ['first_time_recipient'],
  warnings: [],
  display: [{ label: 'Change', text: 'mark as read' }],
  record: null,
};

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

describe('canonicalJson', () => {
  it('is the same text for the same value, whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is the same text for equal values only', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, two) => {
        const [first, second] = [one, two].map((value) => JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(one) === canonicalJson(two)).toBe(isDeepStrictEqual(first, second));
      }),
    );
    expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
    expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }));
  });

  it('leaves out what is undefined', () => {
    expect(canonicalJson({ b: 1, a: undefined })).toBe('{"b":1}');
  });
});

describe('a plan', () => {
  it('reads back from its text', () => {
    expect(planSchema.parse(JSON.parse(planText(plan)))).toEqual(plan);
  });

  it.each<[string, Partial<ActionPlan>]>([
    ['tool', { tool: 'send_reply' }],
    ['account', { account: { accountId: 2, email: 'ada@example.org' } }],
    ['envelope', { envelope: { from: 'ada@example.org', to: ['bob@example.org'] } }],
    [
      'order of the recipients',
      { envelope: { from: 'ada@example.org', to: ['eve@example.org', 'bob@example.org'] } },
    ],
    ['raw', { raw: 'RnJvbTp=' }],
    ['messageId', { messageId: '<2@example.org>' }],
    ['holds', { holds: [] }],
    ['warnings', { warnings: ['x'] }],
    ['display', { display: [] }],
    ['record', { record: { title: 'x' } }],
  ])('has another digest when its %s changes', (_name, changes) => {
    expect(digestOf(planText({ ...plan, ...changes }))).not.toBe(digestOf(planText(plan)));
  });

  it.each([
    ['another version', { ...plan, v: 2 }],
    ['no version', { ...plan, v: undefined }],
    ['a field that this version does not know', { ...plan, bcc: ['x@example.org'] }],
    ['nobody to send to', { ...plan, envelope: { from: 'a@example.org', to: [] } }],
  ])('with %s is not read', (_name, stored) => {
    expect(planSchema.safeParse(stored).success).toBe(false);
  });
});
