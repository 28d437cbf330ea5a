import type { Approval } from '../approval.ts';
import { eventChange } from '../calendar/event-plan.ts';
import { openPlan } from '../execute-approval.ts';
import { holdText } from '../holds.ts';
import type { Keyring } from '../keyring.ts';
import { named } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import { readSentMessage } from '../sent-message.ts';
import type { Approvals } from '../service.ts';
import { toolNamed } from '../tools/catalogue.ts';

const UNREADABLE = { plan: null, message: null, event: null };

export function createApprovals(
  ports: Ports,
  keyring: Keyring,
  leaseMs: number,
  run: (approval: Approval, sealedPlan: string | null) => Promise<Approval>,
): Approvals {
  const { storage, clock, log } = ports;
  /** Reads the plan for display. An unreadable plan must not keep the owner from seeing and rejecting the request. */
  async function readPlan(approval: Approval, sealed: string | undefined) {
    if (sealed === undefined) return UNREADABLE;
    try {
      const plan = openPlan(keyring, approval, sealed);
      const raw = plan.raw === null ? null : Buffer.from(plan.raw, 'base64');
      const message = raw === null ? null : await readSentMessage(raw);
      // The reader limits the time and memory that reading the event takes.
      const never = new AbortController().signal;
      const isEvent = approval.group === 'calendar:write';
      return { plan, message, event: isEvent ? await eventChange(ports, plan, message, never) : null };
    } catch (error) {
      log.error('a plan could not be read', { approval: approval.id, ...named(error) });
      return UNREADABLE;
    }
  }

  return {
    list: (ownerId, { state, after, limit }) =>
      storage.approvals({ ownerId, credentialId: undefined, state, after, limit }),
    async show(ownerId, approvalId) {
      const approval = await storage.approval(ownerId, approvalId);
      if (approval === undefined) return undefined;
      const sealed = await storage.plan(ownerId, approvalId);
      const { plan, message, event } = await readPlan(approval, sealed);
      const key = (await storage.credentials(ownerId)).find(
        (one) => one.credentialId === approval.credentialId,
      );
      return {
        approval,
        keyName: key?.name ?? '',
        title: toolNamed(approval.tool)?.title ?? approval.tool,
        plan,
        message,
        event,
        notes: [...approval.reasons.map(holdText), ...(plan?.warnings ?? [])],
      };
    },
    async approve(ownerId, approvalId, digest) {
      const now = clock.now();
      const decision = { type: 'approve', digest } as const;
      const decided = await storage.decide({ ownerId, approvalId, decision, leaseMs, now });
      if (decided === undefined) return undefined;
      if (!decided.won) return { approval: decided.approval, won: false };
      return { approval: await run(decided.approval, decided.sealedPlan), won: true };
    },
    async reject(ownerId, approvalId) {
      const now = clock.now();
      const decided = await storage.decide({
        ownerId,
        approvalId,
        decision: { type: 'reject' },
        leaseMs,
        now,
      });
      return decided && { approval: decided.approval, won: decided.won };
    },
  };
}
