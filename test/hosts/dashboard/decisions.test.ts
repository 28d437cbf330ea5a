import { describe, expect, it } from 'vitest';
import { type Dashboard, EMAIL, openDashboard, PASSWORD } from './open-dashboard.ts';

/** The page of a request as it was opened, and its buttons. */
async function openPage(dashboard: Dashboard, id: string, cookie: string) {
  const headers = { cookie };
  const shown = await dashboard.send({ path: `/approvals/${id}`, headers });
  const digest = /name="digest" value="([^"]+)"/.exec(shown.body)?.[1] ?? '';
  return {
    ...shown,
    press: (button: 'approve' | 'reject', fields: Record<string, string> = {}) =>
      dashboard.submit({ path: `/approvals/${id}/${button}`, headers, form: { digest, ...fields } }),
  };
}

async function stateOf(dashboard: Dashboard, id: string) {
  return (await dashboard.service.approvals.show(dashboard.ownerId, id))?.approval.state;
}

describe('a decision', () => {
  it('wins once if two race, and tells the loser', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    const cookie = await dashboard.cookie();
    const [one, other] = [await openPage(dashboard, id, cookie), await openPage(dashboard, id, cookie)];
    const [approved, rejected] = await Promise.all([one.press('approve'), other.press('reject')]);
    expect([approved.status, rejected.status].sort()).toEqual([303, 409]);
    const loser = approved.status === 409 ? approved : rejected;
    expect(loser.body).toMatch(/Nothing was (approved|rejected)\. When you decided, it was already “\w+”\./);
    expect(await stateOf(dashboard, id)).toBe(approved.status === 303 ? 'executed' : 'rejected');
    expect(dashboard.mail.transmitted()).toHaveLength(approved.status === 303 ? 1 : 0);
  });

  it('on an outdated page does nothing: already decided', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    const page = await openPage(dashboard, id, await dashboard.cookie());
    await dashboard.service.approvals.reject(dashboard.ownerId, id);
    const answer = await page.press('approve');
    expect(answer.status).toBe(409);
    expect(answer.body).toContain('it was already “Rejected”');
    expect(answer.body).not.toContain('>Approve<');
    expect(dashboard.mail.transmitted()).toHaveLength(0);
  });

  it('does nothing if the page showed something else, and shows the current state', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ subject: 'As it is now' });
    const page = await openPage(dashboard, id, await dashboard.cookie());
    const answer = await page.press('approve', { digest: 'a'.repeat(64) });
    expect(answer.status).toBe(409);
    expect(answer.body).toContain('did not show what would happen now');
    expect(answer.body).toContain('As it is now');
    expect(await stateOf(dashboard, id)).toBe('pending');
    expect((await page.press('approve', { digest: '' })).status).toBe(400);
    expect(await stateOf(dashboard, id)).toBe('pending');
    expect((await page.press('approve')).status).toBe(303);
  });

  it.each(['approve', 'reject'] as const)('comes too late after a day: %s', async (button) => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    const page = await openPage(dashboard, id, await dashboard.cookie());
    dashboard.clock.shift(24 * 60 * 60 * 1000);
    const answer = await page.press(button, { owner_password: PASSWORD });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatch(/Its time is over|already “Expired”/);
    expect(dashboard.mail.transmitted()).toHaveLength(0);
  });

  it('does nothing once the key is revoked', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    const page = await openPage(dashboard, id, await dashboard.cookie());
    await dashboard.service.keys.revoke(dashboard.ownerId, dashboard.key.keyId);
    const answer = await page.press('approve');
    expect(answer.status).toBe(409);
    expect(answer.body).toContain('Its key or sign-in is no longer valid.');
  });

  it('shows how it ended: refused, or outcome unknown', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    for (const [address, state, meaning] of [
      ['refused@sandbox.invalid', 'Failed', 'nothing was done'],
      ['lost@sandbox.invalid', 'Outcome unknown', 'may or may not have happened'],
    ] as const) {
      const id = await dashboard.ask({ to: [address] });
      const page = await openPage(dashboard, id, cookie);
      expect((await page.press('approve')).headers.location).toBe(`/approvals?decided=${id}`);
      const { body } = await openPage(dashboard, id, cookie);
      expect(body).toContain(`>${state}</span>`);
      expect(body).toContain(meaning);
    }
  });

  it.each([
    ['other_version', 'Another version of Countersign filed this request'],
    ['unreadable', 'What was filed cannot be read.'],
  ] as const)('can only be a rejection if the request cannot be shown: %s', async (kind, words) => {
    const dashboard = await openDashboard({
      between: (service) => ({
        ...service,
        approvals: {
          ...service.approvals,
          async show(ownerId, id) {
            const view = await service.approvals.show(ownerId, id);
            return view && { ...view, content: { kind } };
          },
        },
      }),
    });
    const id = await dashboard.ask({});
    const cookie = await dashboard.cookie();
    const page = await openPage(dashboard, id, cookie);
    expect(page.body).toContain(words);
    expect(page.body).not.toContain('>Approve<');
    const list = await dashboard.send({ path: '/approvals', headers: { cookie } });
    expect(list.body).toContain(`/approvals/${id}`);
    expect((await page.press('reject')).status).toBe(303);
    expect(await stateOf(dashboard, id)).toBe('rejected');
  });

  it('is not open to other owners', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ subject: 'Confidential' });
    const password = 'another long password';
    const { service } = dashboard;
    await service.owners.create({ email: 'other@example.org', password });
    const cookie = await dashboard.cookie({ email: 'other@example.org', password });
    const { status, body } = await openPage(dashboard, id, cookie);
    expect(status).toBe(404);
    expect(body).not.toContain('Confidential');
    const list = await dashboard.send({ path: '/approvals', headers: { cookie } });
    expect(list.body).toContain('Nothing waits for you');
    for (const button of ['approve', 'reject']) {
      const form = { digest: 'a'.repeat(64) };
      const answer = await dashboard.submit({
        path: `/approvals/${id}/${button}`,
        headers: { cookie },
        form,
      });
      expect(answer.status).toBe(404);
    }
    expect(await stateOf(dashboard, id)).toBe('pending');
  });

  it('that is still being carried out says so, and its page reloads itself', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ to: ['tempfail@sandbox.invalid'] });
    const cookie = await dashboard.cookie();
    await (await openPage(dashboard, id, cookie)).press('approve');
    expect(await stateOf(dashboard, id)).toBe('approved');
    const { body } = await openPage(dashboard, id, cookie);
    expect(body).toContain('It is approved, and not done yet. Its server put it off');
    expect(body).toMatch(
      /up to 15 minutes after you approved it\. That is until <time [^>]+>\d\d:\d\d<\/time>\./,
    );
    expect(body).toContain('<meta http-equiv="refresh" content="5"');
    expect(body).not.toContain('>Approve<');
  });
});

