import { expect, it } from 'vitest';
import { openDashboard } from './open-dashboard.ts';

/** Every key that is not revoked is reported as changed. */
function openAltered() {
  return openDashboard({
    between: (service) => ({
      ...service,
      keys: {
        ...service.keys,
        list: async (ownerId) =>
          (await service.keys.list(ownerId)).map((key) => ({ ...key, isAltered: key.revokedAt === null })),
      },
    }),
  });
}

it('a key that was changed outside Countersign is named on the page, and can only be revoked there', async () => {
  const dashboard = await openAltered();
  const path = `/integrations/${dashboard.key.keyId}`;
  const cookie = await dashboard.cookie();
  const shown = async () => (await dashboard.send({ path: '/integrations', headers: { cookie } })).body;
  const before = await shown();
  expect(before).toContain('This key was changed outside Countersign. Revoke it and create a new one.');
  expect(before).toContain(`${path}/revoke`);
  expect(before).not.toContain(`${path}/rotate`);
  expect(before).not.toContain(`${path}/modes`);
  const revoked = await dashboard.submit({ path: `${path}/revoke`, headers: { cookie } });
  expect(revoked.status).toBe(303);
  expect(await shown()).not.toContain('This key was changed outside');
});

it('an endpoint of a key that was changed outside Countersign says that nothing is sent to it', async () => {
  const dashboard = await openAltered();
  const { service, ownerId, key } = dashboard;
  const { endpointId } = await service.webhooks.add({
    ownerId,
    keyId: key.keyId,
    url: 'https://hooks.example.org/',
  });
  const headers = { cookie: await dashboard.cookie() };
  const { body } = await dashboard.send({ path: '/integrations/webhooks', headers });
  expect(body).toContain('Its key was changed outside Countersign, so nothing is sent to it.');
  expect(body).not.toContain(`/integrations/webhooks/${endpointId}/test`);
  expect(body).not.toContain('<option');
});
