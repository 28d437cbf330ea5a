import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalState } from '../../../core/approvals/approval.ts';
import type { Settlement } from '../../../core/approvals/run-storage.ts';
import type { StoredEvent } from '../../../core/events/event-storage.ts';
import { REACHES_NOTHING } from '../../../core/keys/fences.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { AnyApproval } from '../any-approval.ts';
import type { Store } from '../storage.ts';
import {
  addOwnerAndKey,
  admitted,
  at,
  DIRECT,
  filing,
  finish,
  HELD,
  type Key,
  LAPSED_MS,
  LEASE_MS,
  NOON,
  ROOMY,
  SIGNER,
} from './scene.ts';

/**
 * Checks approvals and claims of one key against a model. The model is a second implementation of the table in
 * docs/architecture.md, without core's functions: any sequence of verbs leaves both in the same state and emits the same
 * events.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface ModelApproval {
  readonly id: string;
  readonly digest: string;
  readonly createdMs: number;
  state: ApprovalState;
  by: 'owner' | 'policy' | undefined;
  approvedMs: number;
  started: boolean;
  fence: number;
  /** Whether its lease has expired by the store's clock. */
  lapsed: boolean;
}

interface ModelClaim {
  fingerprint: string;
  fence: number;
  createdMs: number;
  state: 'running' | 'ended' | 'released' | 'answered';
  outcome: string | undefined;
  bound: ModelApproval | undefined;
}

interface Model {
  nowMs: number;
  on: boolean;
  readonly approvals: ModelApproval[];
  readonly claims: Map<string, ModelClaim>;
  readonly reported: string[];
}

interface Real {
  readonly storage: Storage;
  readonly key: Key;
}

type Step = fc.AsyncCommand<Model, Real>;

function end(model: Model, approval: ModelApproval, state: ApprovalState, isReported: boolean): void {
  approval.state = state;
  if (isReported) model.reported.push(`${approval.id} ${state}`);
}

function inTime(model: Model, approval: ModelApproval): boolean {
  return model.nowMs < approval.approvedMs + 15 * MINUTE_MS;
}

function pick(model: Model, which: number): ModelApproval | undefined {
  return model.approvals[which % Math.max(1, model.approvals.length)];
}

/** Checks after every step that everything visible is equal. */
async function compare(model: Model, { storage, key: { ownerId } }: Real): Promise<void> {
  const query = { ownerId, credentialId: undefined, state: 'all', after: undefined, limit: 1000 } as const;
  const { approvals } = await storage.approvals(query);
  const real = approvals.map(({ id, state, authorization, startedAt = null, fence }: AnyApproval) => ({
    id,
    state,
    by: authorization?.by,
    started: startedAt !== null,
    fence,
  }));
  const expected = model.approvals.map(({ id, state, by, started, fence }) => ({
    id,
    state,
    by,
    started,
    fence,
  }));
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(real.toSorted(byId)).toEqual(expected.toSorted(byId));
  const events = await storage.events({ ownerId, afterId: 0, limit: 1000 });
  expect(events.map(decision)).toEqual(model.reported);
  expect(events.map(({ sequence }) => sequence)).toEqual(model.reported.map((_, n) => n + 1));
}

function decision(event: StoredEvent): string {
  return event.type === 'approval.decided' ? `${event.data.approval_id} ${event.data.state}` : event.type;
}

function step(name: string, run: (model: Model, real: Real) => Promise<void>): Step {
  return {
    check: () => true,
    run: async (model, real) => {
      await run(model, real);
      await compare(model, real);
    },
    toString: () => name,
  };
}

const which = fc.nat({ max: 7 });
const lease = fc.constantFrom(LEASE_MS, LAPSED_MS);
const fenceLost = fc.boolean().map((no) => (no ? 0 : 1));
const claimKey = fc.constantFrom('a', 'b');

