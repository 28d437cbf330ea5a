import { describe, expect, it } from 'vitest';
import type { Approval } from '../../../core/approvals/approval.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Store } from '../storage.ts';
import { addKey, addOwnerAndKey, approve, ask, at, NOON, reject } from './scene.ts';

async function pages(
  storage: Storage,
  query: { ownerId: string; credentialId: string | undefined; state: 'open' | 'ended' | 'all' },
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  let after: { createdAtMs: number; id: string } | undefined;
  for (;;) {
    const { approvals, more } = await storage.approvals({ ...query, after, limit });
    expect(approvals.length).toBeLessThanOrEqual(limit);
    ids.push(...approvals.map(({ id }) => id));
    const last = approvals.at(-1);
    if (!more) return ids;
    if (last === undefined) throw new Error('an empty page reports more rows');
    after = { createdAtMs: last.createdAt.getTime(), id: last.id };
  }
}

export function listPromises(store: Store): void {
  describe('approvals', () => {
    it('come newest first, of one key or of all, open, ended or all, in pages of any size', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addKey(storage, key.ownerId);
      const filed: { approval: Approval; open: boolean }[] = [];
      for (let n = 0; n < 12; n++) {
        // Several at the same instant: their order is arbitrary, but always the same.
        const approval = await ask(storage, n % 3 === 0 ? other : key, { now: at(Math.floor(n / 4)) });
        if (n % 4 === 1) await reject(storage, approval, at(10));
        if (n % 4 === 2) await approve(storage, approval, { now: at(10) });
        filed.push({ approval, open: n % 4 !== 1 });
      }
      for (const credentialId of [undefined, key.credentialId, other.credentialId]) {
        for (const state of ['open', 'ended', 'all'] as const) {
          const query = { ownerId: key.ownerId, credentialId, state };
          const expected = filed
            .filter(({ open }) => state === 'all' || open === (state === 'open'))
            .map(({ approval }) => approval)
            .filter((approval) => credentialId === undefined || approval.credentialId === credentialId);
          const whole = await pages(storage, query, 100);
          expect(new Set(whole)).toEqual(new Set(expected.map(({ id }) => id)));
          const times = whole.map(
            (id) => expected.find((approval) => approval.id === id)?.createdAt.getTime() ?? 0,
          );
          expect(times).toEqual(times.toSorted((a, b) => b - a));
          for (const limit of [1, 5, expected.length])
            expect(await pages(storage, query, limit)).toEqual(whole);
        }
      }
    });

    it('are empty for an owner without any', async () => {
      const { storage } = store();
      const query = {
        ownerId: 'nobody',
        credentialId: undefined,
        state: 'all',
        after: undefined,
        limit: 5,
      } as const;
      expect(await storage.approvals(query)).toEqual({ approvals: [], more: false });
      expect(await storage.approval('nobody', 'apr_none')).toBeUndefined();
      expect(await storage.plan('nobody', 'apr_none')).toBeUndefined();
      expect(await storage.gists('nobody', ['apr_none'])).toEqual(new Map());
    });

    it('show each change among the open ones and the newest one, of several owners at once', async () => {
      const { storage } = store();
      const [key, other] = [await addOwnerAndKey(storage), await addOwnerAndKey(storage)];
      const { ownerId } = await addOwnerAndKey(storage);
      const [first, second, third] = [
        await ask(storage, key, { now: at(1) }),
        await ask(storage, key, { now: at(2) }),
        await ask(storage, key, { now: at(3) }),
      ];
      const elsewhere = await ask(storage, other);
      await approve(storage, second, { now: at(4) });
      await reject(storage, third, at(4));
      const owners = [other.ownerId, ownerId, 'nobody', key.ownerId];
      expect((await storage.openApprovals(owners)).byOwner).toEqual(
        new Map([
          [other.ownerId, { newestId: elsewhere.id, states: new Map([[elsewhere.id, 'pending']]) }],
          [
            key.ownerId,
            {
              newestId: third.id,
              states: new Map([
                [first.id, 'pending'],
                [second.id, 'approved'],
              ]),
            },
          ],
        ]),
      );
      await reject(storage, elsewhere);
      expect((await storage.openApprovals([other.ownerId])).byOwner).toEqual(
        new Map([[other.ownerId, { newestId: elsewhere.id, states: new Map() }]]),
      );
      expect((await storage.openApprovals([])).byOwner).toEqual(new Map());
    });

    it('have the gists that they were filed with', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const gistOf = (n: number) => ({ sealedGist: `gist ${n}`, sealedPlan: 'plan '.repeat(100_000) });
      const [first, second, third] = [
        await ask(storage, key, gistOf(1)),
        await ask(storage, key, gistOf(2)),
        await ask(storage, key, gistOf(3)),
      ];
      await reject(storage, third);
      expect(await storage.gists(key.ownerId, [third.id, 'apr_none', first.id])).toEqual(
        new Map([
          [first.id, 'gist 1'],
          [third.id, 'gist 3'],
        ]),
      );
      expect(await storage.gists(key.ownerId, [second.id])).toEqual(new Map([[second.id, 'gist 2']]));
      expect(await storage.gists(key.ownerId, [])).toEqual(new Map());
    });
  });

  describe('events', () => {
    it('are numbered per owner from 1, and can be read from any of them on', async () => {
      const { storage } = store();
      const keys = [await addOwnerAndKey(storage), await addOwnerAndKey(storage)];
      for (const key of keys) {
        const { ownerId } = key;
        const approvals = [];
        for (let n = 0; n < 5; n++)
          approvals.push(await ask(storage, key, { accountId: n === 0 ? null : n }));
        for (const approval of approvals) await reject(storage, approval, at(3));
        const events = await storage.events({ ownerId, afterId: 0, limit: 100 });
        expect(events).toEqual(
          approvals.map((approval, n) => ({
            sequence: n + 1,
            id: expect.stringMatching(/^evt_[\w-]{22}$/) as string,
            type: 'approval.decided',
            credentialId: key.credentialId,
            createdAt: at(3),
            data: { approval_id: approval.id, state: 'rejected', account_id: n === 0 ? null : n },
          })),
        );
        expect(new Set(events.map(({ id }) => id)).size).toBe(5);
        expect(await storage.events({ ownerId, afterId: 2, limit: 2 })).toEqual(events.slice(2, 4));
        expect(await storage.events({ ownerId, afterId: 5, limit: 2 })).toEqual([]);
      }
    });
  });

  describe('known recipients', () => {
    it('are kept per account, exactly as given', async () => {
      const { storage } = store();
      const { ownerId } = await addOwnerAndKey(storage);
      await storage.rememberRecipients(ownerId, 1, ['a@x.org', 'b@x.org'], NOON);
      await storage.rememberRecipients(ownerId, 1, ['b@x.org', 'ü@x.org'], NOON);
      await storage.rememberRecipients(ownerId, 2, ['c@x.org'], NOON);
      const ask = ['a@x.org', 'A@x.org', 'b@x.org', 'c@x.org', 'ü@x.org', "o'x@x.org", ''];
      expect(await storage.knownRecipients(ownerId, 1, ask)).toEqual(
        new Map([
          ['a@x.org', 1],
          ['b@x.org', 1],
          ['ü@x.org', 1],
        ]),
      );
      expect(await storage.knownRecipients(ownerId, 2, ask)).toEqual(new Map([['c@x.org', 1]]));
      expect(await storage.knownRecipients(ownerId, 3, ask)).toEqual(new Map());
      expect(await storage.knownRecipients(ownerId, 1, [])).toEqual(new Map());
    });
  });
}
