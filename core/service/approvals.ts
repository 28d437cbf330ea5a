import type { Approval } from '../approvals/approval.ts';
import { UnreadablePlan } from '../execution/plan.ts';
import { openGist } from '../execution/sealed-gist.ts';
import { openAction } from '../execution/sealed-plan.ts';
import type { Credential } from '../ports/credential-storage.ts';
import { errorName } from '../ports/log.ts';
import type { Ports } from '../ports/ports.ts';
import { findingsIn, holdText } from '../safety/holds.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { findTool } from '../tools/catalogue.ts';
import type { ApprovalContent, ApprovalGist, Approvals } from './service.ts';

export function createApprovals(
  ports: Ports,
  keyring: Keyring,
  keysSigned: () => Promise<void>,
  leaseMs: number,
  run: (approval: Approval, sealedPlan: string | null) => Promise<Approval>,
): Approvals {
  const { storage, clock, log } = ports;

  /**
   * Returns the content of the page. An unreadable plan must not keep the owner from seeing and rejecting the
   * request.
   */
  async function contentOf(approval: Approval, sealedPlan: string | undefined): Promise<ApprovalContent> {
    if (sealedPlan === undefined) return { kind: 'erased' };
    try {
      const action = openAction(keyring, approval, sealedPlan);
      return { kind: 'shown', account: action.account, ...(await action.facts(ports)) };
    } catch (error) {
      log.error('a plan could not be read', { approval: approval.id, ...errorName(error) });
      const isOther = error instanceof UnreadablePlan && error.code === 'version';
      return { kind: isOther ? 'other_version' : 'unreadable' };
    }
  }

  /** @param sealedGist undefined once it is erased, null if it was never kept */
  function gistOf(approval: Approval, sealedGist: string | null | undefined): ApprovalGist {
    if (sealedGist === undefined) return { kind: 'erased' };
    if (sealedGist === null) return { kind: 'not_kept' };
    try {
      return openGist(keyring, approval, sealedGist);
    } catch (error) {
      log.error('the gist of a request could not be read', { approval: approval.id, ...errorName(error) });
      return { kind: 'unreadable' };
    }
  }

  return {
    async list(ownerId, { state, after, limit }) {
      const page = await storage.approvals({ ownerId, credentialId: undefined, state, after, limit });
      const ids = page.approvals.map(({ id }) => id);
      const [gists, keys] = await Promise.all([
        storage.gists(ownerId, ids),
        storage.credentials(ownerId, keyring),
      ]);
      const approvals = page.approvals.map((approval) => ({
        ...headingOf(approval, keys),
        gist: gistOf(approval, gists.get(approval.id)),
        findings: findingsIn(approval.reasons).map(holdText),
      }));
      return { approvals, more: page.more };
    },
    async show(ownerId, approvalId) {
      const approval = await storage.approval(ownerId, approvalId);
      if (approval === undefined) return undefined;
      const content = await contentOf(approval, await storage.plan(ownerId, approvalId));
      return {
        ...headingOf(approval, await storage.credentials(ownerId, keyring)),
        content,
        notes: approval.reasons.map(holdText),
      };
    },
    async approve(ownerId, approvalId, digest) {
      await keysSigned();
      const now = clock.now();
      const decision = { type: 'approve', digest } as const;
      const decided = await storage.decide({ ownerId, approvalId, decision, leaseMs, signer: keyring, now });
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
        signer: keyring,
        now,
      });
      return decided && { approval: decided.approval, won: decided.won };
    },
  };
}

function headingOf(approval: Approval, keys: readonly Credential[]) {
  const key = keys.find(({ credentialId }) => credentialId === approval.credentialId);
  return {
    approval,
    keyName: key?.name ?? '',
    title: findTool(approval.tool)?.title ?? approval.tool,
  };
}
