import { describe, expect, it } from 'vitest';
import { ACTIVITY_KEPT_MS, checkActivity } from '../../../core/activity/check-activity.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Store } from '../storage.ts';
import { activity, addOwnerAndKey, at, erasing, finish, type Key, NOON, SIGNER } from './scene.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** One activity row at each of these instants. */
async function act(storage: Storage, key: Key, times: readonly Date[]): Promise<void> {
  for (const now of times) await finish(storage, key, { slotId: 'none' }, { now });
}

function cover(storage: Storage, { ownerId }: Key, now: Date, limit = 100): Promise<number> {
  return storage.addCheckpoints({ ownerId, limit, signer: SIGNER, now });
}

const check = (storage: Storage, { ownerId }: Key, now: Date) => checkActivity(storage, ownerId, SIGNER, now);

export function checkpointPromises(store: Store): void {
  describe('checkpoints of activity', () => {
    it('cover each row once, an hour at a time, and come back as they were written', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      expect(await storage.ownersWithoutCheckpoint()).toEqual([]);
      expect(await cover(storage, key, NOON)).toBe(0);
      await act(storage, key, [at(0), at(1000), at(HOUR_MS)]);
      expect(await storage.ownersWithoutCheckpoint()).toEqual([ownerId]);
      expect(await cover(storage, key, at(HOUR_MS), 2)).toBe(2);
      expect(await cover(storage, key, at(HOUR_MS + 1), 2)).toBe(1);
      expect(await storage.ownersWithoutCheckpoint()).toEqual([]);
      await act(storage, key, [at(HOUR_MS + 5)]);
      expect(await cover(storage, key, at(HOUR_MS + 6))).toBe(1);
      const [first, second, ...more] = await storage.checkpoints(ownerId);
      expect(more).toEqual([]);
      const times = { hour: NOON, createdAt: at(HOUR_MS), updatedAt: at(HOUR_MS) };
      expect(first).toMatchObject({
        ownerId,
        number: 1,
        firstId: 1,
        lastId: 2,
        rowCount: 2,
        previousHash: '',
        ...times,
      });
      const grown = { hour: at(HOUR_MS), createdAt: at(HOUR_MS + 1), updatedAt: at(HOUR_MS + 6) };
      expect(second).toMatchObject({
        number: 2,
        firstId: 3,
        lastId: 4,
        rowCount: 2,
        previousHash: first?.hash,
        ...grown,
      });
      expect(await storage.numberedActivity({ ownerId, afterId: 2, upToId: 3, limit: 9 })).toEqual([
        { id: 3, activity: { ...activity(key), at: at(HOUR_MS) } },
      ]);
    });

    it('of two that cover at once, neither covers what the other did', async () => {
      const { storage, second } = store();
      const key = await addOwnerAndKey(storage);
      const other = await second();
      await act(
        storage,
        key,
        Array.from({ length: 40 }, (_, n) => at(n * 600_000)),
      );
      const now = at(40 * 600_000);
      const covered = await Promise.all(
        Array.from({ length: 10 }, (_, n) => cover(n % 2 === 0 ? storage : other, key, now, 7)),
      );
      expect(covered.reduce((sum, rows) => sum + rows)).toBe(40);
      const report = await check(storage, key, now);
      expect(report).toMatchObject({ intact: 40, uncovered: { count: 0 } });
      expect(report.faults.filter(({ kind }) => kind !== 'late')).toEqual([]);
    });

    it('raise no alarm when old rows are erased, and are erased with them', async () => {
      const { storage, reopen } = store();
      const key = await addOwnerAndKey(storage);
      for (let day = 0; day < 10; day++) {
        const times = [0, 1, 2].map((n) => at(day * DAY_MS + n * 1_500_000));
        for (const time of times) {
          await act(storage, key, [time]);
          await cover(storage, key, time);
        }
      }
      const erase = (now: Date) =>
        storage.erase(erasing({ activityBefore: new Date(now.getTime() - ACTIVITY_KEPT_MS) }, at(0)));
      const kept = await storage.checkpoints(key.ownerId);
      for (let hours = 0; hours < 240; hours += 7) {
        const now = at(ACTIVITY_KEPT_MS + hours * HOUR_MS + 900_000);
        await erase(now);
        expect((await check(storage, key, now)).faults).toEqual([]);
      }
      const left = await storage.checkpoints(key.ownerId);
      expect(left).toEqual(kept.slice(-left.length));
      expect(left.length).toBeLessThanOrEqual(3);

      const late = at(ACTIVITY_KEPT_MS + 20 * DAY_MS);
      await erase(late);
      expect(await storage.checkpoints(key.ownerId)).toEqual(kept.slice(-1));
      const again = await reopen();
      // Numbers go on, though no row is left.
      await act(again, key, [late]);
      await cover(again, key, late);
      expect(
        await again.numberedActivity({ ownerId: key.ownerId, afterId: 0, upToId: 99, limit: 9 }),
      ).toMatchObject([{ id: 31 }]);
      expect(await check(again, key, late)).toMatchObject({ intact: 1, faults: [], checkpoints: 2 });
    });

    it.each([
      ['ahead', 1],
      ['behind', -1],
    ])(
      'raise no alarm when rows are erased that were written while the clock was a day %s',
      async (_, days) => {
        const { storage } = store();
        const key = await addOwnerAndKey(storage);
        const hours = [0, 1, 2, 3].map((n) => at(n * HOUR_MS));
        const wrong = hours.map((time) => new Date(time.getTime() + days * DAY_MS));
        const right = [4, 5, 30, 31].map((n) => at(n * HOUR_MS));
        for (const time of [...hours, ...wrong, ...right]) {
          await act(storage, key, [time]);
          await cover(storage, key, time);
        }
        for (let hour = -30; hour < 60; hour += 2) {
          const now = at(ACTIVITY_KEPT_MS + hour * HOUR_MS + 1);
          await storage.erase(erasing({ activityBefore: new Date(now.getTime() - ACTIVITY_KEPT_MS) }, at(0)));
          expect((await check(storage, key, now)).faults.filter(({ kind }) => kind !== 'late')).toEqual([]);
        }
        expect(await storage.activity({ ownerId: key.ownerId, limit: 1 })).toEqual([]);
      },
    );
  });
}
