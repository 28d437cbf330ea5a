import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';
import type { InboxPosition } from '../../../core/ports/watch-storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { addOwner, at, NOON } from './scene.ts';
import { addTracker, link, linkedMessage, read } from './trackers.ts';

function addAccount(storage: Storage, ownerId: string) {
  const account = { ownerId, label: 'work', email: 'work@example.org', signature: '', now: NOON };
  const seal = (accountId: number) => `settings of ${accountId}`;
  return storage.addAccount({ ...account, seal, folderRoles: USUAL_ROLES });
}

async function watchedOwner(storage: Storage): Promise<string> {
  const ownerId = await addOwner(storage);
  await addAccount(storage, ownerId);
  await addTracker(storage, ownerId);
  return ownerId;
}

const FIRST: InboxPosition = { uidValidity: '18446744073709551615', uid: 4_294_967_295 };
const EMPTY: InboxPosition = { uidValidity: null, uid: 0 };
const NEXT: InboxPosition = { uidValidity: '7', uid: 8 };

/** Moves the inbox of account 1. */
function move(
  storage: Storage,
  ownerId: string,
  from: InboxPosition | undefined,
  to: InboxPosition,
  linked: readonly (readonly [trackerId: number, id: string])[] = [],
) {
  const links = linked.map(([trackerId, id]) => ({
    trackerId,
    target: `message:${id}`,
    message: linkedMessage(id),
  }));
  return storage.watched({ ownerId, accountId: 1, from, to, links, now: at(5000) });
}

async function positionOf(storage: Storage, ownerId: string) {
  const inboxes = await storage.inboxesToWatch();
  return inboxes.find(({ account }) => account.ownerId === ownerId && account.accountId === 1)?.position;
}

