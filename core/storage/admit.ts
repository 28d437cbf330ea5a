import { judgeLimits, limitsOf, nextUtcMidnight } from '../gate/limits.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, CallerFacts, Judged } from '../ports/store.ts';
import type { Signer } from '../secrets/keyring.ts';
import { DAY_MS } from '../time/durations.ts';
import { isCredentialIntact, isSecretIntact } from './signed-rows.ts';
import { credentialAt, hasLiveSecret } from './standing.ts';

type Admission = Awaited<ReturnType<Storage['admit']>>;

/** Decides whether to admit a call. Also frees slots whose lease has ended. */
export function admit(
  facts: CallerFacts | undefined,
  { slotId, leaseMs, signer, now }: { slotId: string; leaseMs: number; signer: Signer; now: Date },
  storeNowMs: number,
): Judged<Admission> {
  if (facts === undefined || facts.credential.revokedAt !== null || !isLive(facts, now)) {
    return { answer: { kind: 'unknown' }, changes: [] };
  }
  const { secret } = facts;
  if (!isCredentialIntact(facts.credential, signer) || (secret !== null && !isSecretIntact(secret, signer))) {
    return { answer: { kind: 'altered', credentialId: facts.credential.credentialId }, changes: [] };
  }
  const { owner, accounts, usage } = facts;
  const credential = credentialAt(facts.credential, false, now);
  const { ownerId, credentialId } = credential;
  // The store's clock is the same for every host, even if the clocks of the hosts differ.
  const storeNow = new Date(storeNowMs);
  const dayMs = nextUtcMidnight(storeNow).getTime() - DAY_MS;
  const callsToday = usage.day?.startedAtMs === dayMs ? usage.day.count : 0;
  const lapsed = usage.slots.filter(({ leaseUntilMs }) => leaseUntilMs <= storeNowMs);
  const changes: AnyChange[] = lapsed.map((slot) => ({
    type: 'give_slot',
    ownerId,
    credentialId,
    slotId: slot.slotId,
  }));
  const verdict = judgeLimits(
    { minute: usage.minute, callsToday, inFlight: usage.slots.length - lapsed.length },
    limitsOf(owner.plan, owner.limits),
    storeNow,
  );
  if (verdict.kind === 'over') return { answer: { kind: 'over', verdict }, changes };
  const day = { startedAtMs: dayMs, count: callsToday + 1 };
  const leaseUntilMs = storeNowMs + leaseMs;
  const { minute } = verdict;
  changes.push({ type: 'count_call', ownerId, credentialId, at: now, minute, day, slotId, leaseUntilMs });
  const caller = { owner, credential, accounts, slotId };
  return { answer: { kind: 'admitted', caller, rate: verdict.rate }, changes };
}

function isLive({ secret, credential }: CallerFacts, now: Date): boolean {
  return secret === null ? hasLiveSecret(credential, now) : secret.expiresAt > now;
}
