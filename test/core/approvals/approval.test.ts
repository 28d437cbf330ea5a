import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  APPROVAL_STATES,
  type Approval,
  type ApprovalState,
  type Approved,
  decisionOf,
  isTerminal,
  reportedState,
  transition,
} from '../../../core/approvals/approval.ts';
import {
  APPROVE,
  at,
  BY_OWNER,
  BY_POLICY,
  DAY_MS,
  EVENTS,
  type EventName,
  LEASE_END_MS,
  MINUTE_MS,
  NOON,
  PENDING,
  PLACES,
  type Place,
  RECLAIM,
  REQUEST,
  START,
  STORE_MS,
} from './machine.ts';
import { FIRST, STEPS, walk } from './random-walk.ts';

const ended = (state: ApprovalState, now: Date, error?: string) => ({
  state,
  endedAt: now,
  ...(error !== undefined && { error }),
});

/** The table in docs/architecture.md, row by row. `now` is when each event comes; what follows is part of the approval. */
const ROWS: readonly { from: Place; event: EventName; now: Date; to: object; decidedAt?: Date }[] = [
  {
    from: 'pending',
    event: 'approve',
    now: at(DAY_MS - 1),
    to: {
      state: 'approved',
      authorization: { by: 'owner', at: at(DAY_MS - 1), decidedIn: null, edit: null },
      fence: 1,
      leaseUntilMs: LEASE_END_MS,
    },
    decidedAt: at(DAY_MS - 1),
  },
  {
    from: 'pending',
    event: 'reject',
    now: at(1),
    to: { ...ended('rejected', at(1)), decidedIn: null, rejection: null },
    decidedAt: at(1),
  },
  {
    from: 'pending',
    event: 'reject with a reason',
    now: at(1),
    to: {
      ...ended('rejected', at(1)),
      decidedIn: 'ses_1',
      rejection: { reason: 'not_now', sealedNote: 'sealed' },
    },
    decidedAt: at(1),
  },
  {
    from: 'pending',
    event: 'approve with changes',
    now: at(DAY_MS - 1),
    to: {
      state: 'approved',
      authorization: { by: 'owner', decidedIn: 'app', edit: { requestHash: 'hash', sealedDiff: 'diff' } },
      digest: 'changed',
    },
    decidedAt: at(DAY_MS - 1),
  },
  {
    from: 'pending',
    event: 'expire',
    now: at(DAY_MS),
    to: ended('expired', at(DAY_MS)),
  },
  {
    from: 'pending',
    event: 'cancel',
    now: at(1),
    to: ended('cancelled', at(1), 'credential_off'),
  },
  ...(['approved by owner', 'approved by policy'] as const).flatMap((from) => [
    { from, event: 'start' as const, now: at(15 * MINUTE_MS - 1), to: { startedAt: at(15 * MINUTE_MS - 1) } },
    { from, event: 'refuse' as const, now: at(1), to: ended('failed', at(1), 'upstream_mail_error') },
    { from, event: 'pause' as const, now: at(1), to: ended('failed', at(1), 'credential_paused') },
  ]),
  {
    from: 'approved by owner',
    event: 'not now',
    now: at(15 * MINUTE_MS - 1),
    to: {
      state: 'approved',
      error: 'upstream_mail_error',
      fence: 1,
      leaseUntilMs: LEASE_END_MS + 9000,
    },
  },
  {
    from: 'approved by owner',
    event: 'not now',
    now: at(15 * MINUTE_MS),
    to: ended('failed', at(15 * MINUTE_MS), 'not_started_in_time'),
  },
  {
    from: 'approved by policy',
    event: 'not now',
    now: at(1),
    to: ended('failed', at(1), 'upstream_mail_error'),
  },
  {
    from: 'approved by owner',
    event: 'reclaim',
    now: at(15 * MINUTE_MS - 1),
    to: { state: 'approved', startedAt: null, fence: 2, leaseUntilMs: LEASE_END_MS + 30_000 },
  },
  {
    from: 'approved by owner',
    event: 'reclaim',
    now: at(15 * MINUTE_MS),
    to: ended('failed', at(15 * MINUTE_MS), 'not_started_in_time'),
  },
  { from: 'approved by policy', event: 'reclaim', now: at(1), to: ended('failed', at(1), 'interrupted') },
  ...(['started, by owner', 'started, by policy'] as const).flatMap((from) => [
    {
      from,
      event: 'succeed' as const,
      now: at(2),
      to: { ...ended('executed', at(2)), result: { sent: true }, error: null },
    },
    { from, event: 'refuse' as const, now: at(2), to: ended('failed', at(2), 'upstream_mail_error') },
    {
      from,
      event: 'lose' as const,
      now: at(2),
      to: ended('outcome_unknown', at(2)),
    },
    {
      from,
      event: 'reclaim' as const,
      now: at(DAY_MS),
      to: { state: 'approved', startedAt: NOON, fence: 2, leaseUntilMs: LEASE_END_MS + 30_000 },
    },
  ]),
];

