import { describe, expect, it } from 'vitest';
import type { ShownMessage } from '../../../core/accounts/message-handle-storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { DAY_MS } from '../../../core/time/durations.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { addOwner, at, erasing, NOON } from './scene.ts';

/** A message whose row contains its name. One named `x of f` is what was `x` before its folder was numbered anew. */
export function shown(name: string, candidates: readonly number[], accountId = 1): ShownMessage {
  return {
    accountId,
    candidates: candidates.map((handle) => ({
      handle,
      isForNew: handle !== 200 && handle !== 201,
      isOfPlace: false,
    })),
    seal: (handle) => `${name} as ${handle}`,
    compare: ({ sealed, handle }) =>
      sealed === `${name} as ${handle}` ? 'same' : sealed.startsWith(`old ${name} `) ? 'renumbered' : 'other',
  };
}

export async function connect(storage: Storage, ownerId: string, email = 'a@example.org'): Promise<number> {
  const account = {
    ownerId,
    label: 'a',
    email,
    signature: '',
    seal: () => '',
    folderRoles: USUAL_ROLES,
    now: NOON,
  };
  return (await storage.addAccount(account)).accountId;
}

export function messageHandlePromises(store: Store): void {
  describe('message handles', () => {
    it('are the first candidate that nothing else has, and stay', async () => {
      const { storage, reopen } = store();
      const ownerId = await addOwner(storage);
      await connect(storage, ownerId);
      const messages = [shown('a', [1, 11]), shown('b', [1, 12]), shown('c', [3, 13])];
      expect(await storage.messageHandles(ownerId, messages, NOON)).toEqual([1, 12, 3]);
      const again = [shown('d', [12, 4]), ...messages.toReversed()];
      expect(await storage.messageHandles(ownerId, again, NOON)).toEqual([4, 3, 12, 1]);
      expect(await (await reopen()).messageHandles(ownerId, again, NOON)).toEqual([4, 3, 12, 1]);
    });

    it('are given once to a message that is shown twice, and nothing is asked for none', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await connect(storage, ownerId);
      expect(await storage.messageHandles(ownerId, [shown('a', [1]), shown('a', [1])], NOON)).toEqual([1, 1]);
      expect(await storage.messageHandles(ownerId, [], NOON)).toEqual([]);
    });

    it('that are for nothing new are found, but never given', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await connect(storage, ownerId);
      expect(await storage.messageHandles(ownerId, [shown('a', [5])], NOON)).toEqual([5]);
      const rotated = {
        ...shown('a', [200, 5]),
        candidates: [
          { handle: 6, isForNew: true, isOfPlace: false },
          { handle: 5, isForNew: false, isOfPlace: false },
        ],
      };
      expect(await storage.messageHandles(ownerId, [rotated], NOON)).toEqual([5]);
      expect(await storage.messageHandles(ownerId, [shown('b', [200, 7])], NOON)).toEqual([7]);
      await expect(storage.messageHandles(ownerId, [shown('c', [5, 7, 201])], NOON)).rejects.toThrow('taken');
      expect(await storage.handledMessages(ownerId, [5, 6, 7, 200, 201])).toMatchObject([
        { handle: 5 },
        { handle: 7 },
      ]);
    });

    it('lead back to what was sealed, only for their owner', async () => {
      const { storage } = store();
      const [ada, bob] = [await addOwner(storage), await addOwner(storage)];
      const accountId = await connect(storage, ada);
      await storage.messageHandles(
        ada,
        [shown('a', [9_999_999_999_999, 1], accountId), shown('b', [0, 2])],
        NOON,
      );
      const kept = await storage.handledMessages(ada, [9_999_999_999_999, 0, 1]);
      expect(kept.toSorted((a, b) => a.handle - b.handle)).toEqual([
        { ownerId: ada, handle: 0, accountId, sealed: 'b as 0', seen: NOON },
        { ownerId: ada, handle: 9_999_999_999_999, accountId, sealed: 'a as 9999999999999', seen: NOON },
      ]);
      expect(await storage.handledMessages(bob, [0, 1])).toEqual([]);
      expect(await storage.handledMessages(ada, [])).toEqual([]);
    });

    it('stay with a message whose folder was numbered anew, and with one that was moved', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await connect(storage, ownerId);
      await storage.messageHandles(ownerId, [shown('old a', [1])], NOON);
      expect(await storage.messageHandles(ownerId, [shown('a', [1, 2])], NOON)).toEqual([1]);
      expect(await storage.handledMessages(ownerId, [1, 2])).toMatchObject([{ sealed: 'a as 1' }]);
      await storage.replaceHandledMessages(ownerId, [{ accountId: 1, handle: 1, sealed: 'moved as 1' }]);
      await storage.replaceHandledMessages(ownerId, [{ accountId: 1, handle: 2, sealed: 'nothing' }]);
      expect(await storage.handledMessages(ownerId, [1, 2])).toMatchObject([{ sealed: 'moved as 1' }]);
      expect(await storage.messageHandles(ownerId, [shown('moved', [1, 2])], NOON)).toEqual([1]);
    });

    it('are erased when they were not shown for long', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await connect(storage, ownerId);
      await storage.messageHandles(ownerId, [shown('a', [1]), shown('b', [2])], NOON);
      // Within a day, nothing is written.
      await storage.messageHandles(ownerId, [shown('a', [1])], at(DAY_MS - 1));
      expect(await storage.handledMessages(ownerId, [1])).toMatchObject([{ seen: NOON }]);
      await storage.messageHandles(ownerId, [shown('a', [1])], at(DAY_MS));
      expect(await storage.handledMessages(ownerId, [1])).toMatchObject([{ seen: at(DAY_MS) }]);
      await storage.erase(erasing({ messageHandlesBefore: NOON }));
      expect(await storage.handledMessages(ownerId, [1, 2])).toHaveLength(2);
      await storage.erase(erasing({ messageHandlesBefore: at(DAY_MS) }));
      expect(await storage.handledMessages(ownerId, [1, 2])).toMatchObject([{ handle: 1 }]);
      // It gets the same one again.
      expect(await storage.messageHandles(ownerId, [shown('b', [2])], at(DAY_MS))).toEqual([2]);
    });

    it('are erased with their account, and not kept for one that is gone', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const first = await connect(storage, ownerId);
      const second = await connect(storage, ownerId, 'b@example.org');
      const messages = [shown('a', [1], first), shown('b', [2], second)];
      await storage.messageHandles(ownerId, messages, NOON);
      await storage.removeAccount({ ownerId, accountId: first, targetsBegin: '', now: NOON });
      expect(await storage.handledMessages(ownerId, [1, 2])).toMatchObject([{ handle: 2 }]);
      expect(await storage.messageHandles(ownerId, messages, NOON)).toEqual([1, 2]);
      expect(await storage.handledMessages(ownerId, [1, 2])).toMatchObject([{ handle: 2 }]);
      await storage.removeOwner(ownerId);
      expect(await storage.handledMessages(ownerId, [1, 2])).toEqual([]);
      expect(await storage.messageHandles(ownerId, messages, NOON)).toEqual([1, 2]);
    });
  });
}
