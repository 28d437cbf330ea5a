import { accountsOf, accountsOfOwner } from '../accounts/account-state.ts';
import type { Activity } from '../activity/activity.ts';
import { appendedActivity } from '../activity/activity-storage.ts';
import type { Approval } from '../approvals/approval.ts';
import { approvalById, approvalOf, followUpOfApproval, followUps } from '../approvals/approval-state.ts';
import { isAnswer, judgeClaim } from '../approvals/idempotency.ts';
import { savedApproval } from '../approvals/move-storage.ts';
import { ServiceError } from '../contract/errors.ts';
import { type Owner, ownerById, ownerIn } from '../owners/owner-state.ts';
import type { Account } from '../ports/account.ts';
import type { NewRead } from '../provenance/read-state.ts';
import { rememberedRead } from '../provenance/read-storage.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { requestId } from '../secrets/record-ids.ts';
import { put, type RowChange, remove, run, update } from '../state/change.ts';
import { all, first } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import { DAY_MS } from '../time/durations.ts';
import {
  callCommands,
  callStatements,
  claimOfKey,
  claims,
  type StoredClaim,
  type UsageRow,
  usage,
} from './call-state.ts';
import { credentialById, type StoredCredential, type StoredSecret } from './key-state.ts';
import { judgeLimits, type LimitVerdict, limitsOf, nextUtcMidnight, type Rate } from './limits.ts';
import { type Credential, credentialAt, hasLiveSecret } from './live-key.ts';
import { isCredentialIntact, isSecretIntact } from './signed-rows.ts';

/** Which credential calls. */
export type CredentialRef =
  | { readonly secretHash: string }
  | { readonly ownerId: string; readonly credentialId: string };

/** The caller, as found by `admit`. */
export interface Caller {
  readonly owner: Owner;
  readonly credential: Credential;
  readonly accounts: readonly Account[];
  readonly slotId: string;
}

export interface ClaimRef {
  readonly key: string;
  readonly fence: number;
}

/** The leases of a running call or execution. */
export interface Held {
  readonly ownerId: string;
  readonly slotId?: string;
  readonly claim?: ClaimRef & { readonly credentialId: string };
  readonly approval?: { readonly id: string; readonly fence: number };
  /** The approval whose follow-up this process runs. */
  readonly followUp?: string;
}

type Admission =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'altered'; readonly credentialId: string }
  | {
      readonly kind: 'over';
      readonly credentialId: string;
      readonly verdict: Extract<LimitVerdict, { kind: 'over' }>;
    }
  | { readonly kind: 'admitted'; readonly caller: Caller; readonly rate: Rate };

type Claimed =
  /** `requestId` stays the same if the claim is won again. */
  | { readonly kind: 'won'; readonly fence: number; readonly requestId: string }
  | { readonly kind: 'in_progress' }
  | { readonly kind: 'reused' }
  | { readonly kind: 'stored'; readonly sealedOutcome: string }
  | { readonly kind: 'bound'; readonly approvalId: string };

interface ClaimRequest {
  ownerId: string;
  credentialId: string;
  key: string;
  /** SHA-256 of tool and arguments, hex. */
  fingerprint: string;
  leaseMs: number;
  now: Date;
}

interface CallEnd {
  caller: { readonly ownerId: string; readonly credentialId: string };
  slotId: string;
  claim: (ClaimRef & { readonly sealedOutcome: string | null }) | null;
  activity: Activity;
  /** What the call showed, if it is kept. */
  read?: NewRead | undefined;
  now: Date;
}

/** Calls from admission to their end, and Idempotency-Keys. */
export type CallStorage = ReturnType<typeof callStorage>;

