import { describe, expect, it } from 'vitest';
import { REACHES_NOTHING } from '../../../core/keys/fences.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { InboxPosition, InboxReader } from '../../../core/watching/inbox-state.ts';
import type { Store } from '../storage.ts';
import { addKey, addOwner, at, DIRECT, erasing, type Key, LAPSED_MS, NOON, run, SIGNER } from './scene.ts';
import { addTracker, link, linkedMessage, read } from './trackers.ts';
import { AT_START, addAccount, advance, FIRST, leased } from './watch-scene.ts';
import { addEndpoint } from './webhook-scene.ts';

async function watchedOwner(storage: Storage): Promise<string> {
  const ownerId = await addOwner(storage);
  await addAccount(storage, ownerId);
  await addTracker(storage, ownerId);
  return ownerId;
}

/** An owner whose only key has an endpoint. */
async function ownerWithEndpoint(storage: Storage): Promise<Key> {
  const ownerId = await addOwner(storage);
  await addAccount(storage, ownerId);
  const key = await addKey(storage, ownerId);
  await addEndpoint(storage, key);
  return key;
}

const NEXT: InboxPosition = { ...AT_START, uidValidity: '7', uid: 8 };

function linksTo(linked: readonly (readonly [trackerId: number, id: string])[]) {
  return linked.map(([trackerId, id]) => ({
    trackerId,
    target: `message:${id}`,
    message: linkedMessage(id),
  }));
}

/** The position of a reader of account 1, as its holder gets it. */
async function positionOf(storage: Storage, ownerId: string, reader: InboxReader, now = NOON) {
  const [inbox] = await leased(storage, ownerId, { held: new Map([[1, 1]]), now });
  return inbox?.positions[reader];
}

async function messagesOf(storage: Storage, ownerId: string) {
  const events = await storage.events({ ownerId, afterId: 0, limit: 100 });
  return events.flatMap(({ type, data, credentialId }) =>
    type === 'message.received' ? [{ ...data, credentialId }] : [],
  );
}

