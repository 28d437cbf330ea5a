import { describe, expect, it } from 'vitest';
import type { StoredAction } from '../../../core/actions/stored-action.ts';
import { planText, readPlanText } from '../../../core/execution/plan.ts';
import { canonicalJson, digestOf } from '../../../core/text/canonical-json.ts';

const action: Extract<StoredAction, { kind: 'send' }> = {
  kind: 'send',
  account: { accountId: 1, email: 'ada@example.org' },
  message: {
    envelope: { from: 'ada@example.org', to: ['bob@example.org', 'eve@example.org'] },
    raw: 'RnJvbTo=',
    messageId: '<1@example.org>',
  },
  about: null,
};
const plan = {
  tool: 'send_email',
  args: { to: ['eve@example.org'], subject: 'Hello', body: 'Text' },
  findings: [
    {
      rule: 'first_time_recipient' as const,
      severity: 'amber' as const,
      marks: [],
      addresses: ['eve@example.org'],
    },
  ],
  reads: [],
  purpose: 'She asked for it.',
  action,
};

const { message } = action;
const withMessage = (changes: object) => ({ action: { ...action, message: { ...message, ...changes } } });

describe('a plan', () => {
  it('reads back from its text', () => {
    expect(readPlanText(planText(plan))).toEqual(plan);
  });

  it('without a purpose does not name it', () => {
    const { purpose: _purpose, ...bare } = plan;
    expect(planText({ ...bare, purpose: null })).toBe(canonicalJson({ v: 4, ...bare }));
    expect(readPlanText(canonicalJson({ v: 4, ...bare }))).toEqual({ ...bare, purpose: null });
  });

  it.each<[string, object]>([
    ['tool', { tool: 'send_reply' }],
    ['account', { action: { ...action, account: { accountId: 2, email: 'ada@example.org' } } }],
    ['envelope', withMessage({ envelope: { from: 'ada@example.org', to: ['bob@example.org'] } })],
    [
      'order of the recipients',
      withMessage({ envelope: { from: 'ada@example.org', to: ['eve@example.org', 'bob@example.org'] } }),
    ],
    ['bytes', withMessage({ raw: 'RnJvbTp=' })],
    ['Message-ID', withMessage({ messageId: '<2@example.org>' })],
    ['findings', { findings: [] }],
    ['purpose', { purpose: null }],
  ])('has a different digest if its %s changes', (_name, changes) => {
    expect(digestOf(planText({ ...plan, ...changes }))).not.toBe(digestOf(planText(plan)));
  });

  it.each<[string, 'version' | 'damaged', unknown]>([
    ['of an earlier version', 'version', { ...plan, v: 3 }],
    ['of a later version', 'version', { v: 5, ...plan }],
    ['without a version', 'damaged', plan],
    ['with a field that this version does not know', 'damaged', { v: 4, ...plan, bcc: ['x@example.org'] }],
    [
      'with a field of an action that this version does not know',
      'damaged',
      {
        v: 4,
        ...plan,
        action: { ...action, bcc: ['x@example.org'] },
      },
    ],
    ['of a kind that there is not', 'damaged', { v: 4, ...plan, action: { ...action, kind: 'pay' } }],
    [
      'whose fields are those of another kind',
      'damaged',
      { v: 4, ...plan, action: { ...action, kind: 'move' } },
    ],
    [
      'with nobody to send to',
      'damaged',
      {
        v: 4,
        ...plan,
        ...withMessage({ envelope: { from: 'a@example.org', to: [] } }),
      },
    ],
  ])('%s is not read, and the error says why', (_name, code, stored) => {
    expect(() => readPlanText(canonicalJson(stored))).toThrow(expect.objectContaining({ code }));
  });

  it('is not read from invalid JSON', () => {
    expect(() => readPlanText('{')).toThrow(expect.objectContaining({ code: 'damaged' }));
  });
});
