import { describe, expect, it } from 'vitest';
import type { FolderRolesChange } from '../../../core/folders/roles.ts';
import type { Account } from '../../../core/ports/account.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { addOwner, addOwnerAndKey, approve, ask, at, NOON, webhookStates } from './scene.ts';

function addAccount(storage: Storage, ownerId: string, label = 'work'): Promise<Account> {
  return storage.addAccount({
    ownerId,
    label,
    email: `${label}@example.org`,
    signature: `-- ${label}`,
    seal: (accountId) => `settings of ${accountId}`,
    folderRoles: USUAL_ROLES,
    now: NOON,
  });
}

export function accountPromises(store: Store): void {
  describe('accounts', () => {
    it('count per owner, and seal their settings with their id', async () => {
      const { storage } = store();
      for (const ownerId of [await addOwner(storage), await addOwner(storage)]) {
        const first = await addAccount(storage, ownerId);
        const second = await addAccount(storage, ownerId, 'home');
        expect(first).toEqual({
          ownerId,
          accountId: 1,
          label: 'work',
          email: 'work@example.org',
          displayName: '',
          signature: '-- work',
          sealedSettings: 'settings of 1',
          revision: 1,
          isPrimary: true,
          folderRoles: USUAL_ROLES,
          authservId: null,
          isIndexed: true,
          grant: null,
        });
        expect(second).toMatchObject({ accountId: 2, sealedSettings: 'settings of 2', isPrimary: false });
        expect(await storage.accounts(ownerId)).toEqual([first, second]);
      }
    });

    it('keep their folder roles: created if missing, or chosen by the owner', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await addAccount(storage, ownerId);
      const change = (one: FolderRolesChange, accountId = 1) =>
        storage.changeFolderRoles({ ownerId, accountId, change: one });
      const archive = { path: 'Archive', by: 'made' } as const;
      const made = { ...USUAL_ROLES, archive };
      expect(await change({ type: 'made', role: 'archive', path: 'Archive' })).toEqual(made);
      expect(await change({ type: 'made', role: 'archive', path: 'Elsewhere' })).toEqual(made);
      const sent = { path: null, by: 'owner' } as const;
      expect(await change({ type: 'choose', pins: { sent } })).toEqual({ ...made, sent });
      expect(await change({ type: 'made', role: 'sent', path: 'Sent' })).toEqual({ ...made, sent });
      expect(await storage.accounts(ownerId)).toMatchObject([{ folderRoles: { ...made, sent } }]);
      expect(await change({ type: 'made', role: 'archive', path: 'Archive' }, 2)).toBeUndefined();
      const alien = { ownerId: await addOwner(storage), accountId: 1 };
      const deed = { type: 'choose', pins: { sent: { path: 'Mine', by: 'owner' } } } as const;
      expect(await storage.changeFolderRoles({ ...alien, change: deed })).toBeUndefined();
      expect(await storage.accounts(ownerId)).toMatchObject([{ folderRoles: { ...made, sent } }]);
    });

    it('can be edited: their label, display name and signature, whose results count, and whether they have an index', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const before = await addAccount(storage, ownerId);
      const fields = { label: 'desk', displayName: 'Ann Lee', signature: 'Ann' };
      expect(await storage.editAccount({ ownerId, accountId: 1, ...fields })).toBe(true);
      expect(await storage.editAccount({ ownerId, accountId: 2, ...fields })).toBe(false);
      expect(await storage.accounts(ownerId)).toEqual([{ ...before, ...fields }]);
      for (const authservId of ['mx.example.org', null]) {
        expect(await storage.editAccount({ ownerId, accountId: 1, authservId })).toBe(true);
        expect(await storage.accounts(ownerId)).toEqual([{ ...before, ...fields, authservId }]);
      }
      for (const isIndexed of [false, true]) {
        expect(await storage.editAccount({ ownerId, accountId: 1, isIndexed })).toBe(true);
        expect(await storage.accounts(ownerId)).toEqual([{ ...before, ...fields, isIndexed }]);
      }
    });

    it('count how often their settings change, and keep everything else', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const before = await addAccount(storage, ownerId);
      const changed = { ...before, sealedSettings: 'others', revision: 2 };
      const change = { ownerId, sealedSettings: 'others' };
      expect(await storage.changeSettings({ ...change, accountId: 1 })).toEqual(changed);
      expect(await storage.changeSettings({ ...change, accountId: 2 })).toBeUndefined();
      expect(await storage.accounts(ownerId)).toEqual([changed]);
    });

    it('never reuse an id', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await addAccount(storage, ownerId);
      await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'none', now: NOON });
      expect(await addAccount(storage, ownerId)).toMatchObject({ accountId: 2, isPrimary: true });
    });

    it('are not added if their settings cannot be sealed, or if the owner does not exist', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const seal = () => {
        throw new Error('cannot seal');
      };
      const account = {
        ...{ ownerId, label: 'work', email: 'w@example.org', signature: '' },
        ...{ folderRoles: USUAL_ROLES, now: NOON },
      };
      await expect(storage.addAccount({ ...account, seal })).rejects.toThrow('cannot seal');
      expect(await storage.accounts(ownerId)).toEqual([]);
      expect((await storage.owner(ownerId))?.activeAccountId).toBeNull();
      await expect(addAccount(storage, 'nobody')).rejects.toThrow();
    });

    it('have one active account: the first, the chosen one, or the oldest that remains', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const active = async () => (await storage.owner(ownerId))?.activeAccountId;
      expect(await active()).toBeNull();
      for (const label of ['a', 'b', 'c']) await addAccount(storage, ownerId, label);
      expect(await active()).toBe(1);
      expect(await storage.activateAccount(ownerId, 3)).toBe(true);
      expect(await storage.activateAccount(ownerId, 4)).toBe(false);
      expect(await active()).toBe(3);
      expect(await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'none', now: NOON })).toBe(
        true,
      );
      expect(await active()).toBe(3);
      expect(await storage.accounts(ownerId)).toMatchObject([
        { accountId: 2, isPrimary: true },
        { accountId: 3, isPrimary: false },
      ]);
      await storage.removeAccount({ ownerId, accountId: 3, targetsBegin: 'none', now: NOON });
      expect(await active()).toBe(2);
      await storage.removeAccount({ ownerId, accountId: 2, targetsBegin: 'none', now: NOON });
      expect(await active()).toBeNull();
      expect(await storage.removeAccount({ ownerId, accountId: 2, targetsBegin: 'none', now: NOON })).toBe(
        false,
      );
    });

    it('when removed, take their pending approvals and known recipients with them', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      for (const label of ['a', 'b']) await addAccount(storage, ownerId, label);
      for (const id of [1, 2]) await storage.rememberRecipients(ownerId, id, ['a@x.org'], NOON);
      const waiting = await ask(storage, key, { accountId: 1 });
      const approved = (await approve(storage, await ask(storage, key, { accountId: 1 }))).approval;
      const elsewhere = await ask(storage, key, { accountId: 2 });
      const nowhere = await ask(storage, key, { accountId: null, targets: ['two:a', 'x-one:b'] });
      const both = await ask(storage, key, { accountId: null, targets: ['two:b', 'one:b'] });
      await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'one:', now: at(5) });
      for (const { id } of [waiting, both]) {
        expect(await storage.approval(ownerId, id)).toMatchObject({
          state: 'cancelled',
          error: 'account_removed',
          endedAt: at(5),
        });
      }
      expect(await webhookStates(storage, waiting)).toEqual([]);
      for (const approval of [approved, elsewhere, nowhere]) {
        expect(await storage.approval(ownerId, approval.id)).toEqual(approval);
      }
      expect(await storage.knownRecipients(ownerId, 1, ['a@x.org'])).toEqual(new Map());
      expect(await storage.knownRecipients(ownerId, 2, ['a@x.org'])).toEqual(new Map([['a@x.org', 1]]));
    });
  });
}
