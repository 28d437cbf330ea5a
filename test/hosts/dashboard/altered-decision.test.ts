import { expect, it } from 'vitest';
import { openDashboard } from './open-dashboard.ts';

it('a request whose approval was changed outside Countersign says so, and does not say that the owner decided it', async () => {
  const dashboard = await openDashboard({
    between: (service) => ({
      ...service,
      approvals: {
        ...service.approvals,
        show: async (ownerId, id) => {
          const view = await service.approvals.show(ownerId, id);
          if (view?.approval.state !== 'rejected') return view;
          // As one that was approved by hand ends: with what somebody wrote about who decided it.
          const { endedAt, decidedIn, rejection: _none, ...filed } = view.approval;
          const authorization = { by: 'owner', at: endedAt, decidedIn, edit: null } as const;
          const altered = { startedAt: null, endedAt, error: 'altered', sizes: null } as const;
          return { ...view, approval: { ...filed, state: 'failed', authorization, ...altered } };
        },
      },
    }),
  });
  const headers = { cookie: await dashboard.cookie() };
  const id = await dashboard.ask({});
  const path = `/approvals/${id}`;
  expect((await dashboard.submit({ path: `${path}/reject/suspicious`, headers })).status).toBe(303);
  const { body } = await dashboard.send({ path, headers });
  expect(body).toContain('Its approval was changed outside Countersign.');
  expect(body).toContain('Find out who can write to the database');
  expect(body).toContain('It is not known who decided it.');
  expect(body).not.toContain('You decided it');
  expect(body).not.toContain('signed in <');
});
