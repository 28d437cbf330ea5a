import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { UNTOLD } from '../../../core/actions/change-event.ts';
import {
  APPROVAL_ERRORS,
  APPROVAL_STATES,
  type Approval,
  type ApprovalError,
  type ApprovalState,
  type Authorization,
  isTerminal,
  REJECTION_REASONS,
} from '../../../core/approvals/approval.ts';
import {
  approvalOutcome,
  endedOutcome,
  failure,
  failureOf,
  meaningOf,
  storedOutcome,
  wireApproval,
} from '../../../core/call/outcome.ts';
import { ERRORS, ServiceError } from '../../../core/contract/errors.ts';
import { meaningForOwner } from '../../../hosts/dashboard/labels.ts';
import type { AnyApproval } from '../../contracts/any-approval.ts';
import { PLACES } from '../approvals/machine.ts';
import { textLike } from '../matchers.ts';

const noon = new Date('2026-03-03T12:00:00Z');
const ownerWords = () => ({ note: null, diff: null });
const told = { dashboardUrl: 'https://dashboard.example.org', ownerWords };

const filed = {
  ownerId: 'ada',
  reasons: ['mode_approval', 'first_time_recipient'],
  createdAt: noon,
  expiresAt: new Date('2026-03-04T12:00:00Z'),
  digest: 'd'.repeat(64),
};
const cancelled = { ...PLACES.cancelled, error: 'permission_off' } as const;

/** One in this state. */
function approval({ state = 'pending', ...changes }: Partial<AnyApproval> = {}): Approval {
  const place = [cancelled, ...Object.values(PLACES)].find((one) => one.state === state);
  return { ...place, ...filed, ...changes } as Approval;
}

const by = (who: 'owner' | 'policy', at = noon): Authorization =>
  who === 'policy' ? { by: who, at } : { by: who, at, decidedIn: null, edit: null };

describe('an approval on the wire', () => {
  it('has only the fields of the contract while it is pending', () => {
    expect(wireApproval(approval(), ownerWords)).toEqual({
      id: 'apr_1',
      state: 'pending',
      tool: 'send_email',
      action: 'send',
      created_at: '2026-03-03T12:00:00.000Z',
      expires_at: '2026-03-04T12:00:00.000Z',
    });
  });

  it('has its end, and no longer its expiry', () => {
    const at = new Date('2026-03-03T12:05:00Z');
    const result = { sent: true, recipients: 1 };
    const executed = approval({
      state: 'executed',
      authorization: by('owner', at),
      endedAt: at,
      result,
    });
    expect(wireApproval(executed, ownerWords)).toEqual({
      id: 'apr_1',
      state: 'executed',
      tool: 'send_email',
      action: 'send',
      created_at: '2026-03-03T12:00:00.000Z',
      decided_at: '2026-03-03T12:05:00.000Z',
      executed_at: '2026-03-03T12:05:00.000Z',
      result,
    });
    const cancelled = approval({ state: 'cancelled', error: 'cancelled_by_agent', action: null });
    expect(wireApproval(cancelled, ownerWords)).toEqual({
      id: 'apr_1',
      state: 'cancelled',
      tool: 'send_email',
      created_at: '2026-03-03T12:00:00.000Z',
      error: 'cancelled_by_agent',
    });
  });

  it('never gives the agent the reason for the wait', () => {
    for (const state of APPROVAL_STATES) {
      const answer = JSON.stringify(approvalOutcome(approval({ state }), told, noon));
      expect(answer).not.toMatch(/first_time|mode_approval|reasons|digest|fence|key_1/);
    }
  });
});

