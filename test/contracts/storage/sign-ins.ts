import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NO_FENCES } from '../../../core/keys/fences.ts';
import { PRESETS } from '../../../core/keys/permissions.ts';
import type { RefreshEnd } from '../../../core/keys/sign-in-storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import type { Store } from '../storage.ts';
import { addOwner, addOwnerAndKey, ask, at, call, DIRECT, type Key, NOON, SIGNER } from './scene.ts';

const HOUR_MS = 3_600_000;
/** For so long, a used refresh token repeats its answer. */
const REPEATED_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
const ENDS = at(30 * DAY_MS);

function tokens(name: string, now = NOON) {
  return {
    accessHash: `access ${name}`,
    accessExpiresAt: new Date(now.getTime() + HOUR_MS),
    refreshHash: `refresh ${name}`,
  };
}

/** An owner may leave out accounts when an assistant signs in. */
const FENCES = { ...NO_FENCES, accounts: [1] };

type Scope = Pick<Key, 'ownerId' | 'credentialId'>;

function consent(storage: Storage, key: Scope, name: string, now = NOON) {
  return storage.addSignIn({
    ...key,
    name: 'assistant.example (“Assistant”)',
    modes: DIRECT,
    fences: FENCES,
    expiresAt: ENDS,
    tokens: tokens(name, now),
    signer: SIGNER,
    now,
  });
}

async function signedIn(storage: Storage, name: string): Promise<Key> {
  const key = { ownerId: await addOwner(storage), credentialId: `key_${randomUUID()}` };
  await consent(storage, key, name);
  return { ...key, secretHash: `access ${name}` };
}

function refresh(
  storage: Storage,
  key: Scope,
  { from, to, now = NOON }: { from: string; to: string; now?: Date },
): Promise<RefreshEnd> {
  const refreshHash = `refresh ${from}`;
  const next = { tokens: tokens(to, now), sealedTokens: `sealed ${to}` };
  return storage.refreshSignIn({ ...key, refreshHash, ...next, signer: SIGNER, now });
}

const callWith = (storage: Storage, key: Key, name: string, now = NOON) =>
  call(storage, { ...key, secretHash: `access ${name}` }, now);

async function revokedAt(storage: Storage, { ownerId, credentialId }: Scope) {
  const listed = await storage.credentials(ownerId, SIGNER);
  return listed.find((one) => one.credentialId === credentialId)?.revokedAt;
}

