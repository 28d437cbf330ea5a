import { describe, expect, it } from 'vitest';
import type { Passkey, SecondStepProof } from '../../../core/owners/second-step.ts';
import type { SecondStepChange } from '../../../core/owners/second-step-storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { passkeyHandle } from '../../../core/secrets/webauthn.ts';
import type { Store } from '../storage.ts';
import { at, NOON, SIGNER } from './scene.ts';
import { addPerson, aSession, begin, PASSWORD_HASH } from './session-scene.ts';

/** Adds an app whose code of step 10 was used. */
export function anApp(sealedSecret = 'sealed'): SecondStepChange {
  return {
    type: 'add_app',
    app: { sealedSecret, lastStep: 10, addedAt: NOON },
    recoveryHashes: ['one', 'two'],
  };
}

function aPasskey(id: string, changes: Partial<Passkey> = {}) {
  const counts = { signCount: 5, lastChallengeMs: 10, addedAt: NOON, lastUsedAt: null };
  const passkey = { id, publicKey: 'key', host: 'x.org', name: 'Phone', ...counts, ...changes };
  return { type: 'add_passkey', passkey, recoveryHashes: ['three'] } as const;
}

const codeOf = (...steps: number[]): SecondStepProof => ({ kind: 'app', sealedSecret: 'sealed', steps });

function taken(
  storage: Storage,
  ownerId: string,
  proof: SecondStepProof,
  { deviceHash = null, now = NOON }: { deviceHash?: string | null; now?: Date } = {},
) {
  return storage.takeSecondStep({
    signer: SIGNER,
    ownerId,
    proof,
    deviceHash,
    newDeviceHash: 'new device',
    now,
  });
}

const RIGHT = { kind: 'right', isKnownDevice: false };
const WRONG = { kind: 'wrong' };