describe('the response for an approval', () => {
  it('says that it is not done, and how often to poll', () => {
    for (const state of ['pending', 'approved'] as const) {
      const answer = approvalOutcome(approval({ state }), told, noon);
      expect(answer).toEqual({
        status: 'pending_approval',
        executed: false,
        approval: wireApproval(approval({ state }), ownerWords),
        approvals_url: 'https://dashboard.example.org/approvals',
        poll_after_s: 15,
        message: textLike(/NOT done yet.*poll.*wait_s=25.*do not repeat.*dashboard, never through a link/is),
      });
    }
  });

  it.each([
    ['pending', 'it waits for the owner.'],
    ['approved', 'it is approved and is being carried out.'],
  ] as const)('says of a request that is %s what comes next', (state, words) => {
    expect(approvalOutcome(approval({ state }), told, noon)).toMatchObject({
      message: textLike(`NOT done yet: ${words}`),
    });
  });

  it.each([
    [0, 15],
    [299_999, 15],
    [300_000, 30],
    [86_400_000, 30],
  ])('after %i ms of waiting, asks to be polled every %i s', (waitedMs, seconds) => {
    const answer = approvalOutcome(approval(), told, new Date(noon.getTime() + waitedMs));
    expect(answer).toMatchObject({ poll_after_s: seconds });
  });

  it('is ok once it has ended, executed or not, with a meaning', () => {
    for (const state of APPROVAL_STATES.filter(isTerminal)) {
      const ended = approval({ state });
      const answer = {
        status: 'ok',
        executed: state === 'executed',
        result: { approval: wireApproval(ended, ownerWords), meaning: meaningOf(ended) },
      };
      expect(approvalOutcome(ended, told, noon)).toEqual(answer);
      expect(endedOutcome(ended, ownerWords)).toEqual(answer);
    }
  });

  it.each<[ApprovalState, RegExp]>([
    ['pending', /waits.*Nothing has happened/],
    ['approved', /not done yet/],
    ['executed', /was carried out/],
    ['failed', /Nothing was done/],
    ['rejected', /rejected.*Nothing was done.*Do not repeat/],
    ['expired', /Nothing was done/],
    ['cancelled', /switched off before a decision.*Nothing was done/],
    ['outcome_unknown', /may or may not have happened.*Do not repeat.*Sent/],
  ])('%s means', (state, words) => {
    expect(meaningOf(approval({ state }))).toMatch(words);
  });

  it('tells a withdrawn request from one whose key, permission or account was switched off', () => {
    const cancelled = (error: ApprovalError) => meaningOf(approval({ state: 'cancelled', error }));
    expect(cancelled('cancelled_by_agent')).toContain('withdrawn');
    for (const error of ['credential_off', 'permission_off', 'account_removed'] as const) {
      expect(cancelled(error)).not.toContain('withdrawn');
    }
  });

  it('reports a partial result to the agent and to the owner', () => {
    const items = [
      { id: 'm1_a', done: true },
      { id: 'm1_b', done: false, code: 'not_found' },
      { id: 'm1_c', done: true },
    ];
    for (const authorization of [by('owner'), by('policy')]) {
      const partly = approval({ state: 'executed', authorization, result: { done: true, items } });
      expect(meaningOf(partly)).toContain('in part: result.items says what is not done');
      expect(meaningForOwner(partly)).toContain('It failed for 1 of 3 messages.');
      const whole = approval({
        state: 'executed',
        authorization,
        result: { done: true, items: items.slice(0, 1) },
      });
      expect(meaningOf(whole)).not.toContain('in part');
      expect(meaningForOwner(whole)).not.toContain('failed');
    }
  });

  it('names who allowed it', () => {
    expect(meaningOf(approval({ state: 'executed', authorization: by('policy') }))).toContain(
      'needed no approval',
    );
    expect(meaningOf(approval({ state: 'executed', authorization: by('owner') }))).toContain(
      'The owner approved',
    );
  });

  /** Every sentence that an agent can read about its request. */
  function* meanings(): Generator<Approval> {
    for (const state of APPROVAL_STATES) yield approval({ state });
    const edit = { requestHash: 'hash', sealedDiff: 'diff' };
    const edited: Authorization = { by: 'owner', at: noon, decidedIn: null, edit };
    yield { ...PLACES['approved by owner'], ...filed, authorization: edited };
    const inPart = { items: [{ done: true }, { done: false }] };
    const results = [{}, ...UNTOLD.map((invitations) => ({ invitations }))];
    for (const authorization of [by('policy'), by('owner'), edited]) {
      yield approval({ state: 'executed', authorization, result: inPart, error: null });
      for (const result of results) {
        // Only what sends a message leaves a copy in Sent.
        for (const error of [null, 'sent_copy_refused'] as const) {
          yield approval({ state: 'executed', authorization, result, error });
        }
      }
    }
    const { failed, rejected } = PLACES;
    const sizes = { bytes: 999_900_000, limitBytes: 999_800_000 };
    for (const error of APPROVAL_ERRORS) {
      yield { ...failed, error, sizes: null };
      yield { ...failed, error, sizes };
      yield { ...failed, error, sizes: { ...sizes, limitBytes: null } };
      yield approval({ state: 'cancelled', error });
    }
    for (const reason of REJECTION_REASONS) yield { ...rejected, rejection: { reason, sealedNote: 'note' } };
  }

  const tokens = (text: string) => encode(text).length;

  it('costs an agent at most 25 tokens', () => {
    const all = new Set([...meanings()].map(meaningOf));
    expect(all.size).toBeGreaterThan(25);
    expect([...all].filter((one) => tokens(one) > 25)).toEqual([]);
  });

  it('costs at most 80 if attachments were left behind', () => {
    const left = [...meanings()]
      .filter(({ state }) => state === 'executed')
      .map((one) => meaningOf({ ...one, result: { not_sent: ['plan.pdf'] } } as Approval));
    expect(left).toHaveLength(22);
    for (const one of left) {
      expect(one).toContain('result.not_sent');
      expect(tokens(one)).toBeLessThanOrEqual(80);
    }
  });
});

