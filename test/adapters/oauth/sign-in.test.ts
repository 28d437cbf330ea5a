import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { limitedFetch } from '../../../adapters/oauth/limited-fetch.ts';
import { microsoftProvider, oauthProvider } from '../../../adapters/oauth/providers.ts';
import { type MailProvider, startMailProvider } from '../../servers/mail-provider.ts';

const HOSTS = { imap: { host: 'imap.example.test' }, smtp: { host: 'smtp.example.test' } };
const OWN = { id: 'own', name: 'Own', clientId: 'client', scopes: ['mail'], ...HOSTS };
const SIGN_IN = { redirectUri: 'http://127.0.0.1/callback', state: 'state', codeVerifier: 'v'.repeat(43) };
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
const WORK = '72f988bf-86f1-41af-91ab-2d7cd011db47';

/** Answers in place of the hosts of real providers. */
const instead = vi.hoisted(() => ({ fetch: undefined as ((url: string) => Promise<Response>) | undefined }));
vi.mock('../../../adapters/oauth/limited-fetch.ts', async (actual) => {
  const real = await actual<{ readonly limitedFetch: typeof limitedFetch }>();
  const fetch: typeof limitedFetch = (url, init) => instead.fetch?.(url) ?? real.limitedFetch(url, init);
  return { limitedFetch: fetch };
});

/** Answers every request of a provider. @param answers  by the end of the address; JSON */
function answer(answers: Readonly<Record<string, unknown>>): void {
  instead.fetch = async (url) => {
    const [, body] = Object.entries(answers).find(([end]) => url.endsWith(end)) ?? [];
    if (body === undefined) throw new Error(`unexpected request to ${url}`);
    return Response.json(body);
  };
  onTestFinished(() => {
    instead.fetch = undefined;
  });
}

/** An answer of the token endpoint. The signature of an ID token does not count: it comes over TLS from its issuer. */
function tokens(claims: Readonly<Record<string, unknown>>) {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const nowS = Math.floor(Date.now() / 1000);
  const usual = { aud: 'client', sub: 'somebody', iat: nowS, exp: nowS + 3600, email: 'Ann@Example.org' };
  return {
    ...{ token_type: 'bearer', access_token: 'access', refresh_token: 'refresh', expires_in: 3600 },
    id_token: `${part({ alg: 'RS256' })}.${part({ ...usual, ...claims })}.${part('signature')}`,
  };
}

const redeem = (
  provider: Pick<ReturnType<typeof oauthProvider>, 'redeem'>,
  parameters: Record<string, string> = {},
) =>
  provider.redeem({
    ...SIGN_IN,
    parameters: new URLSearchParams({ state: 'state', code: 'code', ...parameters }),
  });

describe('the answer of a sign-in', () => {
  let real: MailProvider;
  beforeAll(async () => {
    real = await startMailProvider();
  });
  afterAll(() => real.stop());

  it.each([
    ['of another provider', { iss: 'https://other.example.org' }],
    ['without the issuer, if the provider always names it', {}],
  ])('%s is refused before its code goes anywhere', async (_what, parameters) => {
    const provider = oauthProvider({ ...OWN, issuer: real.issuer });
    await expect(redeem(provider, parameters)).rejects.toMatchObject({ code: 'invalid_sign_in' });
    expect(real.tokenRequests).toEqual([]);
  });

  it.each([
    ['common', PERSONAL, true],
    ['common', WORK, true],
    ['consumers', PERSONAL, true],
    ['consumers', WORK, false],
    ['organizations', PERSONAL, false],
    ['organizations', WORK, true],
    [WORK.toUpperCase(), WORK, true],
    [WORK, PERSONAL, false],
  ])('of Microsoft for the tenant %s from an account of %s: accepted is %s', async (tenant, of, accepted) => {
    answer({ '/token': tokens({ iss: `https://login.microsoftonline.com/${of}/v2.0` }) });
    const signedIn = redeem(microsoftProvider({ clientId: 'client', tenant }));
    if (accepted) expect(await signedIn).toMatchObject({ addresses: ['ann@example.org'] });
    else await expect(signedIn).rejects.toMatchObject({ code: 'refused' });
  });

  it.each([
    ['another client', { aud: 'somebody else' }],
    ['another issuer', { iss: 'https://other.example.org' }],
    ['a time long ago', { exp: 1 }],
  ])('with an ID token for %s is refused', async (_what, claims) => {
    answer({ '/token': tokens({ iss: 'https://id.example.org', ...claims }) });
    const endpoints = { authorization: 'https://id.example.org/auth', token: 'https://id.example.org/token' };
    const provider = oauthProvider({ ...OWN, issuer: 'https://id.example.org', endpoints });
    await expect(redeem(provider)).rejects.toMatchObject({ code: 'refused' });
  });

  it('is accepted if the clocks differ by four minutes', async () => {
    const issuer = 'https://id.example.org';
    const nowS = Math.floor(Date.now() / 1000);
    const endpoints = { authorization: `${issuer}/auth`, token: `${issuer}/token` };
    const provider = oauthProvider({ ...OWN, issuer, endpoints });
    answer({ '/token': tokens({ iss: issuer, iat: nowS + 240, exp: nowS - 240 }) });
    expect(await redeem(provider)).toMatchObject({ accessToken: 'access', expiresInS: 3600 });
  });

  it.each([false, 'false'])('reports no address whose email_verified is %j', async (email_verified) => {
    const issuer = 'https://id.example.org';
    answer({ '/token': tokens({ iss: issuer, email_verified }) });
    const endpoints = { authorization: `${issuer}/auth`, token: `${issuer}/token` };
    expect(await redeem(oauthProvider({ ...OWN, issuer, endpoints }))).toMatchObject({ addresses: [] });
  });
});

describe('what a provider publishes', () => {
  const issuer = 'https://id.example.org';
  const published = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };

  it.each([
    ['a script as the page to sign in at', { authorization_endpoint: 'javascript:alert(1)' }, 'refused'],
    ['an endpoint without TLS', { token_endpoint: 'http://169.254.169.254/latest' }, 'refused'],
    ['another issuer', { issuer: 'https://other.example.org' }, 'refused'],
    ['no document', { issuer: undefined }, 'unavailable'],
  ])('is not used if it has %s', async (_what, wrong, code) => {
    answer({ '/.well-known/openid-configuration': { ...published, ...wrong } });
    const provider = oauthProvider({ ...OWN, issuer });
    const url = provider.authorizationUrl({ ...SIGN_IN, email: 'ann@example.org' });
    await expect(url).rejects.toMatchObject({ name: 'ProviderError', code });
  });

  it('is polled once a second at most while a device signs in', async () => {
    const device_authorization_endpoint = `${issuer}/device`;
    answer({
      '/.well-known/openid-configuration': { ...published, device_authorization_endpoint },
      '/device': {
        ...{ device_code: 'd', user_code: 'u', verification_uri: `${issuer}/here` },
        ...{ expires_in: 600, interval: 0.001 },
      },
    });
    expect(await oauthProvider({ ...OWN, issuer, device: true }).startDevice()).toMatchObject({
      intervalS: 1,
    });
  });
});