export function secondStepPromises(store: Store): void {
  describe('second steps', () => {
    it('are kept whole, and the recovery codes stay when the app is replaced', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      expect((await storage.secondStep(ownerId))?.secondStep).toBeNull();
      const added = await storage.changeSecondStep(ownerId, anApp(), SIGNER);
      const strangers = { failures: 0, lastMs: 0 };
      const app = { sealedSecret: 'sealed', lastStep: 10, addedAt: NOON };
      const secondStep = { app, passkeys: [], recoveryHashes: ['one', 'two'], strangers };
      expect(added).toEqual({ secondStep, isAltered: false });
      expect(await storage.secondStep(ownerId)).toEqual({
        owner: await storage.owner(ownerId),
        passwordHash: PASSWORD_HASH,
        secondStep,
      });
      await storage.changeSecondStep(
        ownerId,
        {
          ...anApp('another'),
          recoveryHashes: ['three'],
        } as SecondStepChange,
        SIGNER,
      );
      const replaced = (await storage.secondStep(ownerId))?.secondStep;
      expect(replaced).toMatchObject({ app: { sealedSecret: 'another' }, recoveryHashes: ['one', 'two'] });
      await storage.changeSecondStep(
        ownerId,
        { type: 'set_recovery_codes', recoveryHashes: ['four'] },
        SIGNER,
      );
      expect((await storage.secondStep(ownerId))?.secondStep?.recoveryHashes).toEqual(['four']);
      await storage.changeSecondStep(ownerId, { type: 'remove_app' }, SIGNER);
      expect((await storage.secondStep(ownerId))?.secondStep).toBeNull();
      await storage.changeSecondStep(
        ownerId,
        { type: 'set_recovery_codes', recoveryHashes: ['five'] },
        SIGNER,
      );
      expect((await storage.secondStep(ownerId))?.secondStep).toBeNull();
      expect(await storage.changeSecondStep('nobody', anApp(), SIGNER)).toBeUndefined();
      expect(await storage.secondStep('nobody')).toBeUndefined();
      expect(await taken(storage, ownerId, codeOf(11))).toEqual({ kind: 'off' });
    });

    it('count each code and each recovery code once, also of two that come at once', async () => {
      const { storage, second } = store();
      const ownerId = await addPerson(storage);
      await storage.changeSecondStep(ownerId, anApp(), SIGNER);
      expect(await taken(storage, ownerId, codeOf(10))).toEqual(WRONG);
      const other = await second();
      const race = await Promise.all([storage, other].map((one) => taken(one, ownerId, codeOf(11))));
      expect(race.map(({ kind }) => kind).sort()).toEqual(['right', 'wrong']);
      const found = { kind: 'recovery_code', hash: 'two' } as const;
      expect(await taken(storage, ownerId, found)).toEqual(RIGHT);
      expect((await storage.secondStep(ownerId))?.secondStep?.recoveryHashes).toEqual(['one']);
    });

    it('slow down strangers who know the password, but no known device, until the password changes', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      await storage.changeSecondStep(ownerId, anApp(), SIGNER);
      expect(await taken(storage, ownerId, codeOf(11))).toEqual(RIGHT);
      for (let times = 0; times < 3; times++) expect(await taken(storage, ownerId, codeOf())).toEqual(WRONG);
      expect(await taken(storage, ownerId, codeOf(12))).toEqual({ kind: 'wait', waitMs: 30_000 });
      const known = { deviceHash: 'new device' };
      expect(await taken(storage, ownerId, codeOf(12), known)).toEqual({
        kind: 'right',
        isKnownDevice: true,
      });
      for (let times = 0; times < 5; times++) {
        expect(await taken(storage, ownerId, codeOf(), known)).toEqual(WRONG);
      }
      expect(await taken(storage, ownerId, codeOf(13), known)).toEqual({ kind: 'wait', waitMs: 1000 });
      expect(await taken(storage, ownerId, codeOf(13), { now: at(30_000) })).toEqual(RIGHT);
      await taken(storage, ownerId, codeOf(), { now: at(30_000) });
      expect(await taken(storage, ownerId, codeOf(14), { now: at(30_000) })).toMatchObject({ kind: 'wait' });
      await storage.setPassword(ownerId, 'another hash', SIGNER);
      expect(await taken(storage, ownerId, codeOf(14), { now: at(30_000) })).toEqual(RIGHT);
    });

    it('decide which device is known: the right password alone adds none', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      await storage.changeSecondStep(ownerId, anApp(), SIGNER);
      const rows = { address: 1, newcomers: 101, repeaters: 201 };
      const email = `${ownerId}@example.org`;
      const tried = (deviceHash: string | null) =>
        storage.takePasswordTry({ signer: SIGNER, email, rows, deviceHash, now: NOON });
      const matched = { ownerId, passwordHash: PASSWORD_HASH, rows, deviceHash: 'new device', now: NOON };
      expect(await tried(null)).toMatchObject({ kind: 'check', found: { hasSecondStep: true } });
      expect(
        await storage.passwordMatched({ signer: SIGNER, ...matched, counted: ['address', 'newcomers'] }),
      ).toBe(true);
      expect(await tried('new device')).toMatchObject({ counted: ['address', 'newcomers'] });
      await taken(storage, ownerId, codeOf(11));
      expect(await tried('new device')).toMatchObject({ counted: ['device'] });
      await storage.passwordMatched({ signer: SIGNER, ...matched, counted: ['device'] });
      for (let times = 0; times < 5; times++) await tried('new device');
      expect(await tried('new device')).not.toMatchObject({ counted: ['device'] });
    });

    it('find the owner of a passkey until the last one is removed, and take no passkey twice', async () => {
      const { storage } = store();
      const [ownerId, other] = [await addPerson(storage), await addPerson(storage)];
      const handle = passkeyHandle(ownerId);
      expect(await storage.ownerByPasskeyHandle(handle)).toBeUndefined();
      const one = await storage.changeSecondStep(ownerId, aPasskey('one'), SIGNER);
      expect(one?.secondStep).toMatchObject({ app: null, recoveryHashes: ['three'] });
      expect(one?.secondStep?.passkeys).toEqual([aPasskey('one').passkey]);
      expect((await storage.secondStep(ownerId))?.secondStep).toEqual(one?.secondStep);
      await storage.changeSecondStep(other, aPasskey('one'), SIGNER);
      await storage.changeSecondStep(ownerId, aPasskey('two'), SIGNER);
      const same = await storage.changeSecondStep(ownerId, aPasskey('two', { name: 'again' }), SIGNER);
      expect(same?.secondStep?.passkeys.map(({ name }) => name)).toEqual(['Phone', 'Phone']);
      const renamed = await storage.changeSecondStep(
        ownerId,
        {
          type: 'rename_passkey',
          id: 'two',
          name: 'Key',
        },
        SIGNER,
      );
      expect(renamed?.secondStep?.passkeys.map(({ name }) => name)).toEqual(['Phone', 'Key']);
      expect(
        await storage.changeSecondStep(ownerId, { type: 'rename_passkey', id: 'x', name: 'y' }, SIGNER),
      ).toEqual(renamed);
      expect((await storage.ownerByPasskeyHandle(handle))?.ownerId).toBe(ownerId);
      await storage.changeSecondStep(ownerId, anApp(), SIGNER);
      await storage.changeSecondStep(ownerId, { type: 'remove_app' }, SIGNER);
      await storage.changeSecondStep(ownerId, { type: 'remove_passkey', id: 'one' }, SIGNER);
      expect((await storage.ownerByPasskeyHandle(handle))?.ownerId).toBe(ownerId);
      const last = await storage.changeSecondStep(ownerId, { type: 'remove_passkey', id: 'two' }, SIGNER);
      expect(last).toEqual({ secondStep: null, isAltered: false });
      expect(await storage.ownerByPasskeyHandle(handle)).toBeUndefined();
      expect((await storage.ownerByPasskeyHandle(passkeyHandle(other)))?.ownerId).toBe(other);
    });

    it('count each challenge of a passkey once, and no counter that falls back', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      await storage.changeSecondStep(ownerId, aPasskey('one'), SIGNER);
      const signed = (challengeMs: number, signCount: number) =>
        ({ kind: 'passkey', id: 'one', publicKey: 'key', signCount, challengeMs }) as const;
      expect(await taken(storage, ownerId, signed(10, 9))).toEqual(WRONG);
      expect(await taken(storage, ownerId, signed(11, 5))).toEqual(WRONG);
      expect(await taken(storage, ownerId, signed(11, 6))).toEqual(RIGHT);
      expect(await taken(storage, ownerId, signed(12, 6))).toEqual(WRONG);
      expect(await taken(storage, ownerId, { ...signed(12, 7), publicKey: 'another' })).toEqual(WRONG);
      expect(await taken(storage, ownerId, signed(12, 7), { deviceHash: 'new device' })).toMatchObject({
        isKnownDevice: true,
      });
      const [passkey] = (await storage.secondStep(ownerId))?.secondStep?.passkeys ?? [];
      expect(passkey).toMatchObject({ signCount: 7, lastChallengeMs: 12, lastUsedAt: NOON });
    });

    it('leave sessions alone', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      await begin(storage, aSession(ownerId, 's1'));
      await storage.changeSecondStep(ownerId, anApp(), SIGNER);
      await storage.changeSecondStep(ownerId, { type: 'remove_all' }, SIGNER);
      expect(await storage.session('s1', SIGNER, NOON)).toBeDefined();
    });
  });
}
