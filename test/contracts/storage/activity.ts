import { describe, expect, it } from 'vitest';
import type { Activity, ActivityFilter, ActivityPlace } from '../../../core/activity/activity.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Store } from '../storage.ts';
import {
  activity,
  addKey,
  addOwnerAndKey,
  admitted,
  ask,
  at,
  erasing,
  execute,
  type Key,
  reject,
} from './scene.ts';

const TOOLS = ['get_email', 'get_me', 'list_unread'];

/** Writes one row. */
async function record(storage: Storage, key: Key, changes: Partial<Activity>, now: Date): Promise<void> {
  const { slotId } = await admitted(storage, key);
  await storage.finish({ caller: key, slotId, claim: null, activity: activity(key, changes), now });
}

export function activityPromises(store: Store): void {
  describe('activity', () => {
    it('comes newest first, as many rows as requested', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      for (let n = 0; n < 4; n++) await reject(storage, await ask(storage, key), at(n));
      const rows = await storage.activity({ ownerId: key.ownerId, limit: 3 });
      expect(rows.map((row) => row.at)).toEqual([at(3), at(2), at(1)]);
    });

    it('is filtered by key, tool and time, in pages, and never shows rows of another owner', async () => {
      const { storage } = store();
      const one = await addOwnerAndKey(storage);
      const { ownerId } = one;
      const other = await addKey(storage, ownerId);
      const stranger = await addOwnerAndKey(storage);
      // Two rows at each instant: the second breaks the tie by its number.
      const written: { key: Key; tool: string; ms: number; id: number }[] = [];
      for (const [ms, tool] of [0, 0, 1, 1, 2, 2, 3, 3].map((n, i) => [n, TOOLS[i % 3] ?? ''] as const)) {
        for (const key of [one, other]) {
          await record(storage, key, { tool }, at(ms));
          written.push({ key, tool, ms, id: written.length + 1 });
        }
        await record(storage, stranger, { tool }, at(ms));
      }
      const all = async (filter: ActivityFilter & { before?: ActivityPlace }) => {
        const ids: number[] = [];
        let before = filter.before;
        for (;;) {
          const rows = await storage.activity({ ...filter, ownerId, before, limit: 3 });
          ids.push(...rows.map(({ id }) => id));
          before = rows.at(-1);
          if (before === undefined) return ids;
        }
      };
      for (const key of [undefined, one, other]) {
        for (const tool of [undefined, 'get_email', 'get_me']) {
          for (const [fromMs, untilMs] of [
            [-1, 9],
            [1, 3],
            [2, 2],
          ] as const) {
            const expected = written.filter(
              (row) =>
                (key === undefined || row.key === key) &&
                (tool === undefined || row.tool === tool) &&
                row.ms >= fromMs &&
                row.ms < untilMs,
            );
            const filter = {
              ...(key && { credentialId: key.credentialId }),
              ...(tool !== undefined && { tool }),
              ...{ from: at(fromMs), before: { at: at(untilMs), id: 0 } },
            };
            expect(await all(filter)).toEqual(expected.map(({ id }) => id).reverse());
          }
        }
      }
      expect(await all({})).toEqual(written.map(({ id }) => id).reverse());
    });

    it('is written between two pages: no row comes twice, none is left out', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      for (let n = 0; n < 4; n++) await record(storage, key, {}, at(n));
      const { ownerId } = key;
      const first = await storage.activity({ ownerId, limit: 2 });
      await record(storage, key, {}, at(9));
      const next = await storage.activity({ ownerId, before: first.at(-1), limit: 2 });
      expect([...first, ...next].map(({ id }) => id)).toEqual([4, 3, 2, 1]);
    });

    it('comes with the request of each row as it is now, and its gist until it is erased', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      await reject(storage, await ask(storage, key, { sealedGist: 'gist 1' }), at(1));
      const executed = await execute(storage, key, { sealedGist: 'gist 2', now: at(2) });
      await record(storage, key, { approvalId: executed.id }, at(3));
      await record(storage, key, {}, at(4));
      const requests = async () => {
        const rows = await storage.activity({ ownerId, limit: 9 });
        return rows.map(({ request }) => request && [request.state, request.approvedBy, request.sealedGist]);
      };
      const done = ['executed', 'policy', 'gist 2'];
      expect(await requests()).toEqual([null, done, done, ['rejected', null, 'gist 1']]);
      await storage.erase(erasing({ plansKeptUntil: at(9e12) }));
      const erased = ['executed', 'policy', undefined];
      expect(await requests()).toEqual([null, erased, erased, ['rejected', null, undefined]]);
    });
  });
}
