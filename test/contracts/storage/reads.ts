import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';
import type { NewRead } from '../../../core/provenance/read-state.ts';
import { addOwnerAndKey, admitted, at, erasing, finish, type Key, NOON } from './scene.ts';

const YEARS_AGO = new Date(0);

export function readPromises(store: () => { readonly storage: Storage }): void {
  describe('what calls showed', () => {
    it('is stored with the end of its call, newest first, by all keys of its owner', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const other = await addOwnerAndKey(storage);
      await show(storage, key, 'one', at(1));
      await show(storage, key, 'three', at(3));
      await show(storage, other, 'two', at(2));
      const { ownerId } = key;
      expect(await storage.reads({ ownerId, after: YEARS_AGO, limit: 10 })).toEqual([
        { readId: 'three', at: at(3), hashes: 'hashes of three' },
        { readId: 'one', at: at(1), hashes: 'hashes of one' },
      ]);
      expect(await storage.reads({ ownerId, after: YEARS_AGO, limit: 1 })).toMatchObject([
        { readId: 'three' },
      ]);
      expect(await storage.reads({ ownerId, after: at(1), limit: 10 })).toMatchObject([{ readId: 'three' }]);
      const all = await storage.reads({ ownerId, after: YEARS_AGO, limit: 10 });
      for (const [index, before] of all.entries()) {
        expect(await storage.reads({ ownerId, after: YEARS_AGO, before, limit: 10 })).toEqual(
          all.slice(index + 1),
        );
      }
      expect(await storage.readSources(ownerId, ['one', 'two', 'none'])).toEqual([
        {
          readId: 'one',
          credentialId: key.credentialId,
          at: at(1),
          phrases: 'phrases of one',
          sealed: 'sealed one',
        },
      ]);
    });

    it('replaces the same read, with its new time', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await show(storage, key, 'same', at(1));
      await show(storage, key, 'other', at(2));
      await show(storage, key, 'same', at(3));
      const found = await storage.reads({ ownerId: key.ownerId, after: YEARS_AGO, limit: 10 });
      expect(found.map(({ readId, at: time }) => [readId, time])).toEqual([
        ['same', at(3)],
        ['other', at(2)],
      ]);
    });

    it('is erased by its own date', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await show(storage, key, 'old', at(-1));
      await show(storage, key, 'new', NOON);
      await storage.erase(erasing({ readsBefore: NOON }));
      const left = await storage.reads({ ownerId: key.ownerId, after: YEARS_AGO, limit: 10 });
      expect(left.map(({ readId }) => readId)).toEqual(['new']);
    });

    it('takes 100 KB', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const long = 'h'.repeat(100_000);
      await show(storage, key, 'long', NOON, { hashes: long });
      const [read] = await storage.reads({ ownerId: key.ownerId, after: YEARS_AGO, limit: 10 });
      expect(read?.hashes).toBe(long);
    });
  });
}

async function show(storage: Storage, key: Key, readId: string, now: Date, changes: Partial<NewRead> = {}) {
  const read = {
    readId,
    hashes: `hashes of ${readId}`,
    phrases: `phrases of ${readId}`,
    sealed: `sealed ${readId}`,
  };
  await finish(storage, key, await admitted(storage, key), { read: { ...read, ...changes }, now });
}