describe('a new approval', () => {
  it('waits 24 hours, with its reasons and without a lease', () => {
    expect(PENDING).toEqual({
      ...REQUEST,
      state: 'pending',
      reasons: ['mode_approval'],
      createdAt: NOON,
      expiresAt: at(DAY_MS),
      fence: 0,
    });
  });

  it('is approved by policy with a lease for the process that files it', () => {
    expect(BY_POLICY).toEqual({
      ...PENDING,
      state: 'approved',
      reasons: [],
      authorization: { by: 'policy', at: NOON },
      fence: 1,
      leaseUntilMs: LEASE_END_MS,
      startedAt: null,
      error: null,
    });
  });
});

describe('the approval machine', () => {
  it.each(ROWS)('$from, $event at $now', ({ from, event, now, to, decidedAt }) => {
    const before: Approval = PLACES[from];
    const after = transition(before, EVENTS[event], now);
    expect(after).toMatchObject(to);
    if (after === undefined) throw new Error('a row of the machine leads nowhere');
    expect(decisionOf(after)?.at).toEqual(decidedAt ?? decisionOf(before)?.at);
    // Only what is approved has a lease, and what nobody approved has no authorization.
    expect('leaseUntilMs' in after).toBe(after.state === 'approved');
    expect('authorization' in after).toBe(!['rejected', 'expired', 'cancelled'].includes(after.state));
    // What the request is never changes, unless the owner changes it.
    const { digest } = event === 'approve with changes' ? EVENTS[event].edited : REQUEST;
    expect(after).toMatchObject({
      ...REQUEST,
      digest,
      createdAt: before.createdAt,
      expiresAt: before.expiresAt,
    });
  });

  const pairs = Object.keys(PLACES).flatMap((from) => Object.keys(EVENTS).map((event) => ({ from, event })));
  const others = pairs.filter(
    (pair) => !ROWS.some(({ from, event }) => from === pair.from && event === pair.event),
  );
  it.each(others)('$from, $event: nothing, at any time', ({ from, event }) => {
    for (const now of [NOON, at(1), at(15 * MINUTE_MS), at(DAY_MS), at(2 * DAY_MS)]) {
      const before: Approval | undefined = PLACES[from as Place];
      expect(transition(before, EVENTS[event as EventName], now)).toBeUndefined();
    }
  });

  it.each([
    { what: 'approve at expires_at', from: PENDING, event: APPROVE, now: at(DAY_MS) },
    { what: 'approve another digest', from: PENDING, event: { ...APPROVE, digest: 'other' }, now: NOON },
    {
      what: 'approve for a key that is off',
      from: PENDING,
      event: { ...APPROVE, allowed: false },
      now: NOON,
    },
    { what: 'reject at expires_at', from: PENDING, event: EVENTS.reject, now: at(DAY_MS) },
    { what: 'expire before expires_at', from: PENDING, event: EVENTS.expire, now: at(DAY_MS - 1) },
    { what: 'start after 15 minutes', from: BY_OWNER, event: START, now: at(15 * MINUTE_MS) },
    { what: 'start without permission', from: BY_OWNER, event: { ...START, allowed: false }, now: NOON },
    {
      what: 'reclaim a lease that is on',
      from: BY_OWNER,
      event: { ...RECLAIM, storeNowMs: STORE_MS },
      now: NOON,
    },
  ])('a guard that does not hold: $what', ({ from, event, now }) => {
    expect(transition(from, event, now)).toBeUndefined();
  });

  it.each(['start', 'refuse', 'not now', 'succeed', 'lose'] as const)(
    '%s with another fence: nothing',
    (name) => {
      for (const fence of [0, 2]) {
        for (const place of Object.values(PLACES)) {
          expect(transition(place, { ...EVENTS[name], fence }, NOON)).toBeUndefined();
        }
      }
    },
  );
});

