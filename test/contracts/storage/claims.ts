import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Store } from '../storage.ts';
import {
  addKey,
  addOwnerAndKey,
  admitted,
  approve,
  ask,
  at,
  DONE,
  filing,
  finish,
  type Key,
  LAPSED_MS,
  LEASE_MS,
  NOON,
  REFUSED,
  run,
  settle,
  start,
} from './scene.ts';

const DAY_MS = 86_400_000;

function claim(
  storage: Storage,
  { ownerId, credentialId }: Key,
  { key = 'k', fingerprint = 'f', leaseMs = LEASE_MS, now = NOON } = {},
): ReturnType<Storage['claim']> {
  return storage.claim({ ownerId, credentialId, key, fingerprint, leaseMs, now });
}

async function won(
  storage: Storage,
  key: Key,
  options: Parameters<typeof claim>[2] = {},
): Promise<{ key: string; fence: number; requestId: string }> {
  const answer = await claim(storage, key, options);
  if (answer.kind !== 'won') throw new Error(`not won: ${answer.kind}`);
  return { key: options.key ?? 'k', fence: answer.fence, requestId: answer.requestId };
}

async function end(
  storage: Storage,
  key: Key,
  ref: { key: string; fence: number },
  sealedOutcome: string | null,
): Promise<void> {
  await finish(storage, key, await admitted(storage, key), { claim: { ...ref, sealedOutcome } });
}

export function claimPromises(store: Store): void {
  describe('claim', () => {
    it('is won once, is in progress while its lease runs, and then has its answer', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ref = await won(storage, key);
      expect(await claim(storage, key)).toEqual({ kind: 'in_progress' });
      await end(storage, key, ref, 'sealed');
      expect(await claim(storage, key)).toEqual({ kind: 'stored', sealedOutcome: 'sealed' });
    });

    it('is refused to a different request, while it runs and afterwards', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ref = await won(storage, key, { leaseMs: LAPSED_MS });
      expect(await claim(storage, key, { fingerprint: 'other' })).toEqual({ kind: 'reused' });
      await end(storage, key, ref, 'sealed');
      expect(await claim(storage, key, { fingerprint: 'other' })).toEqual({ kind: 'reused' });
    });

    it('belongs to one credential', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await won(storage, key);
      await won(storage, await addKey(storage, key.ownerId), { fingerprint: 'other' });
      await won(storage, key, { key: 'K' });
    });

    it('is won again once its lease has expired, with the next fence and the same request id', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const first = await won(storage, key, { leaseMs: LAPSED_MS });
      const second = await won(storage, key);
      expect(second.fence).toBe(first.fence + 1);
      expect(second.requestId).toBe(first.requestId);
      // The first run still exists somewhere and ends now.
      await end(storage, key, first, 'of the first');
      expect(await claim(storage, key)).toEqual({ kind: 'in_progress' });
      await end(storage, key, first, null);
      expect(await claim(storage, key)).toEqual({ kind: 'in_progress' });
      await end(storage, key, second, 'of the second');
      await end(storage, key, first, 'of the first');
      expect(await claim(storage, key)).toEqual({ kind: 'stored', sealedOutcome: 'of the second' });
    });

    it('is free for any request once released, and its fence is never reused', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const first = await won(storage, key);
      await end(storage, key, first, null);
      const second = await won(storage, key, { fingerprint: 'other' });
      expect(second.fence).toBeGreaterThan(first.fence);
      expect(second.requestId).not.toBe(first.requestId);
    });

    it('is gone after 24 hours, answered or not', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ref = await won(storage, key);
      await end(storage, key, ref, 'sealed');
      expect(await claim(storage, key, { now: at(DAY_MS - 1) })).toMatchObject({ kind: 'stored' });
      const next = await won(storage, key, { now: at(DAY_MS), fingerprint: 'other' });
      expect(next.fence).toBeGreaterThan(ref.fence);
      expect(next.requestId).not.toBe(ref.requestId);
    });

    it('gives each claimed key its own request id', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ids = new Set<string>();
      for (let n = 0; n < 20; n++) ids.add((await won(storage, key, { key: `k${n}` })).requestId);
      expect(ids.size).toBe(20);
    });

    it('can be renewed by the run that holds it', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const first = await won(storage, key, { leaseMs: LAPSED_MS });
      const held = { ownerId: key.ownerId, claim: { ...first, credentialId: key.credentialId } };
      await storage.renew(held, LEASE_MS);
      expect(await claim(storage, key)).toEqual({ kind: 'in_progress' });
      await storage.renew(held, LAPSED_MS);
      await won(storage, key);
      await storage.renew(held, LAPSED_MS);
      expect(await claim(storage, key)).toEqual({ kind: 'in_progress' });
    });
  });

  describe('a claim and the approval that its run filed', () => {
    it('are bound: what was filed is the answer once the run is gone', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ref = await won(storage, key, { leaseMs: LAPSED_MS });
      const approval = await ask(storage, key, { claim: ref });
      expect(await claim(storage, key)).toEqual({ kind: 'bound', approvalId: approval.id });
      expect(await claim(storage, key, { fingerprint: 'other' })).toEqual({ kind: 'reused' });
      await approve(storage, approval);
      expect(await claim(storage, key)).toEqual({ kind: 'bound', approvalId: approval.id });
    });

    it('stay bound if the call ends without an answer', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ref = await won(storage, key);
      const approval = await run(storage, key, { claim: ref });
      await end(storage, key, ref, null);
      expect(await claim(storage, key)).toEqual({ kind: 'bound', approvalId: approval.id });
    });

    it.each([
      { ends: 'executed', by: DONE },
      { ends: 'outcome_unknown', by: { type: 'lose' } as const },
    ])('stay bound if it ended $ends', async ({ by }) => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ref = await won(storage, key, { leaseMs: LAPSED_MS });
      const approval = await run(storage, key, { claim: ref });
      await start(storage, approval);
      await settle(storage, approval, by);
      await end(storage, key, ref, null);
      expect(await claim(storage, key)).toEqual({ kind: 'bound', approvalId: approval.id });
    });

    it('are unbound if it ran by policy and failed: released by the call, or after its lease', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const first = await won(storage, key);
      await settle(storage, await run(storage, key, { claim: first }), REFUSED);
      expect(await claim(storage, key)).toEqual({ kind: 'in_progress' });
      await end(storage, key, first, null);
      const second = await won(storage, key, { leaseMs: LAPSED_MS });
      await settle(storage, await run(storage, key, { claim: second }), REFUSED);
      const third = await won(storage, key);
      expect([second.fence, third.fence]).toEqual([first.fence + 1, first.fence + 2]);
    });

    it('are not bound by a run that has lost its claim', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const lost = await won(storage, key, { leaseMs: LAPSED_MS });
      const current = await won(storage, key);
      const request = filing(key, { claim: lost });
      expect(await storage.file(request)).toMatchObject({
        kind: 'refuse',
        error: { code: 'idempotency_in_progress' },
      });
      expect(await storage.approval(key.ownerId, request.approvalId)).toBeUndefined();
      await run(storage, key, { claim: current });
    });

    it('are bound once per run', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ref = await won(storage, key);
      await run(storage, key, { claim: ref });
      expect(await storage.file(filing(key, { claim: ref }))).toMatchObject({ kind: 'refuse' });
    });
  });
}
