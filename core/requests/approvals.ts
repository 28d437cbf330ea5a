import { type Approval, type Approved, DECIDED_IN_APP, decisionOf, editOf } from '../approvals/approval.ts';
import { notFound } from '../contract/not-found.ts';
import { UnreadablePlan } from '../execution/plan.ts';
import { type OpenedPlan, openedPlan, openPlan } from '../execution/sealed-plan.ts';
import { openAsked } from '../execution/sealed-words.ts';
import type { CallDependencies } from '../gate/call-dependencies.ts';
import { crossedFence, REACHES_NOTHING, type Reach } from '../keys/fences.ts';
import type { Credential } from '../keys/live-key.ts';
import { NEW_OWNER } from '../owners/new-owner.ts';
import { type Approvable, isProofOf, needsProof, type ProofLevel } from '../owners/owner-proof.ts';
import type { Draft } from '../plans/edit-diff.ts';
import { errorName } from '../ports/log.ts';
import { bySeverity, withoutRepeats } from '../safety/finding.ts';
import { sentenceOf } from '../safety/finding-text.ts';
import { holdsWithoutFinding, holdText, namedFindings } from '../safety/holds.ts';
import { findTool } from '../tools/catalogue.ts';
import type {
  ApprovalContent,
  ApprovalSummary,
  ApprovalView,
  DecidedIn,
  DecidedWhere,
  ShownFinding,
} from './approval-views.ts';
import {
  draftArguments,
  draftOf,
  editedPlan,
  isRepeat,
  isSameDraft,
  normalDraft,
  otherDifferences,
  unseenRisks,
} from './edit-request.ts';
import { filedRequest } from './filed-request.ts';
import { planAnew } from './plan-anew.ts';
import { type RejectOptions, rejectionOf } from './rejection.ts';
import { requestGist } from './request-gist.ts';
import type { RequestsNow, RequestWatcher } from './request-watch.ts';
import { fileAgain, mayTryAgain } from './try-again.ts';

