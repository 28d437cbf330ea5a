import { describe, expect, it } from 'vitest';
import { formToken } from '../../../hosts/dashboard/forms/csrf.ts';
import { appWith } from './authenticator-app.ts';
import { type Dashboard, EMAIL, formTokenIn, openDashboard, PASSWORD } from './open-dashboard.ts';

const STEP_MS = 30_000;
const MINUTE_MS = 60_000;

/** Turns the second step on by the page. */
async function withApp(dashboard: Dashboard, cookie: string) {
  const headers = { cookie };
  const shown = await dashboard.submit({ path: '/settings/authenticator', headers });
  expect(shown.status).toBe(200);
  const [, key = ''] = /id="authenticator-key"[^>]*>([^<]+)</.exec(shown.body) ?? [];
  const [, setup = ''] = /name="setup" value="([^"]+)"/.exec(shown.body) ?? [];
  const code = appWith(key, dashboard.clock);
  const add = (form: Record<string, string>) =>
    dashboard.submit({ path: '/settings/authenticator/add', headers, form });
  const wrong = await add({ setup, code: '000000' });
  expect([wrong.status, wrong.body.includes('The code is wrong.')]).toEqual([422, true]);
  expect(wrong.body).not.toContain(key);
  const confirmed = code();
  const added = await add({ setup, code: confirmed });
  expect(added.body).toContain('The authenticator app is added.');
  const codes = [...added.body.matchAll(/<li><code>([^<]+)</g)].map(([, one = '']) => one);
  expect(codes).toHaveLength(10);
  return { code, confirmed, codes, setup };
}

/** A browser that signs in step by step, with the cookies that it gets. */
function newBrowser(dashboard: Dashboard) {
  const cookies = new Map<string, string>();
  const send = async (path: string, form?: Record<string, string>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await dashboard.send({ path, headers: { cookie }, ...(form && { form }) });
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    cookies,
    async password(password = PASSWORD) {
      const { body } = await send('/sign-in');
      return send('/sign-in', { form_token: formTokenIn(body), email: EMAIL, password, next: '/settings' });
    },
    signOut() {
      for (const name of cookies.keys()) if (isSession(name)) cookies.delete(name);
    },
    /** @param page  the page that asks for the code */
    code(page: string, code: string) {
      const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(page) ?? [];
      const form_token = formTokenIn(page);
      return send('/sign-in/second-step', { form_token, ticket, code, next: '/settings' });
    },
  };
}

const isSession = (name: string) => /^countersign-\d+$/.test(name);

const isSignedIn = (cookies: ReadonlyMap<string, string>) => [...cookies.keys()].some(isSession);

