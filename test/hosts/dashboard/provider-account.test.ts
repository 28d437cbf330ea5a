import { expect, it } from 'vitest';
import { openDashboard } from './open-dashboard.ts';

it('an account that signs in at its provider has no password to update, even if its sign-in cannot be opened', async () => {
  const grant = { sealed: 'damaged', withdrawnAt: null, fence: 0, leaseUntilMs: 0 };
  const connect = { settings: () => ({}), withPassword: () => ({}), fieldsOf: () => Object.create(null) };
  const dashboard = await openDashboard({
    connect,
    between: (service) => ({
      ...service,
      accounts: {
        ...service.accounts,
        list: async (ownerId) =>
          (await service.accounts.list(ownerId)).map((account) => ({ ...account, grant })),
      },
    }),
  });
  const headers = { cookie: await dashboard.cookie() };
  const { body } = await dashboard.send({ path: '/accounts', headers });
  expect(body).toContain('Name and signature');
  expect(body).not.toMatch(/Update password|Change servers/);
  for (const path of ['/accounts/1/password', '/accounts/1/servers']) {
    expect((await dashboard.send({ path, headers })).status, path).toBe(404);
  }
});
