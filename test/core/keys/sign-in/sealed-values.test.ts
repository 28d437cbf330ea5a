import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../../core/keys/permissions.ts';
import { registerClient, registeredClient } from '../../../../core/keys/sign-in/client.ts';
import { redeemable, sealCode } from '../../../../core/keys/sign-in/code.ts';
import { isChallenge, isVerified } from '../../../../core/keys/sign-in/pkce.ts';
import { newRefreshToken, openRefreshToken } from '../../../../core/keys/sign-in/refresh-token.ts';
import { openRequest, sealRequest, signInName } from '../../../../core/keys/sign-in/request.ts';
import { createKeyring } from '../../../../core/secrets/keyring.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const keyring = createKeyring([randomBytes(32)], randomBytes);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const REQUEST = {
  clientHash: sha256('client'),
  clientName: 'Assistant',
  documentHost: null,
  redirectUri: 'https://assistant.example/callback',
  challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
  state: null,
  issuer: 'https://mcp.example.org',
  issuedMs: NOW.getTime(),
};

const CONSENT = {
  ownerId: 'owner',
  credentialId: 'key_1',
  clientHash: sha256('client'),
  redirectHash: sha256(REQUEST.redirectUri),
  challenge: REQUEST.challenge,
  name: 'n',
  modes: PRESETS.full.modes,
  accounts: [1, 2],
  endsMs: NOW.getTime() + 1000,
  issuedMs: NOW.getTime(),
};

describe('PKCE', () => {
  it('accepts the verifier of a challenge and no other', () => {
    const verifier = fc.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/);
    fc.assert(
      fc.property(verifier, verifier, (one, other) => {
        const challenge = createHash('sha256').update(one).digest('base64url');
        expect([isChallenge(challenge), isVerified(one, challenge)]).toEqual([true, true]);
        expect(isVerified(other, challenge)).toBe(one === other);
      }),
    );
  });

  it.each(['', 'x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(43)} `, `${'x'.repeat(42)}+`])(
    'refuses the verifier %j',
    (verifier) => {
      expect(isVerified(verifier, createHash('sha256').update(verifier).digest('base64url'))).toBe(false);
    },
  );
});

describe('what a client or browser keeps', () => {
  const refreshToken = { ownerId: 'owner', credentialId: 'key_1', clientHash: sha256('client') };
  const registered = registerClient({ redirect_uris: [REQUEST.redirectUri] }, keyring, NOW);
  if (registered.kind === 'refused') throw new Error(registered.description);

  /** Whether each kind of value opens the text. */
  function opened(text: string) {
    const form = {
      code: text,
      client_id: 'client',
      redirect_uri: REQUEST.redirectUri,
      code_verifier: 'v'.repeat(43),
    };
    return {
      client: registeredClient(text, keyring) !== undefined,
      request: openRequest(text, keyring, NOW) !== undefined,
      code: redeemable(new Map(Object.entries(form)), keyring, NOW).kind === 'redeemable',
      refreshToken: openRefreshToken(text, keyring) !== undefined,
    };
  }

  const NOTHING = { client: false, request: false, code: false, refreshToken: false };
  const TEXTS = {
    client: registered.clientId,
    request: sealRequest(REQUEST, keyring),
    code: sealCode(CONSENT, keyring),
    refreshToken: newRefreshToken(refreshToken, keyring),
  };

  it.each(Object.entries(TEXTS))('opens as what it is: %s', (kind, text) => {
    expect(opened(text)).toEqual({ ...NOTHING, [kind]: true });
    for (const prefix of ['svc_client_', 'svc_ort_']) {
      const bare = text.replace(/^svc_(?:client|ort)_/, '');
      if (`${prefix}${bare}` !== text) expect(opened(`${prefix}${bare}`)).toEqual(NOTHING);
    }
  });

  it.each(Object.entries(TEXTS))('does not open with a character changed: %s', (_kind, text) => {
    fc.assert(
      fc.property(fc.nat(text.length - 2), fc.constantFrom(...'AZaz09_-'), (at, character) => {
        fc.pre(text[at] !== character);
        expect(opened(text.slice(0, at) + character + text.slice(at + 1))).toEqual(NOTHING);
      }),
    );
  });

  it.each(Object.entries(TEXTS))('does not open with another secret key: %s', (_kind, text) => {
    const other = createKeyring([randomBytes(32)], randomBytes);
    expect(registeredClient(text, other)).toBeUndefined();
    expect(openRequest(text, other, NOW)).toBeUndefined();
    expect(openRefreshToken(text, other)).toBeUndefined();
  });

  it('lasts 30 minutes as a request, and not at all if the clock was set back', () => {
    const at = (ms: number) =>
      openRequest(TEXTS.request, keyring, new Date(NOW.getTime() + ms)) !== undefined;
    expect([at(-1), at(0), at(30 * 60_000 - 1), at(30 * 60_000)]).toEqual([false, true, true, false]);
  });
});

describe('the name of a sign-in', () => {
  it.each([
    [{}, 'assistant.example (“Assistant”)'],
    [{ documentHost: 'vouching.example' }, 'vouching.example (“Assistant”)'],
    [
      { documentHost: 'vouching.example', redirectUri: 'http://127.0.0.1:4000/' },
      'A program on your computer (“Assistant”)',
    ],
  ])('starts with what is certain: %j', (changes, name) => {
    expect(signInName({ ...REQUEST, ...changes })).toBe(name);
  });

  it('cannot be left by the name of the client', () => {
    const client = registerClient(
      { redirect_uris: [REQUEST.redirectUri], client_name: 'A”) claude.ai (“B\n\u0000C' },
      keyring,
      NOW,
    );
    expect(client).toMatchObject({ name: 'A) claude.ai (B C' });
  });
});
