import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';
import { DAY_MS } from '../../../core/time/durations.ts';
import type { Store } from '../storage.ts';
import { addOwnerAndKey, ask, at, erasing, execute, NOON, reject } from './scene.ts';

const TYPE = 'approval.decided';

/** Numbers the events, and reads those after the position. */
async function following(storage: Storage, after = 0) {
  await storage.numberEvents(TYPE);
  return storage.eventsAfter({ type: TYPE, after, limit: 1000 });
}

function eraseEvents(storage: Storage, eventsBefore: Date) {
  return storage.erase(erasing({ eventsBefore }));
}

export function eventStreamPromises(store: Store): void {
  describe('event streams', () => {
    it('contain the events of all owners once, in the order of each owner', async () => {
      const { storage, reopen } = store();
      const keys = [await addOwnerAndKey(storage), await addOwnerAndKey(storage)];
      expect(await storage.eventStream(TYPE)).toMatchObject({
        lastPosition: 0,
        erasedPosition: 0,
        hasUnnumbered: false,
      });
      for (const key of [...keys, ...keys]) await execute(storage, key);
      expect(await storage.eventStream(TYPE)).toMatchObject({ lastPosition: 0, hasUnnumbered: true });
      expect(await storage.eventsAfter({ type: TYPE, after: 0, limit: 10 })).toEqual([]);
      const first = await following(storage);
      expect(await storage.eventStream(TYPE)).toMatchObject({
        lastPosition: first.at(-1)?.position,
        hasUnnumbered: false,
      });
      for (const key of keys) await execute(storage, key);
      const again = await reopen();
      const all = await following(again);
      expect(all.slice(0, first.length)).toEqual(first);
      for (const { ownerId } of keys) {
        const own = all.filter((one) => one.ownerId === ownerId).map(({ event }) => event);
        expect(own).toEqual(await again.events({ ownerId, afterId: 0, limit: 100 }));
      }
      const positions = all.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      expect(await again.eventsAfter({ type: TYPE, after: positions[1] ?? 0, limit: 2 })).toEqual(
        all.slice(2, 4),
      );
    });

    it('have an id that no other stream has', async () => {
      const { storage, second } = store();
      const { streamId } = await storage.eventStream(TYPE);
      const other = await storage.eventStream('message.received');
      expect(streamId).toMatch(/^[\da-f]{16}$/);
      expect(other.streamId).not.toBe(streamId);
      const elsewhere = await second();
      expect((await elsewhere.eventStream(TYPE)).streamId).toBe(streamId);
    });

    it('contain only events of their type', async () => {
      const { storage } = store();
      await execute(storage, await addOwnerAndKey(storage));
      await storage.numberEvents('message.received');
      expect(await storage.eventStream('message.received')).toMatchObject({ lastPosition: 0 });
      expect(await storage.eventStream(TYPE)).toMatchObject({ hasUnnumbered: true });
    });

    it('show every event to a reader that never looks back, while several processes write and number', async () => {
      const { storage, second } = store();
      const stores = [storage, await second()];
      const keys = await Promise.all(Array.from({ length: 4 }, () => addOwnerAndKey(storage)));
      let isWriting = true;
      const writing = Promise.all(
        stores.flatMap((one) =>
          keys.map(async (key) => {
            for (let n = 0; n < 8; n++) await reject(one, await ask(one, key));
          }),
        ),
      ).finally(() => {
        isWriting = false;
      });
      const readers = stores.map(async (one) => {
        const seen: { ownerId: string; sequence: number }[] = [];
        let after = 0;
        for (let isLast = false; ; isLast = !isWriting) {
          const found = await following(one, after);
          for (const { ownerId, position, event } of found) {
            seen.push({ ownerId, sequence: event.sequence });
            after = position;
          }
          if (isLast) return seen;
        }
      });
      await writing;
      for (const seen of await Promise.all(readers)) {
        for (const { ownerId } of keys) {
          const own = seen.filter((one) => one.ownerId === ownerId).map(({ sequence }) => sequence);
          expect(own).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
        }
      }
    });

    it('tell up to where events were erased, and never use a position twice', async () => {
      const { storage, reopen } = store();
      const key = await addOwnerAndKey(storage);
      const add = async (now: Date) => {
        await reject(storage, await ask(storage, key), now);
      };
      await add(at(-3 * DAY_MS));
      await add(at(-3 * DAY_MS));
      const [, last] = await following(storage);
      if (last === undefined) throw new Error('no event has a position');
      await eraseEvents(storage, at(-2 * DAY_MS));
      const erased = await storage.eventStream(TYPE);
      expect(erased).toMatchObject({ lastPosition: last.position, erasedPosition: last.position });
      // This one is erased before it gets a position.
      await add(at(-DAY_MS));
      await eraseEvents(storage, NOON);
      const { erasedPosition, lastPosition } = await storage.eventStream(TYPE);
      expect(erasedPosition).toBeGreaterThan(last.position);
      expect(lastPosition).toBe(erasedPosition);
      await add(NOON);
      const [young] = await following(storage);
      expect(young?.position).toBeGreaterThan(erasedPosition);
      await eraseEvents(storage, NOON);
      const again = await reopen();
      expect(await again.eventStream(TYPE)).toMatchObject({ erasedPosition, lastPosition: young?.position });
    });

    it('report each event that this process stores, once it is stored', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const reports: Promise<number>[] = [];
      const { ownerId } = key;
      const remove = storage.onEvent(() => {
        reports.push(storage.events({ ownerId, afterId: 0, limit: 10 }).then(({ length }) => length));
      });
      const pending = await ask(storage, key);
      expect(reports).toEqual([]);
      await reject(storage, pending);
      expect(await Promise.all(reports)).toEqual([1]);
      remove();
      await reject(storage, await ask(storage, key));
      expect(reports).toHaveLength(1);
    });
  });
}