describe('a failure', () => {
  it('has the fixed text of its code, and the details that it is given', () => {
    const { message } = ERRORS.not_found;
    expect(failure('not_found')).toEqual({ status: 'error', code: 'not_found', message });
    expect(failure('busy', { retry_after_s: 1 })).toMatchObject({ details: { retry_after_s: 1 } });
  });

  it('cannot have details that do not fit its code', () => {
    // @ts-expect-error busy needs retry_after_s
    expect(failure('busy')).toHaveProperty('code', 'busy');
    // @ts-expect-error not_permitted has a group
    expect(failure('not_permitted', { retry_after_s: 1 })).toHaveProperty('code', 'not_permitted');
    // @ts-expect-error internal_error has no details
    expect(failure('internal_error', { reason: 'x' })).toHaveProperty('code', 'internal_error');
    // @ts-expect-error routes are not found, not "page"s
    expect(failure('not_found', { reason: 'page' })).toHaveProperty('code', 'not_found');
    // @ts-expect-error busy needs retry_after_s
    expect(new ServiceError('busy', { cause: 'x' })).toHaveProperty('code', 'busy');
    // @ts-expect-error too_many_targets has a number
    expect(new ServiceError('too_many_targets', { details: { max_targets: '1' } })).toBeInstanceOf(Error);
  });

  it('never contains its cause', () => {
    const error = new ServiceError('internal_error', { cause: new Error('secret of the store') });
    expect(JSON.stringify(failureOf(error))).not.toContain('secret');
  });
});

describe('a stored response', () => {
  const pending = approvalOutcome(approval(), told, noon);
  const done = { status: 'ok', executed: true, auto_approved: true, result: { items: [1, { b: 1, a: 2 }] } };

  it.each([[pending], [done], [{ status: 'empty', result: {} }]])(
    'is written again byte for byte',
    (outcome) => {
      const text = JSON.stringify(outcome);
      expect(JSON.stringify(storedOutcome.parse(JSON.parse(text)))).toBe(text);
    },
  );

  it.each([
    [failure('internal_error')],
    [{}],
    [null],
    ['ok'],
    [{ status: 'ok' }],
    [{ status: 'pending_approval' }],
  ])('is never %j', (outcome) => {
    expect(storedOutcome.safeParse(outcome).success).toBe(false);
  });
});
