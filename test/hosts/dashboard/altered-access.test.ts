import { expect, it } from 'vitest';
import { openDashboard } from './open-dashboard.ts';

it('what signs an owner in and was changed outside Countersign is named, with what to do', async () => {
  let isAltered = false;
  const dashboard = await openDashboard({
    between: (service) => ({
      ...service,
      owners: {
        ...service.owners,
        alteredAccess: async () => (isAltered ? ['password', 'second_step', 'session'] : []),
      },
      sessions: {
        ...service.sessions,
        list: async (ownerId) => (await service.sessions.list(ownerId)).map((one) => ({ ...one, isAltered })),
      },
    }),
  });
  // Another session than the one that looks.
  await dashboard.cookie();
  const headers = { cookie: await dashboard.cookie() };
  const shown = async (path: string) => (await dashboard.send({ path, headers })).body;
  for (const path of ['/approvals', '/settings'])
    expect(await shown(path)).not.toContain('outside Countersign');
  isAltered = true;
  const approvals = await shown('/approvals');
  for (const what of ['Your password was', 'Your second step was', 'A session was changed or added'])
    expect(approvals).toContain(what);
  expect(approvals).toContain('What to do');
  const settings = await shown('/settings');
  expect(settings).toContain('<code>countersign owner password owner@example.org</code>');
  expect(settings).toContain('<code>countersign owner second-step-off owner@example.org</code>');
  expect(settings).toContain('This session was changed or added outside Countersign. It opens nothing.');
  expect(settings.split('It opens nothing. You can end it below.')).toHaveLength(2);
});
