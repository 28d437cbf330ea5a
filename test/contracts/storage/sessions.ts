import { describe, expect, it } from 'vitest';
import type { Store } from '../storage.ts';
import { at, NOON, SIGNER } from './scene.ts';
import { addPerson, aSession, begin } from './session-scene.ts';

export function sessionPromises(store: Store): void {
  describe('sessions', () => {
    it('lead to their owner until they end, and keep their first values', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      const session = aSession(ownerId, 's1', { authenticatedAt: at(1), lastUsedAt: at(2), proofKey: null });
      expect(await begin(storage, session)).toBe(true);
      expect(await storage.session('s1', SIGNER, at(999))).toEqual({
        owner: await storage.owner(ownerId),
        session,
      });
      expect(await storage.session('s1', SIGNER, at(1000))).toBeUndefined();
      expect(await storage.session('s2', SIGNER, NOON)).toBeUndefined();
    });

    it('start only with the password that the owner has at that moment', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      await storage.setPassword(ownerId, 'changed meanwhile', SIGNER);
      expect(await begin(storage, aSession(ownerId, 's1'))).toBe(false);
      expect(await begin(storage, aSession('nobody', 's2'))).toBe(false);
      expect(await storage.session('s1', SIGNER, NOON)).toBeUndefined();
      expect(await begin(storage, aSession(ownerId, 's1'), { passwordHash: 'changed meanwhile' })).toBe(true);
    });

    it('are listed until they end, the last used first', async () => {
      const { storage } = store();
      const [ownerId, other] = [await addPerson(storage), await addPerson(storage)];
      await begin(storage, aSession(ownerId, 's1'));
      await begin(storage, aSession(ownerId, 's2', { lastUsedAt: at(5) }), { expiresAt: at(2000) });
      await begin(storage, aSession(other, 's3'));
      const idsAt = async (ms: number) =>
        (await storage.sessions(ownerId, SIGNER, at(ms))).map(({ id }) => id);
      expect(await storage.sessions(ownerId, SIGNER, NOON)).toEqual([
        { ...aSession(ownerId, 's2', { lastUsedAt: at(5) }), isAltered: false },
        { ...aSession(ownerId, 's1'), isAltered: false },
      ]);
      await storage.useSession({ ownerId, sessionId: 's1', now: at(9) });
      expect(await idsAt(0)).toEqual(['s1', 's2']);
      expect(await idsAt(1000)).toEqual(['s2']);
      expect(await idsAt(2000)).toEqual([]);
    });

    it('record their last use, never backwards', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      await begin(storage, aSession(ownerId, 's1'));
      await storage.useSession({ ownerId, sessionId: 's1', now: at(9) });
      await storage.useSession({ ownerId, sessionId: 's1', now: at(5) });
      const found = await storage.session('s1', SIGNER, NOON);
      expect(found?.session).toEqual(aSession(ownerId, 's1', { lastUsedAt: at(9) }));
    });

    it('record that the person proved to be the owner, and a new key if there is one', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      await begin(storage, aSession(ownerId, 's1'));
      const confirm = (sessionId: string, proofKey: string | null, ms: number) =>
        storage.confirmSession({ signer: SIGNER, ownerId, sessionId, proofKey, now: at(ms) });
      const session = async () => (await storage.session('s1', SIGNER, NOON))?.session;
      expect(await confirm('s1', null, 5)).toBe(true);
      expect(await session()).toEqual(aSession(ownerId, 's1', { authenticatedAt: at(5) }));
      expect(await confirm('s1', 'new key', 7)).toBe(true);
      expect(await session()).toMatchObject({ proofKey: 'new key', authenticatedAt: at(7) });
      expect(await confirm('s2', 'new key', 7)).toBe(false);
    });

    it('accept each nonce once, and none after they have ended', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      for (const id of ['s1', 's2']) await begin(storage, aSession(ownerId, id));
      const take = (sessionId: string, nonce: string) => storage.takeProof({ ownerId, sessionId, nonce });
      expect(await take('s1', 'a')).toBe(true);
      expect(await take('s1', 'a')).toBe(false);
      expect(await take('s1', 'A')).toBe(true);
      expect(await take('s2', 'a')).toBe(true);
      await storage.endSession(ownerId, 's1');
      expect(await take('s1', 'b')).toBe(false);
    });

    it('end one by one, all but one, or with the password, together with their used nonces', async () => {
      const { storage } = store();
      const [ownerId, other] = [await addPerson(storage), await addPerson(storage)];
      for (const id of ['s1', 's2', 's3', 's4']) {
        await begin(storage, aSession(ownerId, id));
        await storage.takeProof({ ownerId, sessionId: id, nonce: 'n' });
      }
      await begin(storage, aSession(other, 'o'));
      const left = async () => (await storage.sessions(ownerId, SIGNER, NOON)).map(({ id }) => id).toSorted();
      expect(await storage.endSession(ownerId, 's1')).toBe(true);
      expect(await storage.endSession(ownerId, 's1')).toBe(false);
      expect(await storage.endSession(ownerId, 'o')).toBe(false);
      expect(await left()).toEqual(['s2', 's3', 's4']);
      expect(await storage.endOtherSessions(ownerId, 's2')).toBe(2);
      expect(await left()).toEqual(['s2']);
      await storage.setPassword(ownerId, 'new', SIGNER);
      expect(await left()).toEqual([]);
      expect(await storage.session('o', SIGNER, NOON)).toMatchObject({ owner: { ownerId: other } });
    });

    it('end at once for every process', async () => {
      const { storage, second } = store();
      const ownerId = await addPerson(storage);
      await begin(storage, aSession(ownerId, 's1'));
      const elsewhere = await second();
      expect(await elsewhere.session('s1', SIGNER, NOON)).toBeDefined();
      await storage.endSession(ownerId, 's1');
      expect(await elsewhere.session('s1', SIGNER, NOON)).toBeUndefined();
      expect(await elsewhere.takeProof({ ownerId, sessionId: 's1', nonce: 'n' })).toBe(false);
      expect(
        await elsewhere.confirmSession({
          signer: SIGNER,
          ownerId,
          sessionId: 's1',
          proofKey: null,
          now: NOON,
        }),
      ).toBe(false);
    });
  });
}
