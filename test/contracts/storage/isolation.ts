import { describe, expect, it } from 'vitest';
import { REACHES_NOTHING } from '../../../core/keys/fences.ts';
import type { Store } from '../storage.ts';
import { addFullOwner, NOTHING, readEverything } from './full-owner.ts';
import {
  addOwner,
  at,
  DIRECT,
  DONE,
  filing,
  HELD,
  LAPSED_MS,
  LEASE_MS,
  NOON,
  reject,
  SIGNER,
} from './scene.ts';
import { link } from './trackers.ts';
import { advance, leased } from './watch-scene.ts';

export function isolationPromises(store: Store): void {
  describe('owners are apart', () => {
    it('an owner without anything sees nothing of another, by any id', async () => {
      const { storage } = store();
      const { key, waiting } = await addFullOwner(storage, 'one');
      const ownerId = await addOwner(storage);
      expect(await readEverything(storage, ownerId, 'none')).toEqual({
        owner: await storage.owner(ownerId),
        ...NOTHING,
      });
      expect(await storage.approval(ownerId, waiting.id)).toBeUndefined();
      expect(await storage.plan(ownerId, waiting.id)).toBeUndefined();
      const query = {
        ownerId,
        credentialId: key.credentialId,
        state: 'all',
        after: undefined,
        limit: 9,
      } as const;
      expect(await storage.approvals(query)).toEqual({ approvals: [], more: false });
    });

    it('an owner changes nothing of another, by any id and by any verb', async () => {
      const { storage } = store();
      const { key, ...one } = await addFullOwner(storage, 'one');
      const expiresAt = at(86_400_000);
      const before = await readEverything(storage, key.ownerId, 'one');
      const ownerId = await addOwner(storage);
      const alien = { ownerId, credentialId: key.credentialId, signer: SIGNER, now: at(1) };

      for (const decision of [
        { type: 'approve', digest: one.waiting.digest, reach: REACHES_NOTHING },
        { type: 'reject' },
      ] as const) {
        const request = { ...alien, approvalId: one.waiting.id, decision, leaseMs: LEASE_MS };
        expect(await storage.decide(request)).toBeUndefined();
      }
      expect(await storage.cancel({ ...alien, approvalId: one.waiting.id })).toBeUndefined();
      expect(
        await storage.start({
          ...alien,
          approvalId: one.approved.id,
          fence: 1,
          reach: REACHES_NOTHING,
          relocated: [{ mark: 'mark', movedIn: { accountId: 1, identity: 'alien' } }],
        }),
      ).toBe(false);
      const settlement = { end: DONE, recipients: ['a@x.org'], followUp: true, leaseMs: LEASE_MS } as const;
      const alienSettlement = { ...alien, approvalId: one.running.id, fence: 1, ...settlement };
      expect(await storage.settle(alienSettlement)).toBeUndefined();
      expect(await storage.file(filing({ ...key, ownerId }, { call: HELD }))).toMatchObject({
        kind: 'refuse',
      });
      expect(await storage.rotate({ ...alien, secretHash: 'new', expiresAt, overlapMs: 0 })).toBeUndefined();
      expect(await storage.revoke(alien)).toBeUndefined();
      expect(await storage.setModes({ ...alien, modes: { ...DIRECT, 'mail:send': 'off' } })).toBeUndefined();
      expect(await storage.activateAccount(ownerId, 1)).toBe(false);
      expect(await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'none', now: NOON })).toBe(
        false,
      );
      expect(await storage.setTrackerStatus({ ...alien, trackerId: 1, status: 'resolved' })).toBeUndefined();
      const content = { kind: 'note', note: 'alien' } as const;
      expect(await link(storage, ownerId, 'note:alien', content)).toBeUndefined();
      expect(await leased(storage, ownerId)).toEqual([]);
      expect(await advance(storage, ownerId, 'links', { fence: 1 })).toBe(false);
      await storage.releaseInboxes(ownerId, new Map([[1, 1]]));
      const summary = { text: 'alien', nextAction: '', importance: 'low', sourceCount: 1 } as const;
      await storage.saveSummary({ ownerId, trackerId: 1, summary, upTo: 99 });
      await storage.setPassword(ownerId, 'new', SIGNER);
      const session = { ownerId, sessionId: 'ses_same' };
      await storage.useSession({ ...session, now: at(1) });
      expect(
        await storage.confirmSession({ signer: SIGNER, ...session, proofKey: 'alien', now: at(1) }),
      ).toBe(false);
      expect(await storage.takeProof({ ...session, nonce: 'unused' })).toBe(false);
      expect(await storage.endSession(ownerId, 'ses_same')).toBe(false);
      expect(await storage.endOtherSessions(ownerId, 'none')).toBe(0);
      await storage.followedUp({ ownerId, approvalId: one.done.id });
      await storage.followUpLater({
        ownerId,
        approvalId: one.done.id,
        retryMs: LAPSED_MS,
        error: 'sent_copy_refused',
      });
      await storage.renew(
        {
          ownerId,
          approval: { id: one.running.id, fence: 1 },
          claim: { key: 'k', fence: one.fence, credentialId: key.credentialId },
          followUp: one.done.id,
        },
        LAPSED_MS,
      );
      expect(await readEverything(storage, key.ownerId, 'one')).toEqual(before);
      // Leases are unchanged: nothing has lapsed.
      expect(
        await storage.reclaim({ running: new Set(), leaseMs: LEASE_MS, limit: 9, signer: SIGNER, now: NOON }),
      ).toEqual({
        runs: [],
        followUps: [],
      });
      const claim = { ...key, key: 'k', fingerprint: 'f', leaseMs: LEASE_MS, now: NOON };
      expect(await storage.claim(claim)).toEqual({ kind: 'in_progress' });
    });

    it('two owners may use the same ids, and each changes only its own rows', async () => {
      const { storage } = store();
      const one = await addFullOwner(storage, 'one');
      const before = await readEverything(storage, one.key.ownerId, 'one');
      const two = await addFullOwner(storage, 'two');
      expect(await readEverything(storage, one.key.ownerId, 'one')).toEqual(before);
      const target = filing(two.key, { targets: ['t'], call: { ...HELD, targeted: true } });
      expect(await storage.file(target)).toMatchObject({
        error: { details: { approval_id: two.waiting.id } },
      });
      await reject(storage, two.waiting);
      await storage.endSession(two.key.ownerId, 'ses_same');
      await storage.revoke({ signer: SIGNER, ...two.key, now: NOON });
      await storage.removeAccount({
        ownerId: two.key.ownerId,
        accountId: 1,
        targetsBegin: 'none',
        now: NOON,
      });
      expect(await readEverything(storage, one.key.ownerId, 'one')).toEqual(before);
      expect(await readEverything(storage, two.key.ownerId, 'two')).not.toEqual(before);
    });
  });
}
