import { describe, expect, it } from 'vitest';
import type { Approval } from '../../../core/approvals/approval.ts';
import { REACHES_NOTHING } from '../../../core/keys/fences.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { addFullOwner, NOTHING, readEverything } from './full-owner.ts';
import {
  activity,
  addKey,
  addOwner,
  addOwnerAndKey,
  admit,
  admitted,
  approve,
  ask,
  DONE,
  finish,
  LEASE_MS,
  NOON,
  run,
  SIGNER,
  settle,
  start,
} from './scene.ts';
import { addEndpoint } from './webhook-scene.ts';

/** Adds an owner with the id of a removed one. */
async function addAgain(storage: Storage, ownerId: string): Promise<void> {
  const added = await storage.addOwner({
    signer: SIGNER,
    ...{ ownerId, email: `${ownerId}@example.org`, timezone: 'UTC', plan: 'paid', limits: {} },
    ...{ language: 'en-GB', plansKeptDays: 30, proofFor: 'every_12_hours' as const },
    ...{ passwordHash: null, now: NOON },
  });
  expect(added).toBe(true);
}

export function removalPromises(store: Store): void {
  describe('the removal of an owner', () => {
    it('removes everything, and only of that owner', async () => {
      const { storage } = store();
      const other = await addFullOwner(storage, 'two');
      const others = await readEverything(storage, other.key.ownerId, 'two');
      const { key, running } = await addFullOwner(storage, 'one');
      await settle(storage, running, DONE, { followUp: true });
      const { ownerId } = key;
      expect(await storage.removeOwner(ownerId)).toEqual({ kind: 'removed', accountIds: [1] });
      expect(await storage.owner(ownerId)).toBeUndefined();
      expect(await storage.ownerByEmail(`${ownerId}@example.org`)).toBeUndefined();
      expect(await admit(storage, key)).toEqual({ kind: 'unknown' });
      expect(await readEverything(storage, ownerId, 'one')).toEqual({ ...NOTHING, owner: undefined });
      expect(await readEverything(storage, other.key.ownerId, 'two')).toEqual(others);
      await addAgain(storage, ownerId);
      expect(await readEverything(storage, ownerId, 'one')).toMatchObject(NOTHING);
    });

    it('waits for an action that has started, and changes nothing until it has ended', async () => {
      const { storage } = store();
      const { key, running } = await addFullOwner(storage, 'one');
      const before = await readEverything(storage, key.ownerId, 'one');
      expect(await storage.removeOwner(key.ownerId)).toEqual({ kind: 'running' });
      expect(await readEverything(storage, key.ownerId, 'one')).toEqual(before);
      await settle(storage, running, DONE);
      expect(await storage.removeOwner(key.ownerId)).toMatchObject({ kind: 'removed' });
    });

    it('finds nobody to remove', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      expect(await storage.removeOwner('nobody')).toEqual({ kind: 'not_found' });
      expect(await storage.removeOwner(ownerId)).toEqual({ kind: 'removed', accountIds: [] });
      expect(await storage.removeOwner(ownerId)).toEqual({ kind: 'not_found' });
    });

    it('leaves nothing that a call which still runs could write to', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId, credentialId } = key;
      const [one, two] = [await admitted(storage, key), await admitted(storage, key)];
      const claim = { ...key, key: 'k', fingerprint: 'f', leaseMs: LEASE_MS, now: NOON };
      const won = await storage.claim(claim);
      if (won.kind !== 'won') throw new Error(won.kind);
      const approved = await run(storage, key);
      await storage.removeOwner(ownerId);

      expect(await start(storage, approved)).toBe(false);
      const settlement = {
        ownerId,
        approvalId: approved.id,
        fence: approved.fence,
        now: NOON,
      } as const;
      expect(
        await storage.settle({
          ...settlement,
          ...{ end: DONE, recipients: ['a@x.org'], followUp: true, leaseMs: LEASE_MS },
        }),
      ).toBeUndefined();
      await storage.followUpLater({ ownerId, approvalId: approved.id, retryMs: 0, error: null });
      await storage.rememberRecipients(ownerId, 1, ['known-to-one@x.org'], NOON);
      await storage.renew(
        { ownerId, slotId: one.slotId, claim: { ...won, key: 'k', credentialId } },
        LEASE_MS,
      );
      await finish(storage, key, one);
      await storage.finish({
        ...{ caller: key, slotId: two.slotId, activity: activity(key), now: NOON },
        claim: { key: 'k', fence: won.fence, sealedOutcome: 'sealed' },
      });
      await expect(storage.claim({ ...claim, key: 'late' })).rejects.toMatchObject({ code: 'invalid_token' });

      await addAgain(storage, ownerId);
      expect(await readEverything(storage, ownerId, 'one')).toMatchObject(NOTHING);
      const again = await storage.claim({ ...claim, key: 'late' });
      expect(again).toMatchObject({ kind: 'won', fence: 1 });
    });

    it('never lets a later owner with the same id have the number of an account or endpoint again', async () => {
      const { storage } = store();
      const account = { label: 'l', email: 'l@x.org', signature: '', folderRoles: USUAL_ROLES, now: NOON };
      const ownerId = await addOwner(storage);
      const addAccount = () => storage.addAccount({ ...account, ownerId, seal: () => 'sealed' });
      for (const last of [1, 2, 3]) {
        expect(await addAccount()).toMatchObject({ accountId: last });
        const endpoint = await addEndpoint(storage, await addKey(storage, ownerId));
        expect(endpoint).toMatchObject({ endpointId: last });
        await storage.removeOwner(ownerId);
        await addAgain(storage, ownerId);
      }
      const another = { ...account, ownerId: await addOwner(storage), seal: () => 'sealed' };
      expect(await storage.addAccount(another)).toMatchObject({ accountId: 1 });
    });

    it('and the start of an action never both happen', async () => {
      const { storage, second } = store();
      const other = await second();
      const fates: string[] = [];
      for (let n = 0; n < 10; n += 1) {
        const key = await addOwnerAndKey(storage);
        const approved: Approval = await run(storage, key);
        const [isStarted, removal] = await Promise.all([
          start(other, approved),
          storage.removeOwner(key.ownerId),
        ]);
        fates.push(`${isStarted} ${removal.kind}`);
      }
      for (const fate of fates) expect(['true running', 'false removed']).toContain(fate);
    });

    it('keeps an approval that the owner has given from starting', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { approval } = await approve(storage, await ask(storage, key));
      expect(await storage.removeOwner(key.ownerId)).toMatchObject({ kind: 'removed' });
      expect(await start(storage, approval)).toBe(false);
      const { ownerId, id: approvalId } = approval;
      const decision = { type: 'approve', digest: approval.digest, reach: REACHES_NOTHING } as const;
      const again = { ownerId, approvalId, decision, leaseMs: LEASE_MS, signer: SIGNER, now: NOON };
      expect(await storage.decide(again)).toBeUndefined();
    });
  });
}
