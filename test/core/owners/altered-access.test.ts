import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SecondStep } from '../../../core/owners/second-step.ts';
import {
  isPasswordIntact,
  isSecondStepIntact,
  isSessionIntact,
  passwordText,
  secondStepText,
  sessionText,
  signedPassword,
  signedSecondStep,
  signedSession,
} from '../../../core/owners/signed-access.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { addOwner, at, NOON, SIGNER } from '../../contracts/storage/scene.ts';
import { anApp } from '../../contracts/storage/second-steps.ts';
import { addPerson, aSession, begin, PASSWORD_HASH } from '../../contracts/storage/session-scene.ts';
import { openTestService, silentLog } from '../../open-service.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { editedStores } from '../edited-store.ts';

/** What somebody could write into the row of the session s1 of the owner ID. There are a session s2 of it, and another OWNER. */
const SESSION_EDITS: Readonly<Record<string, string>> = {
  session_id: "session_id = 's3'",
  token_hash: "token_hash = 'mine'",
  owner_id: "owner_id = 'OWNER'",
  authenticated_at_ms: 'authenticated_at_ms = authenticated_at_ms + 1',
  created_at_ms: 'created_at_ms = created_at_ms - 1',
  expires_at_ms: 'expires_at_ms = expires_at_ms + 1',
  browser: "browser = 'Another'",
  address: "address = '198.51.100.1'",
  proof_key: "proof_key = 'another'",
  'proof_key, removed': 'proof_key = NULL',
  signature: "signature = ''",
  'signature, of another row':
    "signature = (SELECT signature FROM sessions WHERE owner_id = 'ID' AND session_id = 's2')",
};

/** What somebody could write into the row of the owner ID, who has an app. */
const PASSWORD_EDITS: Readonly<Record<string, string>> = {
  password_hash: "password_hash = 'mine'",
  password_signature: "password_signature = ''",
  'another owner’s': `password_hash = (SELECT password_hash FROM owners WHERE owner_id = 'OWNER'),
    password_signature = (SELECT password_signature FROM owners WHERE owner_id = 'OWNER')`,
  'the signature of the second step': 'password_signature = second_step_signature',
};
const SECOND_STEP_EDITS: Readonly<Record<string, string>> = {
  'second_step, removed': 'second_step = NULL',
  'second_step, another owner’s': `second_step = NULL,
    second_step_signature = (SELECT second_step_signature FROM owners WHERE owner_id = 'OWNER')`,
  'second_step, its used codes': `second_step = replace(second_step, '"last_step":10', '"last_step":9')`,
  'second_step, a recovery code': `second_step = replace(second_step, '"one"', '"mine"')`,
  'second_step, a passkey': `passkey_handle = 'handle', second_step = replace(second_step, '"passkeys":[]',
    '"passkeys":[{"id":"p","public_key":"mine","host":"x.org","name":"","sign_count":0,"last_challenge_ms":0,"added_at_ms":0,"last_used_at_ms":null}]')`,
  second_step_signature: "second_step_signature = ''",
  'the signature of the password': 'second_step_signature = password_signature',
};

let tries = 0;