const file = fc
  .record({
    waits: fc.boolean(),
    leaseMs: lease,
    claimed: fc.option(fc.record({ key: claimKey, lost: fenceLost }), { nil: undefined }),
  })
  .map(({ waits, leaseMs, claimed }) =>
    step(
      `file(${waits ? 'ask' : 'run'}, ${leaseMs}, ${JSON.stringify(claimed)})`,
      async (model, { storage, key }) => {
        const claim = claimed === undefined ? undefined : model.claims.get(claimed.key);
        const ref =
          claimed === undefined ? null : { key: claimed.key, fence: (claim?.fence ?? 1) - claimed.lost };
        const request = filing(key, {
          claim: ref,
          leaseMs,
          now: new Date(model.nowMs),
          ...(waits ? { call: HELD } : {}),
        });
        const filed = await storage.file(request);
        const holds =
          ref === null ||
          (claim !== undefined &&
            claim.fence === ref.fence &&
            (claim.state === 'running' || claim.state === 'ended') &&
            claim.bound === undefined);
        if (!holds) {
          expect(filed).toMatchObject({ kind: 'refuse', error: { code: 'idempotency_in_progress' } });
          return;
        }
        if (!model.on) {
          expect(filed).toMatchObject({ kind: 'refuse', error: { code: 'not_permitted' } });
          return;
        }
        expect(filed.kind).toBe(waits ? 'ask' : 'run');
        const approval: ModelApproval = {
          id: request.approvalId,
          digest: request.digest,
          createdMs: model.nowMs,
          state: waits ? 'pending' : 'approved',
          by: waits ? undefined : 'policy',
          approvedMs: model.nowMs,
          started: false,
          fence: waits ? 0 : 1,
          lapsed: leaseMs === LAPSED_MS,
        };
        model.approvals.push(approval);
        if (claim !== undefined && ref !== null) claim.bound = approval;
      },
    ),
  );

const decide = fc
  .record({
    n: which,
    type: fc.constantFrom('approve', 'approve', 'reject'),
    seen: fc.boolean(),
    leaseMs: lease,
  })
  .map(({ n, type, seen, leaseMs }) =>
    step(`decide(${n}, ${type}, ${seen}, ${leaseMs})`, async (model, { storage, key: { ownerId } }) => {
      const approval = pick(model, n);
      if (approval === undefined) return;
      const answer = await storage.decide({
        signer: SIGNER,
        ownerId,
        approvalId: approval.id,
        decision:
          type === 'reject'
            ? { type: 'reject' }
            : { type: 'approve', digest: seen ? approval.digest : 'another', reach: REACHES_NOTHING },
        leaseMs,
        now: new Date(model.nowMs),
      });
      const open = approval.state === 'pending' && !isLate(model, approval);
      const won = open && (type === 'reject' || (seen && model.on));
      expect(answer?.won).toBe(won);
      if (!won) return;
      if (type === 'reject') {
        end(model, approval, 'rejected', true);
        return;
      }
      approval.by = 'owner';
      approval.approvedMs = model.nowMs;
      approval.fence += 1;
      approval.lapsed = leaseMs === LAPSED_MS;
      end(model, approval, 'approved', true);
    }),
  );

function isLate(model: Model, { createdMs }: ModelApproval): boolean {
  return model.nowMs >= createdMs + DAY_MS;
}

/** Cancels a pending approval, unless it has already expired. */
function withdraw(model: Model, approval: ModelApproval): void {
  if (approval.state !== 'pending') return;
  end(model, approval, isLate(model, approval) ? 'expired' : 'cancelled', false);
}

const cancel = which.map((n) =>
  step(`cancel(${n})`, async (model, { storage, key }) => {
    const approval = pick(model, n);
    if (approval === undefined) return;
    const answer = await storage.cancel({ ...key, approvalId: approval.id, now: new Date(model.nowMs) });
    expect(answer?.won).toBe(approval.state === 'pending' && !isLate(model, approval));
    withdraw(model, approval);
  }),
);

const start = fc.record({ n: which, lost: fenceLost }).map(({ n, lost }) =>
  step(`start(${n}, -${lost})`, async (model, { storage, key: { ownerId } }) => {
    const approval = pick(model, n);
    if (approval === undefined) return;
    const fence = approval.fence - lost;
    const may =
      approval.state === 'approved' && !approval.started && lost === 0 && inTime(model, approval) && model.on;
    const now = new Date(model.nowMs);
    expect(
      await storage.start({
        signer: SIGNER,
        ownerId,
        approvalId: approval.id,
        fence,
        reach: REACHES_NOTHING,
        relocated: [],
        now,
      }),
    ).toBe(may);
    if (may) approval.started = true;
  }),
);