describe('an owner with an authenticator app', () => {
  it('signs in with the password and a code, which counts once, or with a recovery code', async () => {
    const dashboard = await openDashboard();
    const { code, confirmed, codes } = await withApp(dashboard, await dashboard.cookie());
    const browser = newBrowser(dashboard);
    const asked = await browser.password();
    expect(asked.body).toContain('<h1>Second step</h1>');
    expect([...browser.cookies.keys()]).toEqual([expect.stringContaining('-sign-in')]);
    const replayed = await browser.code(asked.body, confirmed);
    expect(replayed.status).toBe(422);
    expect(isSignedIn(browser.cookies)).toBe(false);
    dashboard.clock.shift(STEP_MS);
    const used = code();
    const signedIn = await browser.code(replayed.body, used);
    expect(signedIn.headers.location).toBe('/settings');
    const cookies = signedIn.headers['set-cookie'] ?? [];
    const lasts = 14 * 24 * 60 * 60;
    expect(cookies[0]).toContain(`Max-Age=${lasts}`);
    expect(isSignedIn(browser.cookies)).toBe(true);

    const other = newBrowser(dashboard);
    const [first = ''] = codes;
    expect((await other.code((await other.password()).body, used)).status).toBe(422);
    const typed = first.toLowerCase().replaceAll(' ', '-');
    expect((await other.code((await other.password()).body, typed)).status).toBe(303);
    const third = newBrowser(dashboard);
    expect((await third.code((await third.password()).body, first)).status).toBe(422);
    expect(await dashboard.service.secondSteps.show(dashboard.ownerId)).toMatchObject({
      recoveryCodesLeft: 9,
    });
  });

  it('starts again after ten minutes, or if the password was changed, and cannot pass with a wrong password', async () => {
    const dashboard = await openDashboard();
    const { code } = await withApp(dashboard, await dashboard.cookie());
    const browser = newBrowser(dashboard);
    const refused = await browser.password('not the password');
    expect(refused.body).toContain('Email and password do not match.');
    expect(refused.body).not.toContain('ticket');
    const late = await browser.password();
    dashboard.clock.shift(10 * MINUTE_MS);
    expect((await browser.code(late.body, code())).body).toContain('Sign in again.');
    const asked = await browser.password();
    await dashboard.service.owners.setPassword(dashboard.ownerId, 'another long password');
    expect((await browser.code(asked.body, code())).body).toContain('Sign in again.');
    expect((await browser.code('name="ticket" value="forged"', code())).status).toBe(403);
    const forged = asked.body.replace(/name="ticket" value="[^"]+"/, 'name="ticket" value="forged"');
    expect((await browser.code(forged, code())).body).toContain('Sign in again.');
    expect(isSignedIn(browser.cookies)).toBe(false);
  });

  it('is not locked out by somebody who knows the password and tries codes', async () => {
    const dashboard = await openDashboard();
    const { code, codes } = await withApp(dashboard, await dashboard.cookie());
    const owner = newBrowser(dashboard);
    dashboard.clock.shift(STEP_MS);
    await owner.code((await owner.password()).body, code());
    owner.signOut();
    const stranger = newBrowser(dashboard);
    const { body } = await stranger.password();
    for (let times = 0; times < 3; times++) expect((await stranger.code(body, '111111')).status).toBe(422);
    const waits = await stranger.code(body, codes[0] ?? '');
    expect(waits.status).toBe(429);
    expect(Number(waits.headers['retry-after'])).toBeGreaterThan(0);
    expect((await owner.code((await owner.password()).body, codes[0] ?? '')).status).toBe(303);
  });

  it('proves who it is with password and code, and removes the app with that proof alone', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const { code } = await withApp(dashboard, cookie);
    const headers = { cookie };
    const path = '/settings/authenticator/remove';
    dashboard.clock.shift(11 * MINUTE_MS);
    const asked = await dashboard.submit({ path, headers });
    expect(asked.status).toBe(403);
    expect(asked.body).toContain('name="owner_code"');
    const form_token = formToken(cookie.split('=')[1] ?? '');
    const confirm = (form: Record<string, string>) =>
      dashboard.send({ path, headers, form: { form_token, ...form } });
    const alone = await confirm({ owner_password: PASSWORD });
    expect(alone.status).toBe(422);
    expect(alone.body).toContain('The code is wrong, or was used before.');
    expect((await confirm({ owner_password: 'not the password', owner_code: code() })).status).toBe(422);
    expect(await dashboard.service.secondSteps.show(dashboard.ownerId)).not.toBeNull();
    const done = await confirm({ owner_password: PASSWORD, owner_code: code() });
    expect(done.headers.location).toBe('/settings?notice=app_removed');
    expect(await dashboard.service.secondSteps.show(dashboard.ownerId)).toBeNull();
    expect((await newBrowser(dashboard).password()).headers.location).toBe('/settings');
  });

  it('gets new recovery codes, and the operator can remove what is lost', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const { codes, setup } = await withApp(dashboard, cookie);
    const { service, ownerId } = dashboard;
    const shown = await dashboard.submit({ path: '/settings/recovery-codes', headers: { cookie } });
    expect(shown.body).toContain('These codes replace the ones before.');
    const browser = newBrowser(dashboard);
    expect((await browser.code((await browser.password()).body, codes[1] ?? '')).status).toBe(422);
    await service.secondSteps.removeAll(ownerId);
    expect((await browser.password()).status).toBe(303);
    // The setup of another owner is not accepted.
    const { ownerId: other } = await service.owners.create({ email: 'other@example.org' });
    expect(await service.secondSteps.addApp(other, setup, '000000')).toBe('over');
  });
});