for (const { name, open, missing } of editedStores()) {
  describe.skipIf(missing.length > 0)(
    titledWithout([...missing], `what signs an owner in, and was changed in ${name}`),
    () => {
      async function opened() {
        const { connect, sql } = await open();
        const storage = connect();
        onTestFinished(() => storage.close());
        const other = await addPerson(storage);
        const edit = (table: string, set: string, ownerId: string, more = '') =>
          sql(
            `UPDATE ${table} SET ${set.replaceAll('OWNER', other).replaceAll('ID', ownerId)} WHERE owner_id = '${ownerId}'${more}`,
          );
        return { storage, other, sql, edit };
      }
      const altered = (storage: Storage, ownerId: string) => storage.alteredAccess(ownerId, SIGNER);
      const tried = async (storage: Storage, ownerId: string) => {
        // Each try has counters of its own, so that none waits.
        tries += 1;
        const rows = { address: 3 * tries, newcomers: 3 * tries + 1, repeaters: 3 * tries + 2 };
        const attempt = { email: `${ownerId}@example.org`, rows, deviceHash: null, now: NOON };
        const end = await storage.takePasswordTry({ ...attempt, signer: SIGNER });
        if (end.kind !== 'check') throw new Error('the try has to wait');
        return { passwordHash: end.found?.passwordHash, isAltered: end.found?.isAltered };
      };
      const shown = (storage: Storage, ownerId: string) =>
        storage.takeSecondStep({
          ...{ ownerId, deviceHash: null, newDeviceHash: 'new', signer: SIGNER, now: NOON },
          proof: { kind: 'app', sealedSecret: 'sealed', steps: [11] },
        });

      it('is a session that opens nothing and cannot be confirmed, whatever was changed in it', async () => {
        const { storage, edit, sql } = await opened();
        for (const [column, set] of Object.entries(SESSION_EDITS)) {
          const ownerId = await addPerson(storage);
          for (const id of ['s1', 's2']) await begin(storage, aSession(ownerId, id));
          await edit('sessions', set, ownerId, " AND session_id = 's1'");
          const found = await Promise.all(
            ['s1', 'mine'].map((token) => storage.session(token, SIGNER, NOON)),
          );
          const confirm = { ownerId, sessionId: 's1', proofKey: 'mine', signer: SIGNER, now: at(1) };
          expect({ column, found, confirmed: await storage.confirmSession(confirm) }).toEqual({
            column,
            found: [undefined, undefined],
            confirmed: false,
          });
          expect((await storage.session('s2', SIGNER, NOON))?.session.id).toBe('s2');
          await sql('DELETE FROM sessions');
        }
      });

      it('is named, and a session can be ended', async () => {
        const { storage, edit } = await opened();
        const ownerId = await addPerson(storage);
        for (const id of ['s1', 's2']) await begin(storage, aSession(ownerId, id));
        expect(await altered(storage, ownerId)).toEqual([]);
        await edit('sessions', 'authenticated_at_ms = 1', ownerId, " AND session_id = 's1'");
        await edit('owners', "password_hash = 'mine', second_step_signature = ''", ownerId);
        expect(await altered(storage, ownerId)).toEqual(['password', 'second_step', 'session']);
        const listed = await storage.sessions(ownerId, SIGNER, NOON);
        expect(listed.map(({ id, isAltered }) => [id, isAltered])).toEqual([
          ['s1', true],
          ['s2', false],
        ]);
        expect(await storage.endSession(ownerId, 's1')).toBe(true);
        expect(await altered(storage, ownerId)).toEqual(['password', 'second_step']);
      });

      it('is a session that somebody added', async () => {
        const { storage, other, sql } = await opened();
        await begin(storage, aSession(other, 's1'));
        await sql(`INSERT INTO sessions SELECT owner_id, 'added', 'mine', authenticated_at_ms, created_at_ms, last_used_at_ms,
          expires_at_ms, browser, address, proof_key, signature FROM sessions WHERE session_id = 's1'`);
        expect(await storage.session('mine', SIGNER, NOON)).toBeUndefined();
        expect(await altered(storage, other)).toEqual(['session']);
      });

      it('is a password that matches nothing, until a new one is set', async () => {
        const { storage, edit } = await opened();
        for (const [column, set] of Object.entries(PASSWORD_EDITS)) {
          const ownerId = await addPerson(storage);
          expect(await tried(storage, ownerId)).toEqual({ passwordHash: PASSWORD_HASH, isAltered: false });
          await edit('owners', set, ownerId);
          expect({ column, ...(await tried(storage, ownerId)) }).toEqual({
            column,
            passwordHash: null,
            isAltered: true,
          });
          expect(await altered(storage, ownerId)).toEqual(['password']);
          await storage.setPassword(ownerId, PASSWORD_HASH, SIGNER);
          expect(await tried(storage, ownerId)).toEqual({ passwordHash: PASSWORD_HASH, isAltered: false });
        }
      });

      it('is a password of an owner who has none', async () => {
        const { storage, edit } = await opened();
        const ownerId = await addOwner(storage);
        await edit('owners', "password_hash = 'mine'", ownerId);
        expect(await tried(storage, ownerId)).toEqual({ passwordHash: null, isAltered: true });
      });

      it('is a second step with which nobody signs in, until it is removed', async () => {
        const { storage, edit } = await opened();
        for (const [column, set] of Object.entries(SECOND_STEP_EDITS)) {
          const ownerId = await addPerson(storage);
          await storage.changeSecondStep(ownerId, anApp(), SIGNER);
          await edit('owners', set, ownerId);
          expect({
            column,
            ...(await tried(storage, ownerId)),
            shown: await shown(storage, ownerId),
          }).toEqual({
            ...{ column, passwordHash: null, isAltered: true },
            shown: { kind: 'altered' },
          });
          const before = await storage.secondStep(ownerId);
          expect(await storage.changeSecondStep(ownerId, anApp('another'), SIGNER)).toMatchObject({
            isAltered: true,
          });
          await storage.setPassword(ownerId, PASSWORD_HASH, SIGNER);
          expect(await storage.secondStep(ownerId)).toEqual(before);
          expect({ column, altered: await altered(storage, ownerId) }).toEqual({
            column,
            altered: ['second_step'],
          });
          await storage.changeSecondStep(ownerId, { type: 'remove_all' }, SIGNER);
          expect(await tried(storage, ownerId)).toEqual({ passwordHash: PASSWORD_HASH, isAltered: false });
        }
      });

      it('is refused at the door, and named in the log', async () => {
        const { storage, edit } = await opened();
        const logged: unknown[] = [];
        const log = { ...silentLog, error: (...line: unknown[]) => void logged.push(line) };
        const { service, ownerId } = await openTestService({ storage, log, email: 'me@example.org' });
        await service.owners.setPassword(ownerId, 'a long password');
        const browser = { address: '192.0.2.1', device: undefined, browser: 'Firefox', proofKey: null };
        const signIn = () =>
          service.sessions.signIn({ email: 'me@example.org', password: 'a long password', ...browser });
        const before = await signIn();
        if (before?.kind !== 'signed_in') throw new Error('the sign-in failed');
        await edit('owners', "second_step_signature = ''", ownerId);
        expect(await signIn()).toBeUndefined();
        expect(await service.owners.alteredAccess(ownerId)).toEqual(['second_step']);
        await expect(service.secondSteps.newRecoveryCodes(ownerId)).rejects.toMatchObject({
          details: { remedy: expect.stringContaining('second-step-off') as unknown },
        });
        await service.secondSteps.removeAll(ownerId);
        expect(await signIn()).toMatchObject({ kind: 'signed_in' });
        expect(logged).toEqual([
          ['a sign-in was changed outside Countersign, and is refused', { owner: ownerId }],
        ]);
        await edit('sessions', "browser = 'Another'", ownerId);
        expect(await service.sessions.find(before.session)).toBeUndefined();
      });

      it('counts if Countersign wrote it, however it was used', async () => {
        const { storage } = await opened();
        const ownerId = await addPerson(storage);
        await begin(storage, aSession(ownerId, 's1'));
        await storage.useSession({ ownerId, sessionId: 's1', now: at(1) });
        await storage.changeSecondStep(ownerId, anApp(), SIGNER);
        expect(await shown(storage, ownerId)).toMatchObject({ kind: 'right' });
        expect(await shown(storage, ownerId)).toMatchObject({ kind: 'wrong' });
        await storage.confirmSession({
          ...{ ownerId, sessionId: 's1', proofKey: 'new', signer: SIGNER, now: at(1) },
        });
        expect(await storage.session('s1', SIGNER, NOON)).toMatchObject({ session: { proofKey: 'new' } });
        expect(await altered(storage, ownerId)).toEqual([]);
        await storage.setPassword(ownerId, 'another', SIGNER);
        expect(await altered(storage, ownerId)).toEqual([]);
      });
    },
  );
}

