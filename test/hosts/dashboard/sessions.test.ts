import { describe, expect, it } from 'vitest';
import { browserName } from '../../../hosts/dashboard/browser-name.ts';
import { openDashboard } from './open-dashboard.ts';

const MINUTE_MS = 60_000;

describe('the sessions of an owner', () => {
  it('are listed with their browser, address and times, this one first and marked', async () => {
    const dashboard = await openDashboard();
    const { service } = dashboard;
    const owner = { email: 'owner@example.org', password: 'correct horse battery' };
    await service.sessions.signIn({
      ...owner,
      address: '198.51.100.7',
      device: undefined,
      browser: 'Safari on an iPhone',
      proofKey: null,
    });
    const cookie = await dashboard.cookie();
    const { body } = await dashboard.send({ path: '/settings', headers: { cookie } });
    expect(body).toContain('<a href="/settings" aria-current="page">Settings</a>');
    const rows = (/<ul class="rows">(.*?)<\/ul>/s.exec(body)?.[1] ?? '').split('</li>').slice(0, -1);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/Firefox on Linux.*This session.*192\.0\.2\.1/s);
    expect(rows[0]).not.toContain('<button');
    expect(rows[1]).toMatch(/Safari on an iPhone.*End.*198\.51\.100\.7/s);
    expect(rows[1]).not.toContain('This session');
  });

  it('end one by one, or all others at once, and never through another owner', async () => {
    const dashboard = await openDashboard();
    const { service } = dashboard;
    const [cookie, second, third] = [
      await dashboard.cookie(),
      await dashboard.cookie(),
      await dashboard.cookie(),
    ];
    const works = async (of: string) =>
      (await dashboard.send({ path: '/approvals', headers: { cookie: of } })).status === 200;
    const path = (of: string) => `/settings/sessions/${dashboard.browserOf(of).sessionId}/end`;

    const stranger = { email: 'other@example.org', password: 'another long password' };
    await service.owners.create(stranger);
    const alien = await dashboard.cookie(stranger);
    expect((await dashboard.submit({ path: path(second), headers: { cookie: alien } })).status).toBe(404);
    await dashboard.submit({ path: '/settings/sessions/end-others', headers: { cookie: alien } });
    expect(await Promise.all([cookie, second, third].map(works))).toEqual([true, true, true]);

    const ended = await dashboard.submit({ path: path(second), headers: { cookie } });
    expect(ended.headers.location).toBe('/settings?notice=session_ended');
    expect(await Promise.all([cookie, second, third].map(works))).toEqual([true, false, true]);
    expect((await dashboard.submit({ path: path(second), headers: { cookie } })).status).toBe(404);
    const others = await dashboard.submit({ path: '/settings/sessions/end-others', headers: { cookie } });
    expect(others.headers.location).toBe('/settings?notice=sessions_ended');
    expect(await Promise.all([cookie, third, alien].map(works))).toEqual([true, false, true]);
  });

  it('all end with a new password', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    await dashboard.service.owners.setPassword(dashboard.ownerId, 'another long password');
    expect((await dashboard.send({ path: '/approvals', headers: { cookie } })).status).toBe(303);
  });

  it('end after 14 days, even in constant use', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const status = async () => (await dashboard.send({ path: '/approvals', headers: { cookie } })).status;
    for (let day = 0; day < 14; day++) {
      expect(await status()).toBe(200);
      dashboard.clock.shift(24 * 60 * MINUTE_MS);
    }
    expect(await status()).toBe(303);
  });

  it('record their use every five minutes', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const lastUsed = async () => {
      await dashboard.send({ path: '/approvals', headers: { cookie } });
      return (await dashboard.service.sessions.list(dashboard.ownerId))[0]?.lastUsedAt.getTime() ?? 0;
    };
    const begun = await lastUsed();
    dashboard.clock.shift(4 * MINUTE_MS);
    expect(await lastUsed()).toBe(begun);
    dashboard.clock.shift(MINUTE_MS);
    expect(await lastUsed()).toBeGreaterThanOrEqual(begun + 5 * MINUTE_MS);
  });
});

describe('browserName', () => {
  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari on a Mac',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
      'Safari on an iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8.5.0', 'Unknown browser'],
    ['<b>Firefox</b> \u202e', 'Unknown browser'],
    [undefined, 'Unknown browser'],
  ])('%s is %s', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name);
  });
});