const ENDS: Record<string, Settlement['end']> = {
  succeed: { type: 'succeed', result: { sent: true } },
  refuse: { type: 'refuse', error: 'upstream_mail_error' },
  lose: { type: 'lose' },
  later: { type: 'not_now', error: 'upstream_mail_error', retryMs: LEASE_MS },
  again: { type: 'not_now', error: 'upstream_mail_error', retryMs: LAPSED_MS },
};

function settled(model: Model, approval: ModelApproval, how: string): void {
  if (approval.started) {
    if (how === 'succeed') end(model, approval, 'executed', true);
    if (how === 'refuse') end(model, approval, 'failed', true);
    if (how === 'lose') end(model, approval, 'outcome_unknown', true);
    return;
  }
  if (how === 'succeed' || how === 'lose') return;
  if (how === 'refuse' || approval.by === 'policy' || !inTime(model, approval)) {
    end(model, approval, 'failed', true);
  } else {
    approval.lapsed = how === 'again';
  }
}

const settle = fc
  .record({ n: which, lost: fenceLost, how: fc.constantFrom(...Object.keys(ENDS)) })
  .map(({ n, lost, how }) =>
    step(`settle(${n}, -${lost}, ${how})`, async (model, { storage, key: { ownerId } }) => {
      const approval = pick(model, n);
      const ending = ENDS[how];
      if (approval === undefined || ending === undefined) return;
      if (approval.state === 'approved' && lost === 0) settled(model, approval, how);
      const answer = await storage.settle({
        ownerId,
        approvalId: approval.id,
        fence: approval.fence - lost,
        end: ending,
        recipients: [],
        followUp: false,
        leaseMs: LEASE_MS,
        now: new Date(model.nowMs),
      });
      expect(answer?.state).toBe(approval.state);
    }),
  );

const reclaim = lease.map((leaseMs) =>
  step(`reclaim(${leaseMs})`, async (model, { storage, key: { ownerId } }) => {
    const { runs } = await storage.reclaim({
      running: new Set(),
      leaseMs,
      limit: 1000,
      signer: SIGNER,
      now: new Date(model.nowMs),
    });
    const due = model.approvals.filter(({ state, lapsed }) => state === 'approved' && lapsed);
    const taken: string[] = [];
    const failed: string[] = [];
    for (const approval of due) {
      if (approval.started || (approval.by === 'owner' && inTime(model, approval))) {
        approval.fence += 1;
        approval.lapsed = leaseMs === LAPSED_MS;
        taken.push(approval.id);
      } else {
        approval.state = 'failed';
        failed.push(`${approval.id} failed`);
      }
    }
    expect(new Set(runs.map(({ approval }) => approval.id))).toEqual(new Set(taken));
    // Leases that end in the same millisecond may be taken in any order. The model follows the store's order.
    const events = await storage.events({ ownerId, afterId: model.reported.length, limit: 1000 });
    const reported = events.map(decision);
    expect(new Set(reported)).toEqual(new Set(failed));
    model.reported.push(...reported);
  }),
);

const expire = fc.constant(
  step('expire', async (model, { storage }) => {
    const over = model.approvals.filter(
      (approval) => approval.state === 'pending' && isLate(model, approval),
    );
    expect(await storage.expire(new Date(model.nowMs))).toBe(over.length);
    for (const approval of over) end(model, approval, 'expired', false);
  }),
);

const wait = fc.constantFrom(1, 5 * MINUTE_MS, 15 * MINUTE_MS, 23 * 60 * MINUTE_MS).map((ms) =>
  step(`wait(${ms})`, async (model) => {
    model.nowMs += ms;
  }),
);

const permit = fc.boolean().map((on) =>
  step(`permit(${on})`, async (model, { storage, key }) => {
    const modes = on ? DIRECT : ({ ...DIRECT, 'mail:send': 'off' } as const);
    await storage.setModes({ signer: SIGNER, ...key, modes, now: new Date(model.nowMs) });
    model.on = on;
    if (on) return;
    for (const approval of model.approvals) {
      withdraw(model, approval);
    }
  }),
);

function frees({ bound }: ModelClaim): boolean {
  return bound === undefined || (bound.state === 'failed' && bound.by === 'policy');
}