/** @param random  source of the ids of requests */
export function callStorage({ unit, apply }: StateStore, random: Random) {
  return {
    /**
     * Finds the credential by the hash of its secret, or by its id for a caller inside the embedding app, checks the limits
     * (`judgeLimits`) and takes a concurrency slot. A secret is unknown if it has expired or its credential is revoked; an id,
     * if all its secrets have expired. A call over a limit is not counted. `altered`: somebody changed the credential or its
     * secret outside Countersign, so it counts as revoked.
     */
    admit: (
      request: CredentialRef & { slotId: string; leaseMs: number; signer: Signer; now: Date },
    ): Promise<Admission> => {
      if ('secretHash' in request) {
        const { secretHash } = request;
        const facts = {
          row: first(callStatements.caller, { secretHash }),
          usage: all(callStatements.usage_of_secret, { secretHash }),
          accounts: all(callStatements.accounts_of_secret, { secretHash }),
        };
        return unit('relaxed', { secretHash }, facts, ({ row, ...found }, storeNowMs) => {
          if (row === undefined) return UNKNOWN;
          const { secretExpiresAt: expiresAt, sealedTokens, secretSignature: signature } = row;
          const { ownerId, credentialId } = row;
          const secret = { secretHash, ownerId, credentialId, expiresAt, sealedTokens, signature };
          return admit({ ...found, owner: row, credential: row, secret }, request, storeNowMs);
        });
      }
      const { ownerId, credentialId } = request;
      const facts = {
        owner: first(ownerById, { ownerId }),
        credential: first(credentialById, { ownerId, credentialId }),
        usage: all(callStatements.usage_of_credential, { ownerId, credentialId }),
        accounts: all(accountsOfOwner, { ownerId }),
      };
      return unit('relaxed', { ownerId }, facts, ({ owner, credential, ...found }, storeNowMs) =>
        owner === undefined || credential === undefined
          ? UNKNOWN
          : admit({ ...found, owner, credential, secret: null }, request, storeNowMs),
      );
    },

    /**
     * Claims an Idempotency-Key for one request of one credential.
     * `won`: run it. `stored`: return this result. `bound`: an earlier run filed this approval; build the result from
     * it. If the lease of a claim has ended and the claim is not bound, or bound to a `failed` approval that ran by
     * policy, the claim is won again with the next fence. Claims older than 24 hours no longer exist.
     * @throws ServiceError invalid_token if the owner was removed after the call was admitted
     */
    claim: (request: ClaimRequest): Promise<Claimed> => {
      const { ownerId } = request;
      const newRequestId = requestId(random);
      const facts = { ...claimQueries(request), owner: first(ownerById, { ownerId }) };
      return unit('relaxed', { ownerId }, facts, ({ owner, ...found }, storeNowMs) => {
        if (owner === undefined) throw new ServiceError('invalid_token');
        return claim(claimFacts(found), request, storeNowMs, newRequestId);
      });
    },

    /** Extends the leases of a running call. Leases that it no longer owns stay unchanged. */
    renew: (held: Held, leaseMs: number): Promise<void> => {
      const { ownerId, slotId = '', claim: claimed, approval, followUp = '' } = held;
      const { credentialId, key } = claimed ?? { credentialId: '', key: '' };
      const facts = {
        slot: first(callStatements.slot, { ownerId, slotId }),
        claim: first(claimOfKey, { ownerId, credentialId, key }),
        approval: first(approvalById, { ownerId, approvalId: approval?.id ?? followUp }),
        followUp: first(followUpOfApproval, { ownerId, approvalId: followUp }),
      };
      return unit('relaxed', { ownerId }, facts, (found, storeNowMs) => {
        const run = found.approval && approvalOf(found.approval);
        return renew({ ...found, approval: run }, held, leaseMs, storeNowMs);
      });
    },

    /**
     * Ends a call: frees the slot, completes the claim (`sealedOutcome`) or releases it (null; a bound claim stays
     * bound unless its approval is `failed`), and writes one activity row.
     */
    finish: (end: CallEnd): Promise<void> => {
      const { caller, claim: ended } = end;
      const { ownerId, credentialId } = caller;
      if (ended === null) return apply(ownerId, finishedCall(end));
      const of = { ownerId, credentialId, key: ended.key };
      return unit('relaxed', { ownerId }, claimQueries(of), (found) => ({
        answer: undefined,
        changes: [...finishedCall(end), ...endedClaim(claimFacts(found), ended)],
      }));
    },
  };
}