describe('the event', () => {
  it.each(ROWS)('$from, $event at $now', ({ from, event, now }) => {
    const before: Approval = PLACES[from];
    const after = transition(before, EVENTS[event], now);
    if (after === undefined) throw new Error('a row of the machine leads nowhere');
    const silent = after.state === before.state || ['expired', 'cancelled'].includes(after.state);
    expect(reportedState(before, after)).toBe(silent ? undefined : after.state);
  });

  it('is missing for a filed request and for an approval by policy', () => {
    expect(reportedState(undefined, PENDING)).toBeUndefined();
    expect(reportedState(undefined, BY_POLICY)).toBeUndefined();
    expect(reportedState(PENDING, BY_OWNER)).toBe('approved');
  });
});

describe('any sequence of events', () => {
  it('ends once, starts once, and never lowers its fence', () => {
    fc.assert(
      fc.property(FIRST, STEPS, (from, way) => {
        const passed = walk(from, way);
        passed.forEach((approval, n) => {
          const before = passed[n - 1];
          expect(APPROVAL_STATES).toContain(approval.state);
          expect(isTerminal(approval.state)).toBe('endedAt' in approval);
          if (before === undefined) return;
          expect(isTerminal(before.state)).toBe(false);
          expect(approval.fence).toBeGreaterThanOrEqual(before.fence);
          if (before.state !== 'approved') return;
          const { authorization, startedAt } = before;
          expect(approval).toMatchObject({ authorization, ...(startedAt && { startedAt }) });
        });
      }),
      { numRuns: 500 },
    );
  });

  it('executes only what was approved, then started in time', () => {
    fc.assert(
      fc.property(FIRST, STEPS, (from, way) => {
        const last = walk(from, way).at(-1);
        if (last?.state !== 'executed' && last?.state !== 'outcome_unknown') return;
        expect(last.startedAt).not.toBeNull();
        const waitedMs = (last.startedAt?.getTime() ?? 0) - last.authorization.at.getTime();
        expect(waitedMs).toBeLessThan(15 * MINUTE_MS);
      }),
      { numRuns: 500 },
    );
  });

  it('does not change its input', () => {
    fc.assert(
      fc.property(FIRST, STEPS, (from, way) => {
        const copy = structuredClone(from);
        walk(from, way);
        expect(from).toEqual(copy);
      }),
    );
  });
});

describe('an approved request in a restored database', () => {
  it.each(['approved by owner', 'approved by policy', 'started, by owner', 'started, by policy'] as const)(
    'may have been carried out since the backup, so it never runs: %s',
    (place) => {
      const restored: Approved = { ...PLACES[place], leaseUntilMs: 'restored' };
      for (const event of Object.values(EVENTS)) {
        const after = transition(restored, event, at(1));
        if (event === RECLAIM) expect(after).toMatchObject({ state: 'outcome_unknown', endedAt: at(1) });
        else expect(after).toBeUndefined();
      }
    },
  );
});