export function watchPromises(store: Store): void {
  describe('inboxes to watch', () => {
    it('are those of owners with an active tracker that has keywords', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await addAccount(storage, ownerId);
      const without = await addOwner(storage);
      await addAccount(storage, without);
      await addTracker(storage, without, { keywords: '' });
      const inboxes = await storage.inboxesToWatch();
      expect(inboxes).toEqual(
        (await storage.accounts(ownerId)).map((account) => ({ account, position: undefined })),
      );
      expect(inboxes).toHaveLength(2);
      for (const status of ['waiting', 'resolved', 'open'] as const) {
        await storage.setTrackerStatus({ ownerId, trackerId: 1, status, now: NOON });
        expect(await storage.inboxesToWatch()).toHaveLength(status === 'resolved' ? 0 : 2);
        expect(await storage.waitingTrackers(ownerId)).toEqual(
          status === 'resolved' ? [] : [{ trackerId: 1, keywords: 'atlas', createdAt: NOON }],
        );
      }
    });

    it('keep their position until no tracker needs it', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      for (const [from, to] of [
        [undefined, EMPTY],
        [EMPTY, FIRST],
        [FIRST, NEXT],
      ] as const) {
        expect(await move(storage, ownerId, from, to)).toBe(true);
        expect(await positionOf(storage, ownerId)).toEqual(to);
      }
      await storage.setTrackerStatus({ ownerId, trackerId: 1, status: 'resolved', now: NOON });
      await storage.inboxesToWatch();
      await storage.setTrackerStatus({ ownerId, trackerId: 1, status: 'open', now: NOON });
      expect(await positionOf(storage, ownerId)).toBeUndefined();
    });

    it('are forgotten with their account', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await move(storage, ownerId, undefined, FIRST);
      await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'none', now: NOON });
      expect(await storage.inboxesToWatch()).toEqual([]);
      expect(await move(storage, ownerId, undefined, FIRST, [[1, 'a']])).toBe(false);
      expect(await move(storage, ownerId, FIRST, NEXT, [[1, 'a']])).toBe(false);
      expect((await read(storage, ownerId))?.total).toBe(0);
    });
  });

  describe('a step of the watch', () => {
    it('moves the inbox on and links what was found, together', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await addTracker(storage, ownerId, { title: 'Second' });
      expect(
        await move(storage, ownerId, undefined, FIRST, [
          [1, 'a'],
          [2, 'a'],
          [1, 'b'],
        ]),
      ).toBe(true);
      const first = await read(storage, ownerId);
      expect(first?.tracker.lastAutoLinkAt).toEqual(at(5000));
      expect(first?.links).toMatchObject([
        {
          linkId: 3,
          addedBy: 'auto',
          createdAt: at(5000),
          content: { kind: 'mail', message: linkedMessage('b') },
        },
        { linkId: 1, addedBy: 'auto' },
      ]);
      expect((await read(storage, ownerId, 2))?.total).toBe(1);
    });

    it('changes nothing if the inbox has a different position', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await move(storage, ownerId, undefined, FIRST);
      for (const from of [undefined, EMPTY, NEXT, { ...FIRST, uid: 1 }]) {
        expect(await move(storage, ownerId, from, NEXT, [[1, 'a']])).toBe(false);
      }
      expect(await positionOf(storage, ownerId)).toEqual(FIRST);
      expect((await read(storage, ownerId))?.total).toBe(0);
    });

    it('is won by one of several processes that look at once', async () => {
      const { storage, second } = store();
      const ownerId = await watchedOwner(storage);
      const other = await second();
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          move(n % 2 === 0 ? storage : other, ownerId, undefined, FIRST, [[1, `mail ${n}`]]),
        ),
      );
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect((await read(storage, ownerId))?.total).toBe(1);
    });

    it('links nothing to a tracker that is resolved or missing, and nothing twice', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await addTracker(storage, ownerId, { title: 'Resolved' });
      await storage.setTrackerStatus({ ownerId, trackerId: 2, status: 'resolved', now: NOON });
      const message = linkedMessage('a');
      const byAgent = await link(storage, ownerId, 'message:a', { kind: 'mail', message });
      expect(
        await move(storage, ownerId, undefined, FIRST, [
          [1, 'a'],
          [2, 'a'],
          [3, 'a'],
        ]),
      ).toBe(true);
      const found = await read(storage, ownerId);
      expect(found?.links).toEqual([byAgent]);
      expect(found?.tracker.lastAutoLinkAt).toBeNull();
      expect((await read(storage, ownerId, 2))?.total).toBe(0);
    });
  });

  describe('summaries', () => {
    const summary = { text: 'Text', nextAction: 'Call', importance: 'important', sourceCount: 2 } as const;
    const due = (storage: Storage, messages = 20) => storage.summariesDue({ messages, limit: 100 });

    it('are due when a message has arrived, with the newest messages', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await link(storage, ownerId, 'note:1', { kind: 'note', note: 'x' });
      expect(await due(storage)).toEqual([]);
      await link(storage, ownerId, 'message:a', { kind: 'mail', message: linkedMessage('a') });
      await move(storage, ownerId, undefined, FIRST, [
        [1, 'b'],
        [1, 'c'],
      ]);
      const tracker = (await read(storage, ownerId))?.tracker;
      expect(await due(storage, 2)).toEqual([
        { tracker, messages: [linkedMessage('c'), linkedMessage('b')], upTo: 4 },
      ]);
    });

    it('are due in turns of the owners', async () => {
      const { storage } = store();
      const owners = [await watchedOwner(storage), await watchedOwner(storage)];
      for (const ownerId of owners) {
        await addTracker(storage, ownerId, { title: 'Borealis' });
        await move(storage, ownerId, undefined, FIRST, [
          [1, 'a'],
          [2, 'b'],
        ]);
      }
      const first = await storage.summariesDue({ messages: 1, limit: 2 });
      expect(first.map(({ tracker }) => tracker.ownerId).toSorted()).toEqual(owners.toSorted());
      expect(await storage.summariesDue({ messages: 1, limit: 10 })).toHaveLength(4);
    });

    it('are stored, and due again if another message has arrived meanwhile', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await link(storage, ownerId, 'message:a', { kind: 'mail', message: linkedMessage('a') });
      await link(storage, ownerId, 'message:b', { kind: 'mail', message: linkedMessage('b') });
      await storage.saveSummary({ ownerId, trackerId: 1, summary, upTo: 1 });
      expect((await read(storage, ownerId))?.tracker.summary).toEqual(summary);
      expect((await due(storage)).map(({ upTo }) => upTo)).toEqual([2]);
      await storage.saveSummary({ ownerId, trackerId: 1, summary: { ...summary, text: 'Newer' }, upTo: 2 });
      expect(await due(storage)).toEqual([]);
      await storage.saveSummary({ ownerId, trackerId: 1, summary: { ...summary, text: 'Late' }, upTo: 1 });
      expect((await read(storage, ownerId))?.tracker.summary.text).toBe('Newer');
    });
  });
}