describe('the list', () => {
  it('shows waiting requests first, then earlier ones in pages, each with its link', async () => {
    const dashboard = await openDashboard();
    const decided: string[] = [];
    for (let number = 0; number < 35; number++) {
      const id = await dashboard.ask({ subject: `Letter ${number}.` });
      await dashboard.service.approvals.reject(dashboard.ownerId, id);
      decided.unshift(id);
      dashboard.clock.shift(1000);
    }
    const waiting = await dashboard.ask({ to: ['ada@example.net', EMAIL], subject: 'Please' });
    const headers = { cookie: await dashboard.cookie() };
    const linksOf = (html: string) =>
      [...html.matchAll(/href="\/approvals\/(apr_[^"]+)"/g)].map(([, id]) => id);

    const first = (await dashboard.send({ path: '/approvals', headers })).body;
    expect(linksOf(first)).toEqual([waiting, ...decided.slice(0, 30)]);
    expect(first).toContain('owner@example.org');
    const older = /href="(\/approvals\?after=[^"]+)"/.exec(first)?.[1] ?? '';
    const second = (await dashboard.send({ path: older, headers })).body;
    expect(linksOf(second)).toEqual(decided.slice(30));
    expect(second).not.toContain('>Older<');
  });
});

describe('a rejection with a reason', () => {
  it('is shown on the page, which offers to pause the key if the reason is suspicious', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const id = await dashboard.ask({});
    const page = await openPage(dashboard, id, cookie);
    expect(page.body).toContain(`formaction="/approvals/${id}/reject/suspicious"`);
    const path = `/approvals/${id}/reject/suspicious`;
    const form = { note: 'Who is <b>this</b>?' };
    const rejected = await dashboard.submit({ path, headers: { cookie }, form });
    expect([rejected.status, rejected.headers.location]).toEqual([303, `/approvals/${id}`]);
    const { body } = await openPage(dashboard, id, cookie);
    expect(body).toContain('Suspicious');
    expect(body).toContain('Who is &lt;b>this&lt;/b>?');
    expect(body).toContain(`action="/integrations/${dashboard.key.keyId}/pause"`);
    expect(body).toMatch(/You decided it\s+in /);
    await dashboard.service.keys.pause(dashboard.ownerId, dashboard.key.keyId);
    expect((await openPage(dashboard, id, cookie)).body).not.toContain('/pause"');
  });

  it('with a note that is too long rejects nothing', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const id = await dashboard.ask({});
    const page = await openPage(dashboard, id, cookie);
    const answer = await page.press('reject', { note: 'x'.repeat(501) });
    expect(answer.status).toBe(422);
    expect(answer.body).toContain('at most 500 characters');
    expect(await stateOf(dashboard, id)).toBe('pending');
  });
});