const UNKNOWN = { answer: { kind: 'unknown' }, changes: [] } as const;

interface CallerFacts {
  readonly owner: Owner;
  readonly credential: StoredCredential;
  /** Null: the credential was found by its id. */
  readonly secret: StoredSecret | null;
  readonly accounts: Parameters<typeof accountsOf>[0];
  readonly usage: readonly UsageRow[];
}

/** Decides whether to admit a call. Also frees slots whose lease has ended. */
function admit(
  { owner, credential: stored, secret, accounts, usage: used }: CallerFacts,
  { slotId, leaseMs, signer, now }: { slotId: string; leaseMs: number; signer: Signer; now: Date },
  storeNowMs: number,
): Verdict<Admission> {
  const isLive = secret === null ? hasLiveSecret(stored, now) : secret.expiresAt > now;
  if (stored.revokedAt !== null || !isLive) return UNKNOWN;
  const { ownerId, credentialId } = stored;
  if (!isCredentialIntact(stored, signer) || (secret !== null && !isSecretIntact(secret, signer))) {
    return unchanged({ kind: 'altered', credentialId });
  }
  // The store's clock is the same for every host, even if the clocks of the hosts differ.
  const storeNow = new Date(storeNowMs);
  const dayMs = nextUtcMidnight(storeNow).getTime() - DAY_MS;
  const { minute, day, slots } = countsIn(used);
  const callsToday = day?.timeMs === dayMs ? day.count : 0;
  const lapsed = slots.filter(({ timeMs }) => timeMs <= storeNowMs);
  const freed = lapsed.map((slot) => remove(usage, { ownerId, credentialId, slotId: slot.slotId }));
  const verdict = judgeLimits(
    {
      minute: minute && { startedAtMs: minute.timeMs, count: minute.count },
      callsToday,
      inFlight: slots.length - lapsed.length,
    },
    limitsOf(owner.plan, owner.limits),
    storeNow,
  );
  if (verdict.kind === 'over') return { answer: { kind: 'over', credentialId, verdict }, changes: freed };
  const { startedAtMs: minuteMs, count: minuteCount } = verdict.minute;
  const counted = run(callCommands.count_call, {
    ...{ ownerId, credentialId, minuteMs, minuteCount, dayMs, dayCount: callsToday + 1 },
    ...{ slotId, leaseUntilMs: storeNowMs + leaseMs, at: now },
  });
  const caller = {
    owner: ownerIn(owner),
    credential: credentialAt(stored, false, now),
    accounts: accountsOf(accounts),
    slotId,
  };
  return { answer: { kind: 'admitted', caller, rate: verdict.rate }, changes: [...freed, counted] };
}

/** A row without a slot counts calls: of the credential's minute or, without a credential, of the owner's day. */
function countsIn(rows: readonly UsageRow[]): {
  readonly minute: UsageRow | undefined;
  readonly day: UsageRow | undefined;
  readonly slots: readonly UsageRow[];
} {
  let minute: UsageRow | undefined;
  let day: UsageRow | undefined;
  const slots: UsageRow[] = [];
  for (const row of rows) {
    if (row.slotId !== '') slots.push(row);
    else if (row.credentialId === '') day = row;
    else minute = row;
  }
  return { minute, day, slots };
}

interface ClaimFacts {
  readonly claim: StoredClaim | undefined;
  /** The approval that the claim is bound to. */
  readonly approval: Approval | undefined;
}

function claimQueries({
  ownerId,
  credentialId,
  key,
}: {
  ownerId: string;
  credentialId: string;
  key: string;
}) {
  const of = { ownerId, credentialId, key };
  return { claim: first(claimOfKey, of), approval: first(callStatements.approval_of_claim, of) };
}

function claimFacts(found: {
  readonly claim: StoredClaim | undefined;
  readonly approval: Parameters<typeof approvalOf>[0] | undefined;
}): ClaimFacts {
  return { claim: found.claim, approval: found.approval && approvalOf(found.approval) };
}