const word = fc.oneof(fc.string(), fc.constantFrom('","', '1,"a"', 'null', '[]', ''));
const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) });
const keyring = createKeyring([randomBytes(32)], randomBytes);
const stranger = createKeyring([randomBytes(32)], randomBytes);

/** Signs both, and checks that only the right row of the right key fits. @param textOf  what is signed of a row */
function expectSigned<Row, Signed extends Row>(
  rows: fc.Arbitrary<Row>,
  textOf: (row: Row) => string,
  sign: (row: Row, signer: typeof keyring) => Signed,
  isIntact: (row: Signed, signer: typeof keyring) => boolean,
): void {
  fc.assert(
    fc.property(rows, rows, (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(textOf(one) === textOf(other)).toBe(isSame);
      const signed = sign(one, keyring);
      expect(isIntact(signed, keyring)).toBe(true);
      expect(isIntact({ ...signed, ...other }, keyring)).toBe(isSame);
      expect(isIntact(sign(one, stranger), keyring)).toBe(false);
    }),
  );
}

describe('the signature', () => {
  it('of a password fits no other', () => {
    expectSigned(
      fc.record({ ownerId: word, passwordHash: fc.option(word) }),
      passwordText,
      (row, signer) => ({ ...row, ...signedPassword(row.ownerId, row.passwordHash, signer) }),
      isPasswordIntact,
    );
  });

  it('of a second step fits no other', () => {
    const passkey = fc.record({
      ...{
        id: word,
        publicKey: word,
        host: word,
        name: word,
        signCount: fc.nat(),
        lastChallengeMs: fc.nat(),
      },
      ...{ addedAt: time, lastUsedAt: fc.option(time) },
    });
    const secondStep: fc.Arbitrary<SecondStep> = fc.record({
      // What is sealed is not signed: it opens for its owner only.
      app: fc.option(fc.record({ sealedSecret: fc.constant('sealed'), lastStep: fc.nat(), addedAt: time })),
      passkeys: fc.array(passkey, { maxLength: 3 }),
      recoveryHashes: fc.array(word, { maxLength: 3 }),
      strangers: fc.record({ failures: fc.nat(), lastMs: fc.nat() }),
    });
    expectSigned(
      fc.record({ ownerId: word, secondStep: fc.option(secondStep) }),
      secondStepText,
      (row, signer) => ({ ...row, ...signedSecondStep(row.ownerId, row.secondStep, signer) }),
      isSecondStepIntact,
    );
  });

  it('of a session fits no other, and stays when it is used', () => {
    expectSigned(
      fc.record({
        ...{ ownerId: word, sessionId: word, tokenHash: word, browser: word, address: word },
        ...{ authenticatedAt: time, createdAt: time, expiresAt: time, proofKey: fc.option(word) },
        lastUsedAt: fc.constant(NOON),
      }),
      sessionText,
      signedSession,
      isSessionIntact,
    );
    const row = { ...aSession('o', 's'), sessionId: 's', tokenHash: 't', expiresAt: at(9) };
    expect(isSessionIntact({ ...signedSession(row, keyring), lastUsedAt: at(5) }, keyring)).toBe(true);
  });
});