export function watchPromises(store: Store): void {
  describe('inboxes', () => {
    it('are watched for links if the owner has an active tracker with keywords', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await addAccount(storage, ownerId, 'home@example.org');
      const without = await addOwner(storage);
      await addAccount(storage, without);
      await addTracker(storage, without, { keywords: '' });
      const inbox = (accountId: number) => ({ ownerId, accountId, isLeased: false });
      expect(await storage.inboxesToWatch(false)).toEqual([inbox(1), inbox(2)]);
      expect(await leased(storage, without)).toEqual([]);
      expect(await leased(storage, ownerId)).toEqual(
        (await storage.accounts(ownerId)).map((account) => ({
          account,
          fence: 1,
          positions: { events: undefined, links: AT_START },
        })),
      );
      const held = new Map([
        [1, 1],
        [2, 1],
      ]);
      for (const status of ['waiting', 'resolved', 'open'] as const) {
        await storage.setTrackerStatus({ ownerId, trackerId: 1, status, now: NOON });
        expect(await storage.inboxesToWatch(false)).toHaveLength(status === 'resolved' ? 0 : 2);
        expect(await leased(storage, ownerId, { held })).toHaveLength(status === 'resolved' ? 0 : 2);
        expect(await storage.waitingTrackers(ownerId)).toEqual(
          status === 'resolved' ? [] : [{ trackerId: 1, keywords: 'atlas', createdAt: NOON }],
        );
      }
    });

    it('are watched for events if an endpoint may receive new mail now', async () => {
      const { storage } = store();
      const key = await ownerWithEndpoint(storage);
      const { ownerId, credentialId } = key;
      const isWatched = async () => {
        const [inbox] = await leased(storage, ownerId, { leaseMs: LAPSED_MS });
        return inbox?.positions.events !== undefined;
      };
      const change = { ownerId, credentialId, signer: SIGNER, now: NOON };
      expect(await isWatched()).toBe(true);
      await storage.setModes({ ...change, modes: { ...DIRECT, 'mail:read': 'off' } });
      expect(await isWatched()).toBe(false);
      await storage.setModes({ ...change, modes: DIRECT });
      expect(await isWatched()).toBe(true);
      await storage.removeEndpoint(ownerId, 1);
      expect(await isWatched()).toBe(false);
      const { endpointId } = await addEndpoint(storage, key, { types: ['approval.decided'] });
      expect(await isWatched()).toBe(false);
      expect(await storage.inboxesToWatch(false)).toEqual([]);
      await storage.removeEndpoint(ownerId, endpointId);
      await addEndpoint(storage, key);
      expect(await isWatched()).toBe(true);
      await storage.revoke(change);
      expect(await isWatched()).toBe(false);
    });

    it('are all watched for events if a process asks for all of them', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      await addAccount(storage, ownerId);
      expect(await storage.inboxesToWatch(false)).toEqual([]);
      expect(await storage.inboxesToWatch(true)).toEqual([{ ownerId, accountId: 1, isLeased: false }]);
      expect(await leased(storage, ownerId, { all: true })).toMatchObject([
        { fence: 1, positions: { events: AT_START, links: undefined } },
      ]);
    });

    it('have one holder at a time, among several processes', async () => {
      const { storage, second } = store();
      const ownerId = await watchedOwner(storage);
      const other = await second();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => leased(n % 2 === 0 ? storage : other, ownerId)),
      );
      expect(answers.filter((inboxes) => inboxes.length === 1)).toHaveLength(1);
      expect(await storage.inboxesToWatch(false)).toMatchObject([{ isLeased: true }]);
      // Its holder renews it; nobody else can.
      expect(await leased(other, ownerId, { held: new Map([[1, 7]]) })).toEqual([]);
      expect(await leased(other, ownerId, { held: new Map([[1, 1]]) })).toMatchObject([{ fence: 1 }]);
    });

    it('get a new holder with a higher fence once the lease has ended or is given back', async () => {
      const { storage, second } = store();
      const ownerId = await watchedOwner(storage);
      const other = await second();
      await leased(storage, ownerId, { leaseMs: LAPSED_MS });
      expect(await storage.inboxesToWatch(false)).toMatchObject([{ isLeased: false }]);
      expect(await leased(other, ownerId)).toMatchObject([{ fence: 2 }]);
      // The first holder is too late.
      expect(await leased(storage, ownerId, { held: new Map([[1, 1]]) })).toEqual([]);
      await storage.releaseInboxes(ownerId, new Map([[1, 1]]));
      expect(await leased(storage, ownerId)).toEqual([]);
      await other.releaseInboxes(ownerId, new Map([[1, 2]]));
      expect(await leased(storage, ownerId)).toMatchObject([{ fence: 3 }]);
    });

    it('are forgotten with their account', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await advance(storage, ownerId, 'links');
      await storage.removeAccount({ ownerId, accountId: 1, targetsBegin: 'none', now: NOON });
      expect(await storage.inboxesToWatch(true)).toEqual([]);
      expect(await leased(storage, ownerId, { held: new Map([[1, 1]]) })).toEqual([]);
      const links = linksTo([[1, 'a']]);
      expect(await advance(storage, ownerId, 'links', { fence: 1, from: FIRST, to: NEXT, links })).toBe(
        false,
      );
      expect((await read(storage, ownerId))?.total).toBe(0);
    });
  });

  describe('a reader of an inbox', () => {
    it('keeps its position, whoever leases the inbox', async () => {
      const { storage, second } = store();
      const ownerId = await watchedOwner(storage);
      expect(await advance(storage, ownerId, 'links')).toBe(true);
      expect(await positionOf(storage, ownerId, 'links')).toEqual(FIRST);
      await storage.releaseInboxes(ownerId, new Map([[1, 1]]));
      expect(await leased(await second(), ownerId)).toMatchObject([{ positions: { links: FIRST } }]);
    });

    it('starts with mail since the creation of what waits, if that was at most a day ago', async () => {
      const { storage } = store();
      const startS = async (now: Date) => {
        const [inbox] = await leased(storage, await watchedOwner(storage), { now });
        return inbox?.positions.links?.sinceS;
      };
      const day = 24 * 3_600_000;
      expect(await startS(at(day))).toBe(NOON.getTime() / 1000);
      expect(await startS(at(day + 1))).toBe((NOON.getTime() + day - 600_000) / 1000);
    });

    it('that ended starts again with mail since then, or since the creation of something newer', async () => {
      const { storage } = store();
      const key = await ownerWithEndpoint(storage);
      const { ownerId, credentialId } = key;
      await advance(storage, ownerId, 'events');
      const modes = (mode: 'on' | 'off', now: Date) =>
        storage.setModes({
          ownerId,
          credentialId,
          modes: { ...DIRECT, 'mail:read': mode },
          signer: SIGNER,
          now,
        });
      await modes('off', at(1000));
      expect(await positionOf(storage, ownerId, 'events', at(2000))).toBeUndefined();
      await modes('on', at(8000));
      const again = { ...AT_START, sinceS: AT_START.sinceS + 9 };
      expect(await leased(storage, ownerId, { now: at(9000) })).toMatchObject([
        { fence: 2, positions: { events: again } },
      ]);
    });
  });

  describe('a step of a reader', () => {
    it('moves it on and adds what was found, together and in order', async () => {
      const { storage } = store();
      const { ownerId } = await ownerWithEndpoint(storage);
      const received = ['m1_a', 'm1_b', 'm1_c'].map((messageId) => ({ identity: messageId, messageId }));
      expect(await advance(storage, ownerId, 'events', { received })).toBe(true);
      expect(await messagesOf(storage, ownerId)).toEqual(
        received.map(({ messageId }) => ({ account_id: 1, message_id: messageId, credentialId: null })),
      );

      await addTracker(storage, ownerId);
      await addTracker(storage, ownerId, { title: 'Second' });
      await positionOf(storage, ownerId, 'links');
      const links = linksTo([
        [1, 'a'],
        [2, 'a'],
        [1, 'b'],
      ]);
      expect(await advance(storage, ownerId, 'links', { fence: 1, links, now: at(5000) })).toBe(true);
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

    it('changes nothing with a lost fence, from a different position, or for a reader that has ended', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await advance(storage, ownerId, 'links');
      const links = linksTo([[1, 'a']]);
      const received = [{ identity: 'a', messageId: 'm1_a' }];
      const step = { fence: 1, from: FIRST, to: NEXT, links, received };
      expect(await advance(storage, ownerId, 'links', { ...step, fence: 2 })).toBe(false);
      for (const from of [AT_START, NEXT, { ...FIRST, uid: 1 }]) {
        expect(await advance(storage, ownerId, 'links', { ...step, from })).toBe(false);
      }
      expect(await advance(storage, ownerId, 'events', { ...step, from: AT_START })).toBe(false);
      expect(await positionOf(storage, ownerId, 'links')).toEqual(FIRST);
      expect((await read(storage, ownerId))?.total).toBe(0);
      expect(await messagesOf(storage, ownerId)).toEqual([]);
    });

    it('is taken once, however often its holder sends it', async () => {
      const { storage, second } = store();
      const { ownerId } = await ownerWithEndpoint(storage);
      await leased(storage, ownerId);
      const other = await second();
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, n) => {
          const received = [{ identity: `${n}`, messageId: `m1_${n}` }];
          return advance(n % 2 === 0 ? storage : other, ownerId, 'events', { fence: 1, received });
        }),
      );
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await messagesOf(storage, ownerId)).toHaveLength(1);
    });

    it('adds no event for a message that a request moved into the inbox', async () => {
      const { storage } = store();
      const key = await ownerWithEndpoint(storage);
      const { ownerId } = key;
      const { id, fence } = await run(storage, key);
      const movedIn = { accountId: 1, identity: 'moved' };
      const start = { ownerId, approvalId: id, fence, signer: SIGNER, now: NOON };
      expect(
        await storage.start({ ...start, reach: REACHES_NOTHING, relocated: [{ mark: 'mark', movedIn }] }),
      ).toBe(true);
      const received = ['moved', 'new', 'moved'].map((identity, n) => ({ identity, messageId: `m1_${n}` }));
      await advance(storage, ownerId, 'events', { received });
      // It came once by the request. The second one is a delivery.
      expect((await messagesOf(storage, ownerId)).map(({ message_id }) => message_id)).toEqual([
        'm1_1',
        'm1_2',
      ]);
      const later = { fence: 1, from: FIRST, to: NEXT, received: [{ identity: 'moved', messageId: 'm1_3' }] };
      await advance(storage, ownerId, 'events', later);
      expect(await messagesOf(storage, ownerId)).toHaveLength(3);
    });

    it('forgets after a while that a request moved a message into the inbox', async () => {
      const { storage } = store();
      const key = await ownerWithEndpoint(storage);
      const { ownerId } = key;
      const start = async (approvalId: string, now: Date) => {
        const { id, fence } = await run(storage, key, { approvalId });
        const relocated = [{ mark: 'mark', movedIn: { accountId: 1, identity: approvalId } }];
        const request = { ownerId, approvalId: id, fence, relocated, signer: SIGNER, now };
        await storage.start({ ...request, reach: REACHES_NOTHING });
      };
      await start('apr_old', NOON);
      await start('apr_new', at(2000));
      const eventsBefore = at(1000);
      await storage.erase(erasing({ eventsBefore }, NOON));
      const received = ['apr_old', 'apr_new'].map((identity) => ({ identity, messageId: `m1_${identity}` }));
      await advance(storage, ownerId, 'events', { received });
      expect((await messagesOf(storage, ownerId)).map(({ message_id }) => message_id)).toEqual([
        'm1_apr_old',
      ]);
    });

    it('links nothing to a tracker that is resolved or missing, and nothing twice', async () => {
      const { storage } = store();
      const ownerId = await watchedOwner(storage);
      await addTracker(storage, ownerId, { title: 'Resolved' });
      await storage.setTrackerStatus({ ownerId, trackerId: 2, status: 'resolved', now: NOON });
      const message = linkedMessage('a');
      const byAgent = await link(storage, ownerId, 'message:a', { kind: 'mail', message });
      const links = linksTo([
        [1, 'a'],
        [2, 'a'],
        [3, 'a'],
      ]);
      expect(await advance(storage, ownerId, 'links', { links })).toBe(true);
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
      const links = linksTo([
        [1, 'b'],
        [1, 'c'],
      ]);
      await advance(storage, ownerId, 'links', { links });
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
        const links = linksTo([
          [1, 'a'],
          [2, 'b'],
        ]);
        await advance(storage, ownerId, 'links', { links });
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