/** @param newRequestId  used if the key belongs to a different request from now on */
function claim(
  { claim: before, approval }: ClaimFacts,
  { ownerId, credentialId, key, fingerprint, leaseMs, now }: ClaimRequest,
  storeNowMs: number,
  newRequestId: string,
): Verdict<Claimed> {
  const verdict = judgeClaim(before, { fingerprint, approval, now, leasesAt: new Date(storeNowMs) });
  if (verdict.kind !== 'win') return unchanged(verdict);
  const won: StoredClaim = {
    ...{ ownerId, credentialId, key, fingerprint },
    fence: (before?.fence ?? 0) + 1,
    requestId: before !== undefined && verdict.again ? before.requestId : newRequestId,
    released: false,
    leaseUntil: new Date(storeNowMs + leaseMs),
    sealedOutcome: null,
    approvalId: null,
    createdAt: now,
  };
  return {
    answer: { kind: 'won', fence: won.fence, requestId: won.requestId },
    changes: [put(claims, won)],
  };
}

/** Returns the claim if this run's fence is its newest and the run has not ended it. */
export function heldClaim(
  stored: StoredClaim | undefined,
  { fence }: Pick<ClaimRef, 'fence'>,
): StoredClaim | undefined {
  if (stored === undefined || stored.fence !== fence || stored.released) return undefined;
  return stored.sealedOutcome === null ? stored : undefined;
}

/** Frees the slot, and writes one activity row and what the call showed. */
function finishedCall({ caller, slotId, activity, read, now }: CallEnd): readonly RowChange[] {
  const { ownerId, credentialId } = caller;
  return [
    remove(usage, { ownerId, credentialId, slotId }),
    appendedActivity(ownerId, { ...activity, at: now }),
    ...(read === undefined ? [] : [rememberedRead({ ownerId, credentialId, read, now })]),
  ];
}

/** Completes or releases a claim. Does nothing if it is no longer held. */
function endedClaim(
  { claim: stored, approval }: ClaimFacts,
  end: ClaimRef & { readonly sealedOutcome: string | null },
): readonly RowChange[] {
  const held = heldClaim(stored, end);
  if (held === undefined) return [];
  const over = { ...held, leaseUntil: new Date(0) };
  if (end.sealedOutcome !== null) return [put(claims, { ...over, sealedOutcome: end.sealedOutcome })];
  // The key becomes free, unless it is bound to an approval that will be its result.
  const stays = approval !== undefined && isAnswer(approval);
  return [put(claims, stays ? over : { ...over, released: true, approvalId: null })];
}

/** Extends the leases that are still held. */
function renew(
  facts: ClaimFacts & {
    readonly slot: { readonly credentialId: string; readonly timeMs: number } | undefined;
    readonly followUp: object | undefined;
  },
  { ownerId, slotId, claim: claimed, approval, followUp }: Held,
  leaseMs: number,
  storeNowMs: number,
): Verdict<void> {
  const untilMs = storeNowMs + leaseMs;
  const changes: RowChange[] = [];
  // A slot whose lease has ended no longer counts. Extending it could allow one call too many.
  if (slotId !== undefined && facts.slot !== undefined && facts.slot.timeMs > storeNowMs) {
    const { credentialId } = facts.slot;
    changes.push(update(usage, { ownerId, credentialId, slotId }, { timeMs: untilMs }));
  }
  const held = claimed && heldClaim(facts.claim, claimed);
  if (held !== undefined) changes.push(put(claims, { ...held, leaseUntil: new Date(untilMs) }));
  const run = facts.approval;
  const isHeld =
    run?.state === 'approved' && run.fence === approval?.fence && run.leaseUntilMs !== 'restored';
  if (isHeld) changes.push(savedApproval({ ...run, leaseUntilMs: untilMs }));
  if (followUp !== undefined && facts.followUp !== undefined) {
    changes.push(put(followUps, { ownerId, approvalId: followUp, dueAtMs: untilMs }));
  }
  return { answer: undefined, changes };
}