/** Only for the owner's page: keys and agents have no access. */
export interface Approvals {
  /** Newest first, behind the request `after`. `open`: pending and approved; `ended`: the others. Opens no plan. */
  list(
    ownerId: string,
    query: { state: 'open' | 'ended' | 'all'; after?: { createdAtMs: number; id: string }; limit: number },
  ): Promise<{
    readonly approvals: readonly ApprovalSummary[];
    readonly more: boolean;
    /** The service's clock, for times as seen from now. */
    readonly now: Date;
  }>;
  /** Returns these requests as `list` does, in this order, without those that the owner does not have. */
  summaries(ownerId: string, approvalIds: readonly string[]): Promise<readonly ApprovalSummary[]>;
  /** Undefined: the owner has no such request. */
  show(ownerId: string, approvalId: string): Promise<ApprovalView | undefined>;
  /** Returns these requests as `show` does, in this order, without those that the owner does not have. */
  showAll(ownerId: string, approvalIds: readonly string[]): Promise<readonly ApprovalView[]>;
  /**
   * Approves the plan that the page with this digest showed, and runs it. Waits at most 25 s for the run.
   * `won` is false if the request was no longer pending, had expired, or has another digest.
   */
  approve(
    ownerId: string,
    approvalId: string,
    digest: string,
    options?: {
      /** The owner confirmed the red findings separately. Without it, a request that has one stays pending. */
      readonly isRiskConfirmed: boolean;
    } & DecidedWhere,
  ): Promise<Decided | undefined>;
  /**
   * Approves a waiting send with the owner's changes: plans it anew with the same checks, and runs that plan. `digest` is of
   * the request that the page showed, without the changes. A draft without changes approves the request as it is.
   * If the changes raise a finding that the owner has not seen, nothing is decided, and `preview` says what to show.
   * @throws ServiceError invalid_arguments if the draft is wrong, not_permitted if it is outside the fences of the key,
   *   and others if the request cannot be planned now, such as upstream_mail_error
   */
  approveChanged(
    ownerId: string,
    approvalId: string,
    digest: string,
    draft: Draft,
    options?: {
      readonly isRiskConfirmed: boolean;
      /** `confirms` of the preview that the owner saw and accepts. */
      readonly confirms?: string | undefined;
    } & DecidedWhere,
  ): Promise<DecidedChange | undefined>;
  /**
   * Waits until the request has ended: executed, failed, rejected, expired, cancelled or of unknown outcome. It may end in
   * any process: an end in this one is seen at once, one elsewhere within 2 s. A store that cannot be reached is tried
   * again, for as long as it takes.
   * @param options  `signal` ends the wait, which then rejects with its reason
   * @throws ServiceError not_found; ServiceStoppedError if the service stops first
   */
  settled(
    ownerId: string,
    approvalId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Approval>;
  /**
   * Files a failed request again, planned anew. The new request waits for the owner's approval; that of an equal request
   * is returned instead if there is one. Undefined: the owner has no such request, or it cannot be tried again.
   * @throws ServiceError if it cannot be planned now, or its key may no longer make it
   */
  tryAgain(ownerId: string, approvalId: string): Promise<Approval | undefined>;
  /**
   * Rejects the request. The agent reads the reason and the note. `won` is false if it was no longer pending. Undefined:
   * the owner has no such request.
   * @throws ServiceError invalid_arguments
   */
  reject(ownerId: string, approvalId: string, options?: RejectOptions): Promise<Decided | undefined>;
  /**
   * Decides several requests, each for itself: moves, labels, flags and changes of trackers, without findings other than
   * notes. What is approved runs, and is waited for at most 25 s. A `proven` is for their `togetherDigest`.
   * @param members at most 50; one that is named again counts once
   * @returns each member's own outcome, in order
   * @throws ServiceError invalid_arguments if there are more
   */
  decideTogether(
    ownerId: string,
    decision: 'approve' | 'reject',
    members: readonly TogetherMember[],
    where?: DecidedWhere,
  ): Promise<readonly DecidedMember[]>;
  /** Returns how many requests wait, and the version of all requests. */
  now(ownerId: string): Promise<RequestsNow>;
  /**
   * Notifies the watcher of the current version and of each later one, whichever process made the change: at once in this
   * process, within half a second otherwise. @returns a function that removes the watcher
   */
  watch(ownerId: string, watcher: RequestWatcher): () => void;
}

export interface Decided {
  readonly approval: Approval;
  readonly won: boolean;
  /** True if only the confirmation of its red findings was missing. */
  readonly isRiskUnconfirmed?: true;
  /** True if only `proven` was missing, was given for another digest, or is older than two minutes. */
  readonly isProofMissing?: true;
}

/** One of the requests that are decided together. */
export interface TogetherMember {
  readonly approvalId: string;
  /** Of the plan that the page showed. */
  readonly digest: string;
}

/** What became of one of the requests that were decided together. */
export interface DecidedMember {
  readonly approvalId: string;
  /** As it is now. Undefined: the owner has no such request, or storage did not answer. */
  readonly approval: Approval | undefined;
  /**
   * Why this call did not decide it; null: it did. `alone`: it is of another kind, has a finding, or cannot be shown.
   * `unproven`: the owner has to prove again who they are. `changed`: its plan is not the one that was shown.
   * `not_possible`: it was not pending any more, its time was over, its key or permission off, or it is outside the
   * fences. `unknown`: storage did not answer.
   */
  readonly left: 'not_found' | 'alone' | 'unproven' | 'changed' | 'not_possible' | 'unknown' | null;
}

export interface DecidedChange extends Decided {
  /** What the owner must see before the changed request is approved. */
  readonly preview?: ChangePreview;
}

/** A changed request that is not approved yet. */
export interface ChangePreview {
  /** Proves that the owner saw this preview. Empty: only its red findings must be confirmed. */
  readonly confirms: string;
  readonly content: ApprovalContent;
  readonly findings: readonly ShownFinding[];
}

export function createApprovals(
  parts: CallDependencies,
  run: (approval: Approved, sealedPlan: string | null) => Promise<Approval>,
): Omit<Approvals, 'decideTogether' | 'now' | 'watch'> {
  const { ports, keyring, leaseMs, waits, ownerWords } = parts;
  const { storage, clock, log } = ports;

  async function shownContent(action: OpenedPlan['action'], ownerId: string) {
    // The reader limits the work.
    const never = new AbortController().signal;
    const facts = await action.facts(ports, { ownerId, signal: never });
    return { kind: 'shown', account: action.account, ...facts } as const;
  }

  /** What was asked for, if the owner changed it. */
  async function askedContent(approval: Approval): Promise<ApprovalContent | null> {
    if (editOf(approval) === null) return null;
    const sealed = await storage.askedPlan(approval.ownerId, approval.id);
    if (sealed === undefined) return { kind: 'erased' };
    try {
      return await shownContent(
        openedPlan(approval, openAsked(keyring, approval, sealed)).action,
        approval.ownerId,
      );
    } catch (error) {
      log.error('a plan as it was asked could not be read', { approval: approval.id, ...errorName(error) });
      return { kind: 'unreadable' };
    }
  }

  /**
   * Returns the content of the page. An unreadable plan must not keep the owner from seeing and rejecting the
   * request.
   */
  async function contentOf(
    approval: Approval,
    sealedPlan: string | undefined,
  ): Promise<{
    readonly content: ApprovalContent;
    readonly reach: Reach;
    readonly findings: OpenedPlan['findings'];
    readonly reads: OpenedPlan['reads'];
    readonly purpose: string | null;
    readonly draft: Draft | null;
    readonly isReadable: boolean;
  }> {
    const hidden = (kind: Exclude<ApprovalContent['kind'], 'shown'>) => ({
      content: { kind },
      reach: REACHES_NOTHING,
      findings: [],
      reads: [],
      purpose: null,
      draft: null,
      isReadable: false,
    });
    if (sealedPlan === undefined) return hidden('erased');
    try {
      const { action, findings, reads, purpose } = openPlan(keyring, approval, sealedPlan);
      const { reach } = action;
      const content = await shownContent(action, approval.ownerId);
      const draft = content.message && draftOf(approval, content.message);
      return {
        content,
        reach,
        findings,
        reads,
        purpose,
        draft: (approval.state === 'pending' && draft) || null,
        isReadable: true,
      };
    } catch (error) {
      log.error('a plan could not be read', { approval: approval.id, ...errorName(error) });
      const isOther = error instanceof UnreadablePlan && error.code === 'version';
      return hidden(isOther ? 'other_version' : 'unreadable');
    }
  }

  async function decidedIn(approval: Approval): Promise<DecidedIn | null> {
    const where = decisionOf(approval)?.decidedIn ?? null;
    if (where === null) return null;
    if (where === DECIDED_IN_APP) return { kind: 'app' };
    const sessions = await storage.sessions(approval.ownerId, keyring, clock.now());
    const session = sessions.find(({ id }) => id === where);
    if (session === undefined) return { kind: 'ended_session' };
    return { kind: 'session', browser: session.browser, signedInAt: session.createdAt };
  }

  function summaryOf(
    approval: Approval,
    gists: Awaited<ReturnType<typeof storage.gists>>,
    keys: readonly Credential[],
  ): ApprovalSummary {
    const { gist, findings } = requestGist(keyring, log, approval, gists.get(approval.id));
    return {
      ...headingOf(approval, keys),
      gist,
      findings: namedFindings(approval.reasons, findings ?? []),
    };
  }

  async function viewOf(
    approval: Approval,
    { keys, proofFor }: { keys: readonly Credential[]; proofFor: ProofLevel },
  ): Promise<ApprovalView> {
    const sealedPlan = await storage.plan(approval.ownerId, approval.id);
    const shown = await contentOf(approval, sealedPlan);
    const { content, reach, findings, reads, purpose, draft, isReadable } = shown;
    const key = keyOf(approval, keys);
    return {
      ...headingOf(approval, keys),
      content,
      isKeyPaused: key !== undefined && key.pausedAt !== null,
      isOutsideFence: key !== undefined && crossedFence(key.fences, reach, clock.now()) !== undefined,
      needsProof: approval.state === 'pending' && needsProof(proofFor, { findings, reach }),
      isAlwaysAsked: approval.reasons.includes('mode_approval'),
      findings: shownFindings(approval, findings),
      reads,
      purpose,
      decidedIn: await decidedIn(approval),
      words: ownerWords(approval),
      draft,
      canTryAgain: mayTryAgain(approval) && isReadable,
      asked: await askedContent(approval),
    };
  }

  /** What every view of the owner's requests depends on. */
  async function shownTo(ownerId: string) {
    const [keys, owner] = await Promise.all([storage.credentials(ownerId, keyring), storage.owner(ownerId)]);
    return { keys, proofFor: owner?.proofFor ?? NEW_OWNER.proofFor };
  }

  /** Whether the owner has to prove more than was given before such a request is approved. */
  async function lacksProof(ownerId: string, digest: string, asked: Approvable, { proven }: DecidedWhere) {
    const { proofFor } = await shownTo(ownerId);
    return needsProof(proofFor, asked) && !isProofOf(proven, digest, clock.now());
  }

  async function approvalsOf(ownerId: string, approvalIds: readonly string[]): Promise<Approval[]> {
    const found = await Promise.all(approvalIds.map((id) => storage.approval(ownerId, id)));
    return found.filter((approval) => approval !== undefined);
  }

  type Decision = Parameters<typeof storage.decide>[0]['decision'];

  /** Undefined: the owner has no such request. */
  function decide(ownerId: string, approvalId: string, decision: Decision, { sessionId }: DecidedWhere) {
    return storage.decide({
      ownerId,
      approvalId,
      decision,
      decidedIn: sessionId ?? DECIDED_IN_APP,
      leaseMs,
      signer: keyring,
      now: clock.now(),
    });
  }

  /** Approves and runs. */
  async function approveAndRun(...decision: Parameters<typeof decide>): Promise<Decided | undefined> {
    const decided = await decide(...decision);
    if (decided === undefined) return undefined;
    const { approval, won, sealedPlan } = decided;
    if (!won || approval.state !== 'approved') return { approval, won };
    return { approval: await run(approval, sealedPlan), won };
  }

  const approve: Approvals['approve'] = async (
    ownerId,
    approvalId,
    digest,
    options = { isRiskConfirmed: false },
  ) => {
    const filed = await filedRequest(ports, keyring, ownerId, approvalId);
    if (filed === undefined) return undefined;
    const { approval, plan } = filed;
    const isRisky = plan?.findings.some(({ severity }) => severity === 'red') === true;
    if (isRisky && !options.isRiskConfirmed && isPending(approval, digest)) {
      return { approval, won: false, isRiskUnconfirmed: true };
    }
    if (plan !== null && isPending(approval, digest)) {
      const { findings, action } = plan;
      if (await lacksProof(ownerId, digest, { findings, reach: action.reach }, options)) {
        return { approval, won: false, isProofMissing: true };
      }
    }
    const decision = { type: 'approve', digest, reach: plan === null ? null : plan.action.reach } as const;
    return approveAndRun(ownerId, approvalId, decision, options);
  };

  return {
    async list(ownerId, { state, after, limit }) {
      const page = await storage.approvals({ ownerId, credentialId: undefined, state, after, limit });
      const ids = page.approvals.map(({ id }) => id);
      const [gists, keys] = await Promise.all([
        storage.gists(ownerId, ids),
        storage.credentials(ownerId, keyring),
      ]);
      const approvals = page.approvals.map((approval) => summaryOf(approval, gists, keys));
      return { approvals, more: page.more, now: clock.now() };
    },
    async summaries(ownerId, approvalIds) {
      const [approvals, gists, keys] = await Promise.all([
        approvalsOf(ownerId, approvalIds),
        storage.gists(ownerId, approvalIds),
        storage.credentials(ownerId, keyring),
      ]);
      return approvals.map((approval) => summaryOf(approval, gists, keys));
    },
    async show(ownerId, approvalId) {
      const approval = await storage.approval(ownerId, approvalId);
      return approval && viewOf(approval, await shownTo(ownerId));
    },
    async showAll(ownerId, approvalIds) {
      const [approvals, shown] = await Promise.all([approvalsOf(ownerId, approvalIds), shownTo(ownerId)]);
      return Promise.all(approvals.map((approval) => viewOf(approval, shown)));
    },
    approve,
    async approveChanged(ownerId, approvalId, digest, changed, options = { isRiskConfirmed: false }) {
      const filed = await filedRequest(ports, keyring, ownerId, approvalId);
      if (filed === undefined) return undefined;
      const { approval, plan: opened } = filed;
      if (opened === null || !isPending(approval, digest)) return { approval, won: false };
      const { message } = await shownContent(opened.action, ownerId);
      const asked = message && draftOf(approval, message);
      if (message === undefined || asked === undefined) return { approval, won: false };
      const draft = normalDraft({ ...changed, subject: asked.subject === null ? null : changed.subject });
      if (isSameDraft(asked, draft)) return approve(ownerId, approvalId, digest, options);
      const args = draftArguments(approval, opened.args, asked, draft, opened.action.account?.accountId);
      const request = await planAnew(parts, approval, args);
      const { action, findings } = request.planned;
      const content = await shownContent(action, approval.ownerId);
      if (content.message === undefined) throw new Error('a changed send sends nothing');
      const repeats = action.isHeldWhenRepeated && (await isRepeat(storage, ownerId, request, clock.now()));
      const differences = otherDifferences(message, content.message, draft.to);
      const risks = unseenRisks(
        { findings: opened.findings, message },
        { findings, message: content.message, repeats, differences },
      );
      const isRisky = findings.some(({ severity }) => severity === 'red');
      if ((risks !== null && risks !== options.confirms) || (isRisky && !options.isRiskConfirmed)) {
        const shown = shownFindings({ reasons: repeats ? ['likely_repeat'] : [] }, findings);
        return {
          approval,
          won: false,
          preview: { confirms: risks ?? '', content, findings: bySeverity([...shown, ...differences]) },
        };
      }
      if (await lacksProof(ownerId, digest, { findings, reach: action.reach }, options)) {
        return { approval, won: false, isProofMissing: true };
      }
      const edited = editedPlan(keyring, approval, request, { text: opened.text, draft: asked }, draft);
      const decision = { type: 'approve', digest, reach: action.reach, edited } as const;
      return approveAndRun(ownerId, approvalId, decision, options);
    },
    async settled(ownerId, approvalId, { signal } = {}) {
      async function read(): Promise<Approval> {
        const approval = await storage.approval(ownerId, approvalId);
        if (approval === undefined) throw notFound('approval');
        return approval;
      }
      return waits.ofApp(approvalId, read, signal);
    },
    async tryAgain(ownerId, approvalId) {
      const filed = await filedRequest(ports, keyring, ownerId, approvalId);
      if (filed === undefined || !mayTryAgain(filed.approval)) return undefined;
      return filed.plan === null ? undefined : fileAgain(parts, filed.approval, filed.plan.args);
    },
    async reject(ownerId, approvalId, options = {}) {
      const rejection = rejectionOf(keyring, { ownerId, id: approvalId }, options);
      const decided = await decide(ownerId, approvalId, { type: 'reject', rejection }, options);
      return decided && { approval: decided.approval, won: decided.won };
    },
  };
}

/** Whether only a confirmation is missing to approve it. */
function isPending(approval: Approval, digest: string): boolean {
  return approval.state === 'pending' && approval.digest === digest;
}

/** The findings of the plan, and those that storage added. */
function shownFindings(
  { reasons }: Pick<Approval, 'reasons'>,
  findings: OpenedPlan['findings'],
): ShownFinding[] {
  const others = holdsWithoutFinding(reasons, findings);
  return bySeverity([
    ...withoutRepeats(findings).map((one) => ({
      rule: one.rule,
      severity: one.severity,
      marks: one.marks,
      sentence: sentenceOf(one),
    })),
    ...others.map((rule) => ({ rule, severity: 'amber' as const, marks: [], sentence: [holdText(rule)] })),
  ]);
}

function headingOf(approval: Approval, keys: readonly Credential[]) {
  return {
    approval,
    keyName: keyOf(approval, keys)?.name ?? '',
    title: findTool(approval.tool)?.title ?? approval.tool,
  };
}

function keyOf({ credentialId }: Approval, keys: readonly Credential[]): Credential | undefined {
  return keys.find((key) => key.credentialId === credentialId);
}
