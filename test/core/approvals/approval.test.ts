import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  APPROVAL_STATES,
  type Approval,
  type ApprovalEvent,
  type ApprovalState,
  isTerminal,
  newApproval,
  RESTORED_LEASE_MS,
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

const ended = (state: ApprovalState, now: Date, error: string | null = null) => ({
  state,
  error,
  endedAt: now,
  lease: { untilMs: 0 },
});

/** The table in docs/architecture.md, row by row. `now` is when each event comes; what follows is part of the approval. */
const ROWS: readonly { from: Place; event: EventName; now: Date; to: object }[] = [
  {
    from: 'pending',
    event: 'approve',
    now: at(DAY_MS - 1),
    to: {
      state: 'approved',
      approvedBy: 'owner',
      decidedAt: at(DAY_MS - 1),
      approvedAt: at(DAY_MS - 1),
      lease: { fence: 1, untilMs: LEASE_END_MS },
    },
  },
  {
    from: 'pending',
    event: 'reject',
    now: at(1),
    to: { ...ended('rejected', at(1)), decidedAt: at(1), approvedBy: null },
  },
  {
    from: 'pending',
    event: 'reject with a reason',
    now: at(1),
    to: {
      ...ended('rejected', at(1)),
      decidedAt: at(1),
      decidedIn: 'ses_1',
      rejection: { reason: 'not_now', sealedNote: 'sealed' },
    },
  },
  {
    from: 'pending',
    event: 'approve with changes',
    now: at(DAY_MS - 1),
    to: {
      state: 'approved',
      approvedBy: 'owner',
      decidedIn: 'app',
      digest: 'changed',
      edit: { requestHash: 'hash', sealedDiff: 'diff' },
    },
  },
  {
    from: 'pending',
    event: 'expire',
    now: at(DAY_MS),
    to: { ...ended('expired', at(DAY_MS)), decidedAt: null },
  },
  {
    from: 'pending',
    event: 'cancel',
    now: at(1),
    to: { ...ended('cancelled', at(1), 'credential_off'), decidedAt: null },
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
      lease: { fence: 1, untilMs: LEASE_END_MS + 9000 },
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
    to: { state: 'approved', startedAt: null, lease: { fence: 2, untilMs: LEASE_END_MS + 30_000 } },
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
      to: { ...ended('executed', at(2)), executedAt: at(2), result: { sent: true } },
    },
    { from, event: 'refuse' as const, now: at(2), to: ended('failed', at(2), 'upstream_mail_error') },
    {
      from,
      event: 'lose' as const,
      now: at(2),
      to: { ...ended('outcome_unknown', at(2)), executedAt: null },
    },
    {
      from,
      event: 'reclaim' as const,
      now: at(DAY_MS),
      to: { state: 'approved', startedAt: NOON, lease: { fence: 2, untilMs: LEASE_END_MS + 30_000 } },
    },
  ]),
];

describe('a new approval', () => {
  it('waits 24 hours, with its reasons and without a lease', () => {
    expect(PENDING).toEqual({
      ...REQUEST,
      state: 'pending',
      reasons: ['mode_approval'],
      approvedBy: null,
      createdAt: NOON,
      expiresAt: at(DAY_MS),
      decidedAt: null,
      decidedIn: null,
      rejection: null,
      edit: null,
      approvedAt: null,
      startedAt: null,
      executedAt: null,
      endedAt: null,
      lease: { fence: 0, untilMs: 0 },
      result: null,
      error: null,
      sizes: null,
    });
  });

  it('is approved by policy with a lease for the process that files it', () => {
    expect(BY_POLICY).toEqual({
      ...PENDING,
      state: 'approved',
      reasons: [],
      approvedBy: 'policy',
      approvedAt: NOON,
      lease: { fence: 1, untilMs: LEASE_END_MS },
    });
  });
});

