import { createHash } from 'node:crypto';
import { type Approval, type Approved, DECIDED_IN_APP } from '../approvals/approval.ts';
import { invalidArgument } from '../contract/schema.ts';
import { settledWithin } from '../gate/perform-write.ts';
import { isProofOf, type OwnerProof } from '../owners/owner-proof.ts';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import { namedFindings } from '../safety/holds.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Approvals, DecidedMember, TogetherMember } from './approvals.ts';
import { mayBeDecidedTogether, TOGETHER_MAX } from './decided-together.ts';
import { filedRequest } from './filed-request.ts';

/** Runs at a time. A mail server serves few connections of one account. */
const RUNS_AT_ONCE = 4;

/** A member after its decision, with the plan to run if it was approved. */
interface Decided {
  readonly member: DecidedMember;
  readonly run?: { readonly approval: Approved; readonly sealedPlan: string | null };
}

/**
 * Decides several requests, each for itself: first all decisions, one after the other, then the runs. If the process
 * ends in between, a member is decided or pending, and recovery runs what is approved.
 */
export function createDecideTogether(
  ports: Ports,
  keyring: Keyring,
  leaseMs: number,
  execute: (approval: Approved, sealedPlan: string | null) => Promise<Approval>,
): Approvals['decideTogether'] {
  const { storage, clock, log } = ports;

  async function decide(
    ownerId: string,
    type: 'approve' | 'reject',
    { approvalId, digest }: TogetherMember,
    { decidedIn, isProven }: { decidedIn: string; isProven: boolean },
  ): Promise<Decided> {
    const filed = await filedRequest(ports, keyring, ownerId, approvalId);
    const approval = filed?.approval;
    const left = (why: DecidedMember['left']) => ({ member: { approvalId, approval, left: why } });
    if (filed === undefined || approval === undefined) return left('not_found');
    if (approval.state !== 'pending') return left('not_possible');
    if (approval.digest !== digest) return left('changed');
    const { plan } = filed;
    if (plan === null) return left('alone');
    if (!mayBeDecidedTogether(approval, namedFindings(approval.reasons, plan.findings))) return left('alone');
    if (type === 'approve' && !isProven) return left('unproven');
    const decision =
      type === 'reject' ? ({ type } as const) : ({ type, digest, reach: plan.action.reach } as const);
    const now = clock.now();
    const decided = await storage.decide({
      ownerId,
      approvalId,
      decision,
      decidedIn,
      leaseMs,
      signer: keyring,
      now,
    });
    if (decided === undefined) return left('not_found');
    const { approval: after, won } = decided;
    const member = { approvalId, approval: after, left: won ? null : ('not_possible' as const) };
    if (!won || after.state !== 'approved') return { member };
    return { member, run: { approval: after, sealedPlan: decided.sealedPlan } };
  }

  /** A failure here leaves the run to recovery, and the others to their turns. */
  async function run(approval: Approved, sealedPlan: string | null): Promise<Approval> {
    try {
      return await execute(approval, sealedPlan);
    } catch (error) {
      log.error('an approved request is left to recovery', { approval: approval.id, ...errorName(error) });
      return approval;
    }
  }

  /**
   * Runs what was approved, a few at a time. What has no turn within half of its lease is left to recovery, so that
   * nothing runs here that another process may have taken over.
   */
  function runAll(decided: readonly Decided[]): ReadonlyMap<string, Promise<Approval>> {
    const untilMs = clock.now().getTime() + leaseMs / 2;
    const turns: Promise<unknown>[] = Array.from({ length: RUNS_AT_ONCE }, () => Promise.resolve());
    const approved = decided.flatMap((one) => one.run ?? []);
    return new Map(
      approved.map(({ approval, sealedPlan }, index) => {
        const place = index % RUNS_AT_ONCE;
        const ended = (turns[place] ?? Promise.resolve()).then(() =>
          clock.now().getTime() < untilMs ? run(approval, sealedPlan) : approval,
        );
        turns[place] = ended;
        return [approval.id, ended];
      }),
    );
  }

  /** These requests have no red finding and no recipient, so only owners who prove every request have to prove them. */
  async function isProven(ownerId: string, members: readonly TogetherMember[], proven?: OwnerProof) {
    const owner = await storage.owner(ownerId);
    return owner?.proofFor !== 'always' || isProofOf(proven, togetherDigest(members), clock.now());
  }

  return async (ownerId, type, members, { sessionId = DECIDED_IN_APP, proven } = {}) => {
    if (members.length > TOGETHER_MAX) {
      throw invalidArgument('members', 'too_many', `has more than ${TOGETHER_MAX} requests`);
    }
    const where = { decidedIn: sessionId, isProven: await isProven(ownerId, members, proven) };
    const decided: Decided[] = [];
    for (const member of withoutRepeats(members)) {
      try {
        decided.push(await decide(ownerId, type, member, where));
      } catch (error) {
        // The others keep their outcomes.
        const { approvalId } = member;
        log.error('whether a request was decided is not known', {
          approval: approvalId,
          ...errorName(error),
        });
        decided.push({ member: { approvalId, approval: undefined, left: 'unknown' } });
      }
    }
    const runs = runAll(decided);
    return Promise.all(
      decided.map(async ({ member, run }) => {
        const ended = runs.get(member.approvalId);
        if (run === undefined || ended === undefined) return member;
        return { ...member, approval: await settledWithin(ended, run.approval, ports) };
      }),
    );
  };
}

/** What a proof for all of these requests is given for, in any order. */
export function togetherDigest(members: readonly TogetherMember[]): string {
  const texts = withoutRepeats(members).map(({ approvalId, digest }) => `${approvalId}.${digest}`);
  return createHash('sha256').update(texts.sort().join('\n')).digest('hex');
}

function withoutRepeats(members: readonly TogetherMember[]): TogetherMember[] {
  const ids = members.map(({ approvalId }) => approvalId);
  return members.filter(({ approvalId }, index) => ids.indexOf(approvalId) === index);
}
