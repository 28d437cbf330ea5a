import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newApproval } from '../../../core/approvals/approval.ts';
import { type CallFacts, type CallFiling, decideCall } from '../../../core/approvals/decide-call.ts';
import { PLAN_LIMITS } from '../../../core/keys/limits.ts';
import type { Plan } from '../../../core/keys/permissions.ts';

const NOON = new Date('2026-03-10T12:00:00.000Z');
const LIMITS = PLAN_LIMITS.paid;

const request = (id: string) =>
  ({
    ownerId: 'owner',
    id,
    credentialId: 'key',
    accountId: 1,
    tool: 'send_email',
    group: 'mail:send',
    action: 'send',
    digest: 'd',
  }) as const;
const WAITING = newApproval(request('apr_waiting'), { kind: 'ask', reasons: [] }, 0, NOON);
const RUNNING = newApproval(request('apr_running'), { kind: 'run' }, 0, NOON);

/** A key that may do it directly, and nothing before. */
const FACTS: CallFacts = {
  mode: 'direct',
  denial: undefined,
  samePending: undefined,
  sameUnfinished: undefined,
  rejectedUntil: undefined,
  targetPending: undefined,
  executedLately: false,
  directSendsDay: 0,
  directSends10Min: 0,
  filedToday: 0,
  waitingOfKey: 0,
  waitingOfOwner: 0,
};
const SEND: CallFiling = { holds: [], sends: true, repeatable: true, targeted: false };
const MOVE: CallFiling = { holds: [], sends: false, repeatable: false, targeted: true };

const decide = (facts: Partial<CallFacts> = {}, filing: Partial<CallFiling> = {}, limits = LIMITS) =>
  decideCall({ ...FACTS, ...facts }, { ...SEND, ...filing }, limits, NOON);

describe('a write', () => {
  it('runs if the key may do it directly and nothing holds it', () => {
    expect(decide()).toEqual({ kind: 'run' });
    expect(decide({}, MOVE)).toEqual({ kind: 'run' });
  });

  it.each([
    { what: 'the key is off', facts: { mode: undefined }, code: 'invalid_token', details: undefined },
    {
      what: 'the group is off',
      facts: { denial: { group: 'mail:send' } },
      code: 'not_permitted',
      details: { group: 'mail:send' },
    },
    {
      what: 'the owner rejected it within the hour',
      facts: { rejectedUntil: new Date('2026-03-10T12:30:00.000Z') },
      code: 'previously_rejected',
      details: { resets_at: '2026-03-10T12:30:00.000Z' },
    },
    {
      what: 'another request waits for its target',
      facts: { targetPending: WAITING },
      code: 'pending_exists_for_target',
      details: { approval_id: 'apr_waiting' },
    },
  ] as const)('is refused if $what', ({ facts, code, details }) => {
    expect(decide(facts, MOVE)).toMatchObject({ kind: 'refuse', error: { code, details } });
  });

  it('returns the same request that waits, and is refused if that has a target', () => {
    expect(decide({ samePending: WAITING })).toEqual({ kind: 'existing', approval: WAITING });
    expect(decide({ samePending: WAITING }, MOVE)).toMatchObject({
      kind: 'refuse',
      error: { code: 'pending_exists_for_target', details: { approval_id: 'apr_waiting' } },
    });
  });

  it('returns the same request that runs, or whose outcome is unknown', () => {
    expect(decide({ sameUnfinished: RUNNING })).toEqual({ kind: 'existing', approval: RUNNING });
    expect(decide({ sameUnfinished: RUNNING }, MOVE)).toEqual({ kind: 'existing', approval: RUNNING });
  });

  it.each([
    { reasons: ['mode_approval'], facts: { mode: 'approval' }, filing: {} },
    { reasons: ['first_time_recipient'], facts: {}, filing: { holds: ['first_time_recipient'] } },
    { reasons: ['likely_repeat'], facts: { executedLately: true }, filing: {} },
    { reasons: ['send_limit'], facts: { directSendsDay: 20 }, filing: {} },
    { reasons: ['send_limit'], facts: { directSends10Min: 5 }, filing: {} },
    {
      reasons: ['mode_approval', 'a', 'b', 'likely_repeat'],
      facts: { mode: 'approval', executedLately: true, directSendsDay: 20 },
      filing: { holds: ['a', 'b'] },
    },
  ] as const)('waits because of $reasons', ({ reasons, facts, filing }) => {
    expect(decide(facts, filing)).toEqual({ kind: 'ask', reasons });
  });

  it.each([
    { what: 'below the send limit', facts: { directSendsDay: 19, directSends10Min: 4 }, filing: {} },
    { what: 'no send', facts: { directSendsDay: 20, directSends10Min: 5 }, filing: { sends: false } },
    { what: 'one that may be repeated', facts: { executedLately: true }, filing: { repeatable: false } },
  ])('runs: $what', ({ facts, filing }) => {
    expect(decide(facts, filing)).toEqual({ kind: 'run' });
  });
});