export function signInPromises(store: Store): void {
  describe('sign-ins', () => {
    it('are credentials of kind oauth, listed as they were added', async () => {
      const { storage, reopen } = store();
      const key = { ownerId: await addOwner(storage), credentialId: 'key_1' };
      const added = await consent(storage, key, 'a');
      expect(added).toEqual({
        ...key,
        kind: 'oauth',
        name: 'assistant.example (“Assistant”)',
        modes: DIRECT,
        fences: FENCES,
        pausedAt: null,
        revision: 1,
        createdAt: NOON,
        expiresAt: ENDS,
        overlapUntil: null,
        revokedAt: null,
        isAltered: false,
      });
      expect(await (await reopen()).credentials(key.ownerId, SIGNER)).toEqual([added]);
    });

    it('call with an access token until it ends, and never past the end of the sign-in', async () => {
      const { storage } = store();
      const key = await signedIn(storage, 'a');
      expect(await call(storage, key, at(HOUR_MS - 1))).toBe('admitted');
      expect(await call(storage, key, at(HOUR_MS))).toBe('unknown');
      const last = new Date(ENDS.getTime() - 1000);
      expect(await refresh(storage, key, { from: 'a', to: 'b', now: last })).toMatchObject({
        kind: 'refreshed',
      });
      expect(await callWith(storage, key, 'b', last)).toBe('admitted');
      expect(await callWith(storage, key, 'b', ENDS)).toBe('unknown');
    });

    it('of a code that is used again are revoked, with everything that waits', async () => {
      const { storage } = store();
      const key = await signedIn(storage, 'a');
      const waiting = await ask(storage, key);
      expect(await consent(storage, key, 'b', at(1))).toBeUndefined();
      expect(await revokedAt(storage, key)).toEqual(at(1));
      for (const name of ['a', 'b']) expect(await callWith(storage, key, name, at(2))).toBe('unknown');
      expect(await storage.approval(key.ownerId, waiting.id)).toMatchObject({
        state: 'cancelled',
        error: 'credential_off',
      });
    });

    it('are added once, if two processes use the code at the same time', async () => {
      const { storage, second } = store();
      const key = { ownerId: await addOwner(storage), credentialId: 'key_1' };
      const added = await Promise.all([consent(storage, key, 'a'), consent(await second(), key, 'b')]);
      expect(added.filter((one) => one !== undefined)).toHaveLength(1);
      expect(await revokedAt(storage, key)).toEqual(NOON);
    });

    it('keep the earlier access token when they refresh', async () => {
      const { storage } = store();
      const key = await signedIn(storage, 'a');
      expect(await refresh(storage, key, { from: 'a', to: 'b', now: at(1) })).toMatchObject({
        kind: 'refreshed',
        credential: { credentialId: key.credentialId, kind: 'oauth', revision: 1 },
      });
      for (const name of ['a', 'b']) expect(await callWith(storage, key, name, at(2))).toBe('admitted');
      expect(await call(storage, key, at(HOUR_MS))).toBe('unknown');
    });

    it('keep only the newest access tokens, however often they refresh', async () => {
      const { storage } = store();
      const key = await signedIn(storage, '0');
      for (let n = 1; n <= 6; n += 1) {
        await refresh(storage, key, { from: `${n - 1}`, to: `${n}`, now: at(n) });
      }
      const live: string[] = [];
      for (let n = 0; n <= 6; n += 1) {
        if ((await callWith(storage, key, `${n}`, at(7))) === 'admitted') live.push(`${n}`);
      }
      expect(live).toEqual(['3', '4', '5', '6']);
    });

    it('repeat the answer if the token before the current one is used within a minute', async () => {
      const { storage, reopen } = store();
      const key = await signedIn(storage, 'a');
      await refresh(storage, key, { from: 'a', to: 'b' });
      const repeated = { kind: 'repeated', sealedTokens: 'sealed b', credential: { revokedAt: null } };
      const again = { from: 'a', to: 'c' };
      expect(await refresh(storage, key, again)).toMatchObject(repeated);
      const reopened = await reopen();
      expect(await refresh(reopened, key, { ...again, now: at(REPEATED_MS - 1) })).toMatchObject(repeated);
      expect(await callWith(reopened, key, 'b', at(2))).toBe('admitted');
      expect(await callWith(reopened, key, 'c', at(2))).toBe('unknown');
      expect(await refresh(reopened, key, { from: 'b', to: 'd', now: at(2) })).toMatchObject({
        kind: 'refreshed',
      });
    });

    it.each([
      ['after a minute', [], at(REPEATED_MS)],
      ['once its successor was used', ['b'], at(1)],
    ] as const)(
      'are revoked when a refresh token is used twice, with everything that waits: %s',
      async (_when, successors, now) => {
        const { storage } = store();
        const key = await signedIn(storage, 'a');
        const waiting = await ask(storage, key);
        await refresh(storage, key, { from: 'a', to: 'b' });
        for (const from of successors) await refresh(storage, key, { from, to: 'c' });
        expect(await refresh(storage, key, { from: 'a', to: 'd', now })).toEqual({ kind: 'reused' });
        expect(await revokedAt(storage, key)).toEqual(now);
        for (const name of ['a', 'b', 'c', 'd']) {
          expect(await callWith(storage, key, name, now)).toBe('unknown');
        }
        for (const from of ['a', 'b', 'c']) {
          expect(await refresh(storage, key, { from, to: 'e', now })).toEqual({ kind: 'ended' });
        }
        expect(await storage.approval(key.ownerId, waiting.id)).toMatchObject({ error: 'credential_off' });
      },
    );

    it('give one pair of tokens to two processes that use a refresh token at the same time', async () => {
      const { storage, second } = store();
      const key = await signedIn(storage, 'a');
      const other = await second();
      const ends = await Promise.all([
        refresh(storage, key, { from: 'a', to: 'b' }),
        refresh(other, key, { from: 'a', to: 'c' }),
      ]);
      expect(ends.map(({ kind }) => kind).toSorted()).toEqual(['refreshed', 'repeated']);
      const won = ends[0].kind === 'refreshed' ? 'b' : 'c';
      expect(ends).toContainEqual(expect.objectContaining({ sealedTokens: `sealed ${won}` }));
      expect(await revokedAt(storage, key)).toBeNull();
      for (const name of ['b', 'c']) {
        expect(await callWith(storage, key, name, at(1))).toBe(name === won ? 'admitted' : 'unknown');
      }
    });

    it('do not refresh once they have ended, were withdrawn, or do not exist', async () => {
      const { storage } = store();
      const key = await signedIn(storage, 'a');
      expect(await refresh(storage, key, { from: 'a', to: 'b', now: ENDS })).toEqual({ kind: 'ended' });
      expect(await refresh(storage, { ...key, credentialId: 'key_none' }, { from: 'a', to: 'b' })).toEqual({
        kind: 'ended',
      });
      const stranger = { ownerId: await addOwner(storage), credentialId: key.credentialId };
      expect(await refresh(storage, stranger, { from: 'a', to: 'b' })).toEqual({ kind: 'ended' });
      await storage.revoke({ ...key, signer: SIGNER, now: at(1) });
      expect(await refresh(storage, key, { from: 'a', to: 'b', now: at(2) })).toEqual({ kind: 'ended' });
    });

    it('do not refresh if somebody else signed them, and a key never refreshes', async () => {
      const { storage } = store();
      const key = await signedIn(storage, 'a');
      const signer = createKeyring([Buffer.alloc(32, 8)], randomBytes);
      const next = { tokens: tokens('b'), sealedTokens: 'sealed b' };
      const request = { ...key, refreshHash: 'refresh a', ...next, now: NOON };
      expect(await storage.refreshSignIn({ ...request, signer })).toEqual({ kind: 'ended' });
      const pat = await addOwnerAndKey(storage);
      expect(
        await storage.refreshSignIn({ ...request, ...pat, refreshHash: pat.secretHash, signer: SIGNER }),
      ).toEqual({ kind: 'ended' });
      expect(await call(storage, pat)).toBe('admitted');
    });

    it('get no key by rotation, and are revoked by any of their tokens', async () => {
      const { storage } = store();
      const key = await signedIn(storage, 'a');
      const rotation = { secretHash: 'key', expiresAt: ENDS, overlapMs: 0, signer: SIGNER, now: NOON };
      expect(await storage.rotate({ ...key, ...rotation })).toBeUndefined();
      expect(await call(storage, key)).toBe('admitted');
      const modes = PRESETS.read.modes;
      expect(await storage.setModes({ ...key, modes, signer: SIGNER, now: NOON })).toMatchObject({
        kind: 'oauth',
        revision: 2,
      });
      expect(await storage.revokeBySecret({ secretHash: 'refresh a', signer: SIGNER, now: at(1) })).toBe(
        true,
      );
      expect(await call(storage, key, at(2))).toBe('unknown');
    });
  });
}