describe('the approval machine', () => {
  it.each(ROWS)('$from, $event at $now', ({ from, event, now, to }) => {
    const before: Approval = PLACES[from];
    const after = transition(before, EVENTS[event], now);
    expect(after).toMatchObject(to);
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
  const fence = fc.integer({ min: 0, max: 4 });
  const leaseUntilMs = fc.integer({ min: 0, max: 100 });
  const event = fc.oneof<fc.Arbitrary<ApprovalEvent>[]>(
    fc.record({
      type: fc.constant('approve' as const),
      digest: fc.constantFrom('seen', 'other'),
      allowed: fc.boolean(),
      leaseUntilMs,
    }),
    fc.constant({ type: 'reject' as const }),
    fc.constant({ type: 'expire' as const }),
    fc.constant({ type: 'cancel' as const, error: 'permission_off' as const }),
    fc.record({ type: fc.constant('start' as const), fence, allowed: fc.boolean() }),
    fc.record({ type: fc.constant('refuse' as const), fence, error: fc.constant('not_found' as const) }),
    fc.record({
      type: fc.constant('not_now' as const),
      fence,
      error: fc.constant('upstream_mail_error' as const),
      retryAtMs: leaseUntilMs,
    }),
    fc.record({ type: fc.constant('succeed' as const), fence, result: fc.constant({ sent: true }) }),
    fc.record({ type: fc.constant('lose' as const), fence }),
    fc.record({
      type: fc.constant('reclaim' as const),
      storeNowMs: fc.integer({ min: 0, max: 200 }),
      leaseUntilMs,
    }),
  );
  const steps = fc.array(
    fc.record({ event, waitMs: fc.constantFrom(0, 0, MINUTE_MS, 15 * MINUTE_MS, DAY_MS) }),
    { maxLength: 30, size: 'max' },
  );
  const first = fc.constantFrom(PENDING, newApproval(REQUEST, { kind: 'run' }, 50, NOON));

  /** Every approval on the way, the first included. */
  const walk = (from: Approval, way: { event: ApprovalEvent; waitMs: number }[]): Approval[] => {
    const passed = [from];
    let current = from;
    let now = NOON;
    for (const { event: next, waitMs } of way) {
      now = new Date(now.getTime() + waitMs);
      const after = transition(current, next, now);
      if (after !== undefined) {
        passed.push(after);
        current = after;
      }
    }
    return passed;
  };

  it('ends once, starts once, and never lowers its fence', () => {
    fc.assert(
      fc.property(first, steps, (from, way) => {
        const passed = walk(from, way);
        passed.forEach((approval, n) => {
          const before = passed[n - 1];
          expect(APPROVAL_STATES).toContain(approval.state);
          expect(isTerminal(approval.state)).toBe(approval.endedAt !== null);
          if (before === undefined) return;
          expect(isTerminal(before.state)).toBe(false);
          expect(approval.lease.fence).toBeGreaterThanOrEqual(before.lease.fence);
          if (before.startedAt !== null) expect(approval.startedAt).toEqual(before.startedAt);
          if (before.approvedAt !== null) expect(approval.approvedAt).toEqual(before.approvedAt);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('executes only what was approved, then started in time', () => {
    fc.assert(
      fc.property(first, steps, (from, way) => {
        const last = walk(from, way).at(-1);
        if (last?.state !== 'executed' && last?.state !== 'outcome_unknown') return;
        expect(last.approvedBy).not.toBeNull();
        expect(last.startedAt).not.toBeNull();
        const waitedMs = (last.startedAt?.getTime() ?? 0) - (last.approvedAt?.getTime() ?? 0);
        expect(waitedMs).toBeLessThan(15 * MINUTE_MS);
      }),
      { numRuns: 500 },
    );
  });

  it('does not change its input', () => {
    fc.assert(
      fc.property(first, steps, (from, way) => {
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
      const restored = { ...PLACES[place], lease: { fence: 1, untilMs: RESTORED_LEASE_MS } };
      expect(transition(restored, RECLAIM, at(1))).toMatchObject({ state: 'outcome_unknown', error: null });
      const paused = transition(restored, { type: 'pause' }, at(1));
      expect(paused).toBeUndefined();
    },
  );
});