describe('the limits of pending requests', () => {
  const HOLD = { holds: ['h'] };
  const PLANS: readonly Plan[] = ['free', 'paid'];

  it.each(PLANS)('allow the last one of the %s plan, and refuse the next', (plan) => {
    const limits = PLAN_LIMITS[plan];
    const cases = [
      { fact: 'filedToday', limit: limits.filedPerDay, code: 'quota_exceeded' },
      { fact: 'waitingOfKey', limit: limits.waitingPerKey, code: 'too_many_pending' },
      { fact: 'waitingOfOwner', limit: limits.waitingPerOwner, code: 'too_many_pending' },
    ] as const;
    for (const { fact, limit, code } of cases) {
      expect(decide({ [fact]: limit - 1 }, HOLD, limits)).toEqual({ kind: 'ask', reasons: ['h'] });
      expect(decide({ [fact]: limit }, HOLD, limits)).toMatchObject({ kind: 'refuse', error: { code } });
    }
  });

  it('report when the quota starts again', () => {
    expect(decide({ filedToday: 100 }, HOLD)).toMatchObject({
      error: { details: { resets_at: '2026-03-11T00:00:00.000Z' } },
    });
  });

  it('do not stop requests that run at once', () => {
    expect(decide({ filedToday: 1000, waitingOfKey: 1000, waitingOfOwner: 1000 })).toEqual({ kind: 'run' });
  });
});

describe('the order of the checks', () => {
  /** From the first that counts to the last; each wins over all that follow. */
  const ORDER = [
    { facts: { denial: { group: 'mail:send' } }, filing: {}, is: { error: { code: 'not_permitted' } } },
    {
      facts: { samePending: WAITING },
      filing: {},
      is: { kind: 'existing', approval: { id: 'apr_waiting' } },
    },
    {
      facts: { sameUnfinished: RUNNING },
      filing: {},
      is: { kind: 'existing', approval: { id: 'apr_running' } },
    },
    { facts: { rejectedUntil: NOON }, filing: {}, is: { error: { code: 'previously_rejected' } } },
    { facts: { targetPending: WAITING }, filing: {}, is: { error: { code: 'pending_exists_for_target' } } },
    { facts: { filedToday: 100 }, filing: { holds: ['h'] }, is: { error: { code: 'quota_exceeded' } } },
    { facts: { waitingOfKey: 10 }, filing: { holds: ['h'] }, is: { error: { code: 'too_many_pending' } } },
    { facts: {}, filing: { holds: ['h'] }, is: { kind: 'ask' } },
    { facts: {}, filing: {}, is: { kind: 'run' } },
  ] as const;

  it.each(ORDER.map((row, n) => ({ ...row, n })))('row $n wins over those after it', ({ n, is }) => {
    const behind = ORDER.slice(n).toReversed();
    const facts: Partial<CallFacts> = {};
    const filing: Partial<CallFiling> = {};
    for (const row of behind) {
      Object.assign(facts, row.facts);
      Object.assign(filing, row.filing);
    }
    expect(decide(facts, filing)).toMatchObject(is);
  });
});

describe('whatever the facts', () => {
  const facts = fc.record<CallFacts>({
    mode: fc.constantFrom(undefined, 'off', 'direct', 'approval'),
    denial: fc.constantFrom(undefined, undefined, { group: 'mail:send' }),
    samePending: fc.constantFrom(undefined, undefined, WAITING),
    sameUnfinished: fc.constantFrom(undefined, undefined, RUNNING),
    rejectedUntil: fc.constantFrom(undefined, undefined, NOON),
    targetPending: fc.constantFrom(undefined, undefined, WAITING),
    executedLately: fc.boolean(),
    directSendsDay: fc.nat({ max: 25 }),
    directSends10Min: fc.nat({ max: 6 }),
    filedToday: fc.nat({ max: 110 }),
    waitingOfKey: fc.nat({ max: 12 }),
    waitingOfOwner: fc.nat({ max: 30 }),
  });
  const filing = fc.record<CallFiling>({
    holds: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
    sends: fc.boolean(),
    repeatable: fc.boolean(),
    targeted: fc.boolean(),
  });

  it('only a key that may do it directly runs, without a hold, within the send limit', () => {
    fc.assert(
      fc.property(facts, filing, (given, asked) => {
        if (decideCall(given, asked, LIMITS, NOON).kind !== 'run') return;
        expect([given.mode, given.denial]).toEqual(['direct', undefined]);
        expect(asked.holds).toEqual([]);
        expect([given.samePending, given.sameUnfinished, given.rejectedUntil, given.targetPending]).toEqual([
          undefined,
          undefined,
          undefined,
          undefined,
        ]);
        if (asked.sends) expect(given.directSendsDay < 20 && given.directSends10Min < 5).toBe(true);
        if (asked.repeatable) expect(given.executedLately).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('what waits has a reason, and stays within the caps', () => {
    fc.assert(
      fc.property(facts, filing, (given, asked) => {
        const verdict = decideCall(given, asked, LIMITS, NOON);
        if (verdict.kind !== 'ask') return;
        expect(verdict.reasons.length).toBeGreaterThan(0);
        expect(given.filedToday).toBeLessThan(100);
        expect(given.waitingOfKey).toBeLessThan(10);
        expect(given.waitingOfOwner).toBeLessThan(25);
      }),
      { numRuns: 2000 },
    );
  });
});
