import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { proven, readAssertion, readNewPasskey } from '../../../core/secrets/webauthn.ts';
import { openTestService } from '../../open-service.ts';
import { softwarePasskey } from '../secrets/software-authenticator.ts';

const ORIGIN = 'https://dash.example.org';
const PLACE = { origin: ORIGIN, host: 'dash.example.org' };
const PASSWORD = 'correct horse battery';
const MINUTE_MS = 60_000;

async function openWithPasskey() {
  const opened = await openTestService({ email: 'ada@example.org' });
  onTestFinished(() => opened.service.stop());
  const { service, ownerId } = opened;
  await service.owners.setPassword(ownerId, PASSWORD);
  const passkey = softwarePasskey(ownerId, ORIGIN);
  const add = (one = passkey, lies = {}, binding = 'new') => {
    const answer = one.create(service.secondSteps.challenge('new'), lies);
    return service.secondSteps.addPasskey(ownerId, { answer, place: PLACE, binding, name: 'Phone' });
  };
  const signIn = (answer: string, binding = 'b', place = PLACE) =>
    service.sessions.signInWithPasskey({
      ...{ answer, place, binding, address: '192.0.2.1', device: undefined, browser: 'b', proofKey: null },
    });
  return { ...opened, passkey, add, signIn };
}

describe('a passkey', () => {
  it('signs in by itself, turns the second step on, and accepts each challenge once', async () => {
    const { service, ownerId, clock, passkey, add, signIn } = await openWithPasskey();
    expect(await add()).toEqual({ recoveryCodes: expect.arrayContaining([expect.any(String)]) });
    clock.shift(1);
    const challenge = service.secondSteps.challenge('b');
    const signedIn = await signIn(passkey.use(challenge));
    expect((await service.sessions.find(signedIn?.session ?? ''))?.owner.ownerId).toBe(ownerId);
    expect(await signIn(passkey.use(challenge))).toBeUndefined();
    expect(await service.secondSteps.show(ownerId)).toMatchObject({
      app: null,
      passkeys: [{ id: passkey.id, name: 'Phone', host: 'dash.example.org', lastUsedAt: expect.any(Date) }],
    });
    const facts = { address: '192.0.2.1', device: undefined, browser: 'b', proofKey: null };
    const byPassword = await service.sessions.signIn({
      email: 'ada@example.org',
      password: PASSWORD,
      ...facts,
    });
    expect(byPassword?.kind).toBe('second_step');
    await service.secondSteps.removePasskey(ownerId, passkey.id);
    expect(await service.secondSteps.show(ownerId)).toBeNull();
    clock.shift(1);
    expect(await signIn(passkey.use(service.secondSteps.challenge('b')))).toBeUndefined();
  });

  it.each([
    ['of another origin', { origin: 'https://dash.example.org:8443' }],
    ['of a page that another site frames', { crossOrigin: true }],
    ['of another host', { host: 'example.org' }],
    ['that did not verify its user', { flags: 0x01 }],
    ['that nobody touched', { flags: 0x04 }],
    ['that was created instead of used', { type: 'webauthn.create' }],
    ['whose counter did not rise, like that of a copy', { signCount: 1 }],
    ['of somebody else', { handle: 'ab'.repeat(32) }],
  ])('%s is refused', async (_, lies) => {
    const { service, clock, passkey, add, signIn } = await openWithPasskey();
    await add();
    clock.shift(1);
    expect(await signIn(passkey.use(service.secondSteps.challenge('b'), lies))).toBeUndefined();
    clock.shift(1);
    expect(await signIn(passkey.use(service.secondSteps.challenge('b'), { signCount: 2 }))).toBeDefined();
  });

  it('answers only a fresh challenge of the same browser and purpose, at the place that it belongs to', async () => {
    const { service, clock, ownerId, passkey, add, signIn } = await openWithPasskey();
    expect(await add(passkey, {}, 'another')).toBe('not_accepted');
    expect(await add(passkey, { origin: 'https://evil.example' })).toBe('not_accepted');
    expect(await add(passkey, { flags: 0x41 })).toBe('not_accepted');
    expect(await service.secondSteps.show(ownerId)).toBeNull();
    await add();
    clock.shift(1);
    const use = (binding = 'b') => passkey.use(service.secondSteps.challenge(binding));
    expect(await signIn(use(), 'another')).toBeUndefined();
    expect(await signIn(use('new'))).toBeUndefined();
    expect(await signIn(passkey.use('made up'))).toBeUndefined();
    const elsewhere = { origin: 'https://evil.example', host: 'evil.example' };
    expect(await signIn(use(), 'b', elsewhere)).toBeUndefined();
    const late = use();
    clock.shift(10 * MINUTE_MS);
    expect(await signIn(late)).toBeUndefined();
    const stranger = softwarePasskey(ownerId, ORIGIN);
    expect(await signIn(stranger.use(service.secondSteps.challenge('b')))).toBeUndefined();
    expect(await signIn(use())).toBeDefined();
  });

  it('never slows the owner down, whoever sends wrong ones, and an owner has at most ten', async () => {
    const { service, ownerId, clock, passkey, add, signIn } = await openWithPasskey();
    await add();
    clock.shift(1);
    const challenge = service.secondSteps.challenge('b');
    for (let times = 0; times < 12; times++) await signIn(passkey.use(challenge, { signCount: 1 }));
    expect(await signIn(passkey.use(challenge, { signCount: 100 }))).toBeDefined();
    for (let count = 1; count < 10; count++) {
      expect(await add(softwarePasskey(ownerId, ORIGIN))).toEqual({ recoveryCodes: null });
    }
    expect(await add(softwarePasskey(ownerId, ORIGIN))).toBe('limit');
  });
});

describe('what a browser sends of a passkey', () => {
  it.each(['ec', 'ed25519', 'rsa'] as const)(
    'is accepted with a key of kind %s, unless a byte differs',
    (kind) => {
      const passkey = softwarePasskey('own_1', ORIGIN, kind);
      const created = readNewPasskey(passkey.create('first'), PLACE);
      expect(created).toMatchObject({ id: passkey.id, challenge: 'first' });
      const used = readAssertion(passkey.use('second'));
      if (created === undefined || used === undefined) throw new Error('it was not read');
      expect(proven(used, created.publicKey, PLACE)).toEqual({ challenge: 'second', signCount: 2 });
      const parts = ['clientData', 'authenticatorData', 'signature'] as const;
      fc.assert(
        fc.property(
          fc.constantFrom(...parts),
          fc.nat(),
          fc.integer({ min: 1, max: 255 }),
          (part, at, bits) => {
            const bytes = Buffer.from(used[part]);
            const index = at % bytes.length;
            bytes.writeUInt8(bytes.readUInt8(index) ^ bits, index);
            expect(proven({ ...used, [part]: bytes }, created.publicKey, PLACE)).toBeUndefined();
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it('never throws, whatever it is', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.string().map((text) => 'x'.repeat(9000) + text),
    );
    fc.assert(
      fc.property(texts, fc.uint8Array({ maxLength: 200 }), (text, bytes) => {
        const part = Buffer.from(bytes).toString('base64url');
        for (const one of [text, JSON.stringify({ client: text, data: part, key: part })]) {
          expect(readNewPasskey(one, PLACE)).toBeUndefined();
        }
        readAssertion(text);
        const parts = { id: 'a', user: part, client: part, data: part, signature: part };
        const read = readAssertion(JSON.stringify(parts));
        if (read !== undefined) expect(proven(read, part, PLACE)).toBeUndefined();
      }),
    );
  });
});
