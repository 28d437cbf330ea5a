import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../core/ports/mail-provider.ts';
import { type GrantingProvider, grantingProvider } from '../../granting-provider.ts';
import { openDashboard } from './open-dashboard.ts';

const EMAIL = 'ann@example.org';

/** A dashboard whose owner signs in at a provider. `come` leads to the provider and back. */
async function open(provider: GrantingProvider = grantingProvider('own')) {
  const connect = { settings: () => ({}) };
  const dashboard = await openDashboard({ mailProviders: [provider], connect });
  const { service, ownerId, send, submit } = dashboard;
  const headers = { cookie: await dashboard.cookie() };
  const begin = async (path: string, form = {}) => {
    const { body } = await submit({ path, headers, form });
    return /\?state=([\w-]+)/.exec(body)?.[1] ?? '';
  };
  const answer = (state: string) =>
    send({ path: `/accounts/sign-in/own/callback?code=code&state=${state}`, headers });
  const connectAs = async (form = {}) =>
    answer(await begin('/accounts/sign-in/own', { email: EMAIL, label: 'Work', ...form }));
  const again = async (accountId: number) => answer(await begin(`/accounts/${accountId}/sign-in`));
  const accounts = () => service.accounts.list(ownerId);
  return { ...dashboard, provider, connectAs, again, answer, accounts };
}

/** The parts of the page that say what is wrong, with the heading or address that they are under. */
function problemPlaces(body: string): readonly string[] {
  return body
    .split('role="alert"')
    .slice(0, -1)
    .map(
      (before) =>
        [...before.matchAll(/<h[12][^>]*>([^<]*)|<strong><bdi>([^<]*)/g)].at(-1)?.slice(1).join('') ?? '',
    );
}

describe('a sign-in at the provider', () => {
  it('leads a new owner on with the setup, and others to the accounts', async () => {
    const { connectAs, service, ownerId, key, again } = await open();
    expect((await connectAs()).headers.location).toBe('/accounts?notice=account_connected');
    expect((await again(2)).headers.location).toBe('/accounts?notice=signed_in_again');
    await service.keys.revoke(ownerId, key.keyId);
    await service.accounts.remove(ownerId, 2);
    expect((await connectAs()).headers.location).toBe('/setup?notice=account_connected');
  });

  it('that fails says so at what it was for, and keeps the address', async () => {
    const { connectAs, again, answer, provider, accounts } = await open();
    await connectAs();
    const { grants } = provider;
    provider.grants = new ProviderError('denied', 'The sign-in was not allowed at Own.');

    const failedAgain = await again(2);
    expect(failedAgain.status).toBe(422);
    expect(failedAgain.body).toContain('The sign-in was not allowed at Own.');
    expect(problemPlaces(failedAgain.body)).toEqual([EMAIL]);

    const failedNew = await connectAs({ email: 'bob@example.org' });
    expect(problemPlaces(failedNew.body)).toEqual(['Connect an account']);
    expect(failedNew.body).toContain('value="bob@example.org"');
    expect(failedNew.body).toContain('value="Work"');

    provider.grants = grants;
    const used = await answer('unknown');
    expect(problemPlaces(used.body)).toEqual(['Accounts']);
    expect(await accounts()).toHaveLength(2);
  });

  it('is not replaced by a password, even by a forged form', async () => {
    const { connectAs, submit, cookie, service, ownerId } = await open();
    await connectAs();
    const servers = { host: 'localhost', port: '993', security: 'tls', user: '' };
    const named = (which: string) =>
      Object.fromEntries(Object.entries(servers).map(([name, value]) => [`${which}_${name}`, value]));
    const form = { email: EMAIL, account: '2', ...named('imap'), ...named('smtp'), password: 'x' };
    const answer = await submit({ path: '/accounts', headers: { cookie: await cookie() }, form });
    expect(answer.status).toBe(404);
    expect(await service.accounts.settings(ownerId, 2)).toEqual({ of: EMAIL, at: 'own' });
  });
});