/** The model has no time within a step: a claim's lease has always expired, or always runs. */
const claim = fc
  .record({ key: claimKey, fingerprint: fc.constantFrom('f', 'f', 'f', 'g'), leaseMs: lease })
  .map(({ key: name, fingerprint, leaseMs }) =>
    step(`claim(${name}, ${fingerprint}, ${leaseMs})`, async (model, { storage, key }) => {
      const answer = await storage.claim({
        ...key,
        key: name,
        fingerprint,
        leaseMs,
        now: new Date(model.nowMs),
      });
      const before = model.claims.get(name);
      const here =
        before !== undefined && model.nowMs < before.createdMs + DAY_MS && before.state !== 'released';
      if (here && before.fingerprint !== fingerprint) expect(answer).toEqual({ kind: 'reused' });
      else if (here && before.state === 'answered') {
        expect(answer).toEqual({ kind: 'stored', sealedOutcome: before.outcome });
      } else if (here && before.state === 'running') expect(answer).toEqual({ kind: 'in_progress' });
      else if (here && !frees(before))
        expect(answer).toEqual({ kind: 'bound', approvalId: before.bound?.id });
      else {
        const fence = (before?.fence ?? 0) + 1;
        expect(answer).toMatchObject({ kind: 'won', fence });
        const state = leaseMs === LAPSED_MS ? 'ended' : 'running';
        const { nowMs: createdMs } = model;
        model.claims.set(name, {
          fingerprint,
          fence,
          createdMs,
          state,
          outcome: undefined,
          bound: undefined,
        });
      }
    }),
  );

const finishCall = fc
  .record({ key: claimKey, lost: fenceLost, outcome: fc.option(fc.constantFrom('x', 'y')) })
  .map(({ key: name, lost, outcome }) =>
    step(`finish(${name}, -${lost}, ${outcome})`, async (model, { storage, key }) => {
      const before = model.claims.get(name);
      const fence = (before?.fence ?? 1) - lost;
      const caller = await admitted(storage, key, { now: new Date(NOON.getTime() + model.approvals.length) });
      await finish(storage, key, caller, { claim: { key: name, fence, sealedOutcome: outcome } });
      if (before === undefined || lost === 1) return;
      if (before.state !== 'running' && before.state !== 'ended') return;
      if (outcome !== null) {
        before.state = 'answered';
        before.outcome = outcome;
      } else if (frees(before)) {
        before.state = 'released';
        before.bound = undefined;
      } else {
        before.state = 'ended';
      }
    }),
  );

export function modelPromises(store: Store): void {
  describe('approvals and claims', () => {
    it('follow the model, whatever the order of the verbs', async () => {
      const { storage } = store();
      const steps = [
        file,
        file,
        decide,
        cancel,
        start,
        settle,
        reclaim,
        expire,
        wait,
        permit,
        claim,
        finishCall,
      ];
      await fc.assert(
        fc.asyncProperty(fc.commands(steps, { maxCommands: 40, size: 'max' }), async (commands) => {
          // A separate owner for each sequence of verbs: none sees another's.
          const key = await addOwnerAndKey(storage, { ...ROOMY, callsPerMinute: 10_000 });
          const model: Model = {
            nowMs: at(0).getTime(),
            on: true,
            approvals: [],
            claims: new Map(),
            reported: [],
          };
          await fc.asyncModelRun(() => ({ model, real: { storage, key } }), commands);
          await storage.revoke({ signer: SIGNER, ...key, now: NOON });
          // Nothing that remains lapses into the reclaim of the next sequence.
          for (const approval of model.approvals) await putAway(storage, key, approval, model.nowMs);
        }),
        { numRuns: 60 },
      );
    });
  });
}

async function putAway(storage: Storage, key: Key, approval: ModelApproval, nowMs: number): Promise<void> {
  if (approval.state !== 'approved') return;
  await storage.settle({
    ownerId: key.ownerId,
    approvalId: approval.id,
    fence: approval.fence,
    end: approval.started ? { type: 'lose' } : { type: 'refuse', error: 'interrupted' },
    recipients: [],
    followUp: false,
    leaseMs: LEASE_MS,
    now: new Date(nowMs),
  });
}
