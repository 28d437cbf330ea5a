import fc from 'fast-check';
import {
  type Approval,
  type ApprovalEvent,
  newApproval,
  REJECTION_REASONS,
  transition,
} from '../../../core/approvals/approval.ts';
import { DAY_MS, MINUTE_MS, NOON, PENDING, REQUEST } from './machine.ts';

/** Approvals that random events lead to. */

const fence = fc.integer({ min: 0, max: 4 });
const leaseUntilMs = fc.integer({ min: 0, max: 100 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const decidedIn = optional(fc.constantFrom('ses_1', 'app'));
/** A record like those of the machine. */
const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true });
const sealed = fc.option(fc.constant('sealed'));

const event = fc.oneof<fc.Arbitrary<ApprovalEvent>[]>(
  fc.record({
    type: fc.constant('approve' as const),
    digest: fc.constantFrom('seen', 'other'),
    allowed: fc.boolean(),
    edited: optional(
      fc.record({
        digest: fc.constant('changed'),
        edit: plain({ requestHash: fc.constant('hash'), sealedDiff: sealed }),
      }),
    ),
    decidedIn,
    leaseUntilMs,
  }),
  fc.record({
    type: fc.constant('reject' as const),
    rejection: optional(plain({ reason: fc.constantFrom(...REJECTION_REASONS), sealedNote: sealed })),
    decidedIn,
  }),
  fc.constant({ type: 'expire' as const }),
  fc.constant({ type: 'cancel' as const, error: 'permission_off' as const }),
  fc.record({ type: fc.constant('start' as const), fence, allowed: fc.boolean() }),
  fc.record({
    type: fc.constant('refuse' as const),
    fence,
    error: fc.constantFrom('not_found' as const, 'message_too_large' as const),
    sizes: optional(plain({ bytes: fc.nat(), limitBytes: fc.option(fc.nat()) })),
  }),
  fc.record({
    type: fc.constant('not_now' as const),
    fence,
    error: fc.constantFrom('upstream_mail_error' as const, 'password_refused' as const),
    retryAtMs: leaseUntilMs,
  }),
  fc.record({ type: fc.constant('succeed' as const), fence, result: fc.constant({ sent: true }) }),
  fc.record({ type: fc.constant('lose' as const), fence }),
  fc.constant({ type: 'pause' as const }),
  fc.record({
    type: fc.constant('reclaim' as const),
    storeNowMs: fc.integer({ min: 0, max: 200 }),
    leaseUntilMs,
  }),
);

export const STEPS = fc.array(
  fc.record({ event, waitMs: fc.constantFrom(0, 0, MINUTE_MS, 15 * MINUTE_MS, DAY_MS) }),
  { maxLength: 30, size: 'max' },
);

export const FIRST = fc.constantFrom<Approval>(PENDING, newApproval(REQUEST, { kind: 'run' }, 50, NOON));

/** Every approval on the way, the first included. */
export function walk(from: Approval, way: readonly { event: ApprovalEvent; waitMs: number }[]): Approval[] {
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
}