describe('a change by the owner', () => {
  /** The fields of the form that changes the request, as the page shows them. */
  function changeForm(body: string, changes: Record<string, string>) {
    const form = body.slice(body.indexOf('id="change"'));
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? '';
    return { digest: field('digest'), confirms: field('confirms'), ...changes };
  }

  it('is approved by the same tap, and the page keeps what was asked', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const id = await dashboard.ask({ subject: 'Lunch', body: 'At noon?' });
    const { body } = await openPage(dashboard, id, cookie);
    const to = /name="to"[^>]*>\n([^<]*)</.exec(body)?.[1] ?? '';
    const form = changeForm(body, { to, subject: 'Lunch', text: 'At one?' });
    const path = `/approvals/${id}/change`;
    const answer = await dashboard.submit({ path, headers: { cookie }, form });
    expect(answer.status).toBe(303);
    expect(dashboard.mail.transmitted()).toHaveLength(1);
    const after = await openPage(dashboard, id, cookie);
    for (const words of ['-At noon?', '+At one?', 'What the program asked for']) {
      expect(after.body).toContain(words);
    }
    const twice = await dashboard.submit({ path, headers: { cookie }, form });
    expect(twice.status).toBe(409);
    expect(twice.body).toContain('it was already “Executed”');
    expect(dashboard.mail.transmitted()).toHaveLength(1);
  });

  it('that raises something new is shown again before it is approved', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const id = await dashboard.ask({ subject: 'Lunch', body: 'At noon?' });
    const { body } = await openPage(dashboard, id, cookie);
    const changes = { to: 'nobody-yet@new.example', subject: 'Lunch', text: 'At noon?' };
    const path = `/approvals/${id}/change`;
    const shown = await dashboard.submit({ path, headers: { cookie }, form: changeForm(body, changes) });
    expect(shown.status).toBe(409);
    expect(shown.body).toContain('Nothing is approved yet.');
    expect(shown.body).toContain('for the first time');
    // The page shows the changed request, so it does not offer to approve the other one.
    expect(shown.body).not.toContain('/approve"');
    expect(await stateOf(dashboard, id)).toBe('pending');
    const again = await dashboard.submit({
      path,
      headers: { cookie },
      form: changeForm(shown.body, changes),
    });
    expect(again.status).toBe(303);
    expect(dashboard.mail.transmitted()).toMatchObject([{ to: ['nobody-yet@new.example'] }]);
  });

  it('that is wrong is shown with what to correct, and what was entered', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const id = await dashboard.ask({});
    const { body } = await openPage(dashboard, id, cookie);
    const form = changeForm(body, { to: 'nobody', subject: '', text: 'Kept' });
    const answer = await dashboard.submit({ path: `/approvals/${id}/change`, headers: { cookie }, form });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatch(/Nothing was approved\..*to\[0\]/s);
    expect(answer.body).toContain('Kept');
    expect(await stateOf(dashboard, id)).toBe('pending');
  });
});
